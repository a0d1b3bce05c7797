// Reads counters below /sys/class/infiniband and /sys/class/net.
#include "topo/evidence/port_counters.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "topo/counter_names.hpp"
#include "topo/evidence/sysfs.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t word_bytes = 4;  // of port_xmit_data and port_rcv_data

std::optional<std::uint64_t> bytes_in(const fs::path& file) {
  const auto words = sysfs_number(file);
  return words && *words <= UINT64_MAX / word_bytes ? std::optional(*words * word_bytes) : std::nullopt;
}

void add_errors(PortCounters& port, const fs::path& folder) {
  for (const std::string& name : sysfs_names(folder)) {
    if (!counts_errors(name)) continue;
    if (const auto count = sysfs_number(folder / name)) port.errors[name] += *count;
  }
}

PortCounters interface_counters(const fs::path& folder, const std::string& name) {
  PortCounters port;
  port.port = name;
  port.sent = sysfs_number(folder / "statistics/tx_bytes");
  port.received = sysfs_number(folder / "statistics/rx_bytes");
  // Not those that were dropped: among them are all packets that nobody wants.
  for (const char* error : {"rx_errors", "tx_errors"})
    if (const auto count = sysfs_number(folder / "statistics" / error)) port.errors[error] = *count;
  return port;
}

}  // namespace

std::vector<PortCounters> read_port_counters(const fs::path& root) {
  const fs::path classes = (root.empty() ? fs::path("/") : root) / "sys/class";
  std::vector<PortCounters> found;
  std::set<std::string> taken;  // interfaces that count for an RDMA port
  for (const std::string& device : sysfs_names(classes / "infiniband"))
    for (const std::string& number : sysfs_names(classes / "infiniband" / device / "ports")) {
      const fs::path folder = classes / "infiniband" / device / "ports" / number;
      PortCounters port;
      port.port = device + "/" + number;
      port.sent = bytes_in(folder / "counters/port_xmit_data");
      port.received = bytes_in(folder / "counters/port_rcv_data");
      if (!port.sent) port.sent = sysfs_number(folder / "hw_counters/tx_bytes");  // EFA
      if (!port.received) port.received = sysfs_number(folder / "hw_counters/rx_bytes");
      add_errors(port, folder / "counters");
      add_errors(port, folder / "hw_counters");
      const std::string interface = sysfs_line(folder / "gid_attrs/ndevs/0");
      if (!port.sent && !port.received && !interface.empty() && interface.find('/') == std::string::npos) {
        PortCounters below = interface_counters(classes / "net" / interface, interface);
        port.sent = below.sent;
        port.received = below.received;
        port.errors.merge(below.errors);
        taken.insert(interface);
      }
      found.push_back(std::move(port));
    }
  std::error_code missing;
  for (const std::string& name : sysfs_names(classes / "net"))
    if (name != "lo" && !taken.contains(name) && fs::exists(classes / "net" / name / "statistics", missing))
      found.push_back(interface_counters(classes / "net" / name, name));
  std::sort(found.begin(), found.end(), [](const PortCounters& a, const PortCounters& b) { return a.port < b.port; });
  return found;
}

}  // namespace railgauge::topo
