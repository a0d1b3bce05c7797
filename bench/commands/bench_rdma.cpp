// The table of options and what they set.
#include "bench/commands/bench_rdma.hpp"

#include <array>
#include <string_view>

#include "base/error.hpp"

namespace railgauge {
namespace {

struct RdmaOptionRow {
  const char* option;
  const char* transport;
  const char* setting;  // null: read apart
  const char* summary;
};
constexpr std::array rows{
    RdmaOptionRow{
        "--device", "verbs", nullptr,
        "RDMA device that the ranks of a host use, for example mlx5_0 (default: those nearest to its cores, one after the "
        "other)"},
    RdmaOptionRow{"--port", "verbs", nullptr, "Its port (default 1)"},
    RdmaOptionRow{"--gid", "verbs", "gid", "Index in the port's table of GIDs (default: by link layer)"},
    RdmaOptionRow{"--mtu", "verbs", "mtu", "Payload of a packet: 256 to 4096 (default: the smaller of both ends)"},
    RdmaOptionRow{"--queue-pairs", "verbs", "queue_pairs", "Queue pairs between two ranks (default 1)"},
    RdmaOptionRow{"--depth", "verbs", "depth", "Work requests in flight on a queue pair (default 256)"},
    RdmaOptionRow{"--post-list", "verbs", "post_list",
                  "write, read, send, fetch_add: work requests handed over together (default 1)"},
    RdmaOptionRow{"--inline", "verbs", "inline", "Bytes that travel inside the work request (default 220)"},
    RdmaOptionRow{
        "--signal-every", "verbs", "signal_every",
        "write, read, send, fetch_add: operations for each completion that is asked for (default: a quarter of the depth)"},
    RdmaOptionRow{"--ucx-tls", "ucx", "tls", "UCX's transports (UCX_TLS)"},
    RdmaOptionRow{"--ucx-devices", "ucx", "devices", "UCX's network devices (UCX_NET_DEVICES)"},
};
constexpr const char* group = "RDMA (docs/rdma.md)";

void set(std::map<std::string, Settings>& settings, const char* transport, const char* setting, const std::string& value,
         const char* option) {
  const auto [place, fresh] = settings[transport].try_emplace(setting, value);
  if (!fresh && place->second != value)
    throw Error(Fault::usage, std::string(option) + " " + value + " and --set " + transport + "." + setting + "=" +
                                  place->second + " contradict each other");
}

}  // namespace

void add_rdma_options(CLI::App& command, GivenRdma& given) {
  for (const RdmaOptionRow& row : rows)
    command
        .add_option_function<std::string>(
            row.option, [&given, &row](const std::string& value) { given.values[row.option] = value; }, row.summary)
        ->group(group);
  command.add_flag("--events", given.events, "Sleep until the card reports something, instead of polling")->group(group);
}

void read_rdma_options(const GivenRdma& given, std::map<std::string, Settings>& settings) {
  for (const RdmaOptionRow& row : rows)
    if (const auto found = given.values.find(row.option); found != given.values.end() && row.setting != nullptr)
      set(settings, row.transport, row.setting, found->second, row.option);
  if (given.events) set(settings, "verbs", "events", "on", "--events");
  const auto device = given.values.find("--device"), port = given.values.find("--port");
  if (device != given.values.end())
    set(settings, "verbs", "ports", device->second + (port == given.values.end() ? "" : ":" + port->second), "--device");
  else if (port != given.values.end())
    throw Error(Fault::usage, "--port " + port->second + ": of which device? --device names it");
}

}  // namespace railgauge
