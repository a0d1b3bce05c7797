// Discovers the fabric with libibnetdisc and writes down what every node and port answered.
#include <fmt/format.h>
#include <infiniband/ibnetdisc.h>

#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/plugin.hpp"
#include "topo/evidence/ibfabric.hpp"
#include "topo/evidence/ibfabric/ask.hpp"

namespace railgauge::topo {
namespace {

constexpr unsigned most_on_the_wire = 8;  // requests that wait for an answer at a time

struct FabricDestroy {
  void operator()(ibnd_fabric* fabric) const noexcept { ibnd_destroy_fabric(fabric); }
};

std::string hexadecimal(const std::uint8_t* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) fmt::format_to(std::back_inserter(text), "{:02x}", bytes[i]);
  return text;
}

// A description is whatever an administrator typed: one line of it, at the end of the line.
std::string one_line(std::string_view text) {
  std::string clean;
  for (const char c : text.substr(0, text.find('\0'))) clean += c >= 0 && c < ' ' ? ' ' : c;
  while (clean.ends_with(' ')) clean.pop_back();
  return clean;
}

// What is written, and who is asked for more; null where nothing more is wanted.
struct Writing {
  std::string text;
  const FabricQuestion& question;
  Asker* asker = nullptr;
};

void write_port(const ibnd_port_t& port, Writing& into) {
  std::string& text = into.text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "port {} guid={:#018x}", port.portnum, port.guid);
  if (port.ext_portnum != 0) fmt::format_to(out, " external={}", port.ext_portnum);
  if (port.remoteport != nullptr && port.remoteport->node != nullptr)
    fmt::format_to(out, " peer={:#018x}/{}", port.remoteport->node->guid, port.remoteport->portnum);
  if (into.asker != nullptr && into.question.counters && port.portnum != 0 && port.remoteport != nullptr)
    if (const std::string counters = into.asker->counters(port); !counters.empty()) fmt::format_to(out, " counters={}", counters);
  fmt::format_to(out, " info={}\n", hexadecimal(port.info, sizeof(port.info)));
}

void write_node(ibnd_node_t* node, void* into) {
  Writing& writing = *static_cast<Writing*>(into);
  std::string& text = writing.text;
  auto out = std::back_inserter(text);
  const char* kind = node->type == IB_NODE_SWITCH ? "switch" : node->type == IB_NODE_ROUTER ? "router" : "adapter";
  fmt::format_to(out, "node {} guid={:#018x} lid={}", kind, node->guid, node->smalid);
  if (node->chassis != nullptr && node->chassis->chassisnum != 0 && node->ch_slotnum != 0)
    fmt::format_to(out, " chassis={} slot={}", node->chassis->chassisnum, node->ch_slotnum);
  if (writing.asker != nullptr && writing.question.routes && node->type == IB_NODE_SWITCH)
    if (const std::string routes = writing.asker->routes(*node); !routes.empty()) fmt::format_to(out, " routes={}", routes);
  fmt::format_to(out, " info={} description={}\n", hexadecimal(node->info, sizeof(node->info)),
                 one_line({node->nodedesc, sizeof(node->nodedesc)}));
  for (int i = 0; i <= node->numports; ++i)
    if (node->ports != nullptr && node->ports[i] != nullptr) write_port(*node->ports[i], writing);
}

std::string discover(const FabricQuestion& question) {
  ibnd_config_t config{};
  config.max_smps = most_on_the_wire;
  std::string device = question.device;
  const auto end = std::chrono::steady_clock::now() + question.deadline / 2;
  const std::unique_ptr<ibnd_fabric, FabricDestroy> fabric(
      ibnd_discover_fabric(device.empty() ? nullptr : device.data(), question.port, nullptr, &config));
  if (!fabric)
    throw Error(Fault::usage, fmt::format("nothing answered through {}; it needs an adapter with a cable, and permission to open "
                                          "/dev/infiniband/umad*",
                                          device.empty() ? "any adapter" : device));
  std::unique_ptr<Asker> asker;
  if (question.routes || question.counters) asker = std::make_unique<Asker>(question, end);
  Writing writing{
      fmt::format("# railgauge: InfiniBand fabric, as libibnetdisc found it, {} hops wide\n", fabric->maxhops_discovered),
      question, asker.get()};
  ibnd_iter_nodes(fabric.get(), write_node, &writing);
  if (asker && asker->silent() > 0)
    writing.text += fmt::format("# {} switches and ports did not tell their routes or counters in time\n", asker->silent());
  return std::move(writing.text);
}

}  // namespace
}  // namespace railgauge::topo

extern "C" [[gnu::visibility("default")]] const railgauge::topo::FabricTable* railgauge_fabric() {
  static const railgauge::topo::FabricTable table{
      .abi = railgauge::plugin_abi, .name = "ibfabric", .discover = railgauge::topo::discover};
  return &table;
}
