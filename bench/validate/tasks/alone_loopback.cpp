// Two ends in one process, as threads, each with a queue pair of the same port.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/select/choose.hpp"
#include "bench/select/sweep.hpp"
#include "bench/validate/method/port_name.hpp"
#include "bench/validate/tasks/alone.hpp"
#include "topo/ports.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* what = "loopback of NICs";
constexpr std::uint32_t window = 16;  // as between two hosts
constexpr Seconds rendezvous{10};

// "mlx5_0/1" of "mlx5_0:1" and of "mlx5_0"; nothing where that is no RDMA device of this host.
std::optional<std::string> rdma_port(const std::string& asked) {
  std::string port = port_or_first(asked);
  const std::string device = port.substr(0, port.find('/'));
  std::error_code ignored;
  if (device.empty() || !std::filesystem::exists("/sys/class/infiniband/" + device, ignored)) return std::nullopt;
  return port;
}

struct NamedPort {
  std::string said, port;  // as ranks were told, or else as the topology has it; as verbs.ports takes it
};

std::vector<NamedPort> active_ports() {
  const topo::Graph graph = topo::build(topo::collect({}));
  std::vector<NamedPort> ports;
  for (const topo::Node& node : graph.nodes)
    if (node.kind == topo::Kind::machine)
      for (const topo::ComputePort& port : topo::compute_ports(graph, node.key))
        if (rdma_port(port.name)) ports.push_back({port.name, port.name});
  return ports;
}

std::vector<NamedPort> ports_of(const LoopbackOrder& order, OwnFigures& own) {
  if (order.asked.empty()) {
    std::vector<NamedPort> ports = active_ports();
    if (ports.empty()) own.unread.push_back({what, "there is no active RDMA port"});
    return ports;
  }
  std::vector<NamedPort> ports;
  for (const std::string& asked : order.asked)
    if (const std::optional<std::string> port = rdma_port(asked))
      ports.push_back({asked, *port});
    else
      own.unread.push_back(
          {what, fmt::format("{} is no RDMA port: the kernel answers itself, and the NIC passes nothing", asked)});
  return ports;
}

std::vector<Point> stream_of(const std::string& bytes) {
  SweepOptions sweep;
  sweep.collectives = {"stream"};
  sweep.bytes = {bytes};
  sweep.window = window;
  constexpr int ends = 2;
  Chooser chooser;
  return make_points(sweep, ends, ends, choice_of(chooser, {"verbs", 1, {}, "host", {}}));
}

}  // namespace

void check_message(const std::string& bytes) {
  try {
    const std::vector<Point> points = stream_of(bytes);
    if (points.size() == 1 && points.front().refusal.empty()) return;
    throw Error(Fault::usage, points.size() == 1 ? points.front().refusal : "expected one size, as 256K");
  } catch (const Error& error) { throw Error(Fault::usage, fmt::format("--bytes {}: {}", bytes, error.what())); }
}

namespace {

// GB/s; 0 where nothing came through.
double measure_port(const ChosenTransport& transport, const std::vector<Point>& points, const SessionOptions& session) {
  double bandwidth = 0;
  const auto ends = run_as_threads(2, rendezvous + session.watchdog, [&](Group& group) {
    (void)run_session(group, transport, points, session, [&](const Result& result) { bandwidth = result.summary.busbw; });
  });
  // What one could not do at all counts, and not that the other heard of it.
  for (const std::exception_ptr& end : ends) try {
      if (end) std::rethrow_exception(end);
    } catch (const Error& error) {
      if (error.fault() != Fault::lost) throw;
      bandwidth = 0;
    }
  return bandwidth;
}

}  // namespace

OwnFigures measure_loopback(const std::vector<KnownTransport>& known, const LoopbackOrder& order, const SessionOptions& session) {
  OwnFigures own;
  const std::vector<NamedPort> ports = ports_of(order, own);
  const std::vector<Point> points = stream_of(order.bytes);
  SessionOptions its = session;
  its.device = {};  // memory of the host: a GPU reaches the NIC by another path
  for (const auto& [said, port] : ports) try {
      std::map<std::string, Settings> settings{{"verbs", order.settings}};
      settings["verbs"]["ports"] = port;
      own.figures.push_back({fmt::format("loopback of a NIC, {}", order.bytes), HostComponent::nic,
                             measure_port(choose_transport(known, "verbs", settings), points, its), said});
    } catch (const Error& error) {
      if (error.fault() != Fault::usage) throw;
      own.unread.push_back({"loopback of " + said, error.what()});
    }
  return own;
}

}  // namespace railgauge::validate
