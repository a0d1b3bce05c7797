// RDMA devices and ports from the kernel's files, and counters of errors of all ports, for a baseline.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/port_counters.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/rates.hpp"
#include "topo/read/pcie.hpp"

namespace railgauge::topo::preflight {
namespace {

namespace fs = std::filesystem;

struct LineRow {
  const char *name, *file;
};
constexpr auto of_device = std::to_array<LineRow>(
    {{"device firmware", "fw_ver"}, {"device type", "hca_type"}, {"board", "board_id"}, {"node guid", "node_guid"}});
constexpr auto of_port = std::to_array<LineRow>({{"port state", "state"}, {"port rate", "rate"}, {"link layer", "link_layer"}});

// The kinds of GID that the port has, each once: "IB/RoCE v1, RoCE v2". Places of the table without a GID give no type.
void read_gids(Sheet& sheet, const std::string& port, const fs::path& folder) {
  const fs::path types = folder / "gid_attrs/types";
  const std::vector<std::string> places = sysfs_names(types);
  std::set<std::string> kinds;
  for (const std::string& place : places)
    if (std::string kind = sysfs_line(types / place); !kind.empty()) kinds.insert(std::move(kind));
  if (!kinds.empty())
    sheet.add(port, "gid types", fmt::format("{}", fmt::join(kinds, ", ")));
  else if (places.empty())
    sheet.unread(port, "gid types", fmt::format("{}: No such file or directory", types.string()));
  else
    sheet.add(port, "gid types", "none");
}

// What a program gets over PCIe where the card and the slot above it have trained as they should. Functions that a program made,
// and virtual ones, have no link of their own.
void read_slot(Sheet& sheet, const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path card = fs::canonical(folder / "device", error);
  if (error) return;
  double least = 0;  // GB/s
  Rate rate;
  for (const fs::path& end : {card, card.parent_path()}) {
    const Rate its{pcie_width(sysfs_line(end / "max_link_width")), pcie_speed(sysfs_line(end / "max_link_speed"))};
    const double usable = pcie_bandwidth(its).usable;
    if (usable <= 0 || (least > 0 && usable >= least)) continue;
    least = usable;
    rate = its;
  }
  // All functions of a card share its link.
  const std::string address = card.filename().string();
  sheet.add(name, "card", address.substr(0, address.rfind('.')));
  if (least > 0) sheet.add(name, "slot", fmt::format("{:.4g} GB/s ({:.1f} GT/s x{})", least, rate.speed, rate.width));
}

void read_device(Sheet& sheet, const fs::path& folder, const std::string& name) {
  sheet.doing(fmt::format("the reading of {}", folder.string()));
  // Not every driver has firmware or boards: soft-RoCE has none.
  for (const LineRow& row : of_device) sheet.line(name, row.name, folder / row.file);
  read_slot(sheet, folder, name);
  for (const std::string& number : sysfs_names(folder / "ports")) {
    const std::string port = fmt::format("{}/{}", name, number);
    for (const LineRow& row : of_port) sheet.line(port, row.name, folder / "ports" / number / row.file);
    // The GUID of the port is the second half of its first GID.
    if (const std::string gid = sysfs_line(folder / "ports" / number / "gids/0"); gid.size() == 39)
      sheet.add(port, "port guid", gid.substr(20));
    read_gids(sheet, port, folder / "ports" / number);
    const fs::path traffic = folder / "tc" / number / "traffic_class";
    if (std::error_code error; fs::exists(traffic, error)) sheet.line(port, "traffic class", traffic);
  }
}

// Priorities for which a driver of NVIDIA's marks (rp) and answers (np).
void read_roce_ecn(Sheet& sheet, const fs::path& net) {
  for (const std::string& interface : sysfs_names(net)) {
    const fs::path folder = net / interface / "ecn";
    std::error_code error;
    if (!fs::is_directory(folder, error)) continue;
    std::string text;
    for (const char* side : {"roce_np", "roce_rp"}) {
      std::string on;
      for (const std::string& priority : sysfs_names(folder / side / "enable"))
        if (sysfs_line(folder / side / "enable" / priority) == "1") on += (on.empty() ? "" : ",") + priority;
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", side + 5, on.empty() ? "off" : "priorities " + on);
    }
    sheet.add(interface, "roce ecn", text);
  }
}

}  // namespace

void read_ports(const ReadOptions& options, Sheet& sheet) {
  const fs::path folder = sheet.path("sys/class/infiniband");
  const std::vector<std::string> devices = sysfs_names(folder);
  if (options.extent == Extent::all) {
    sheet.add("", "rdma devices", fmt::format("{}", devices.size()));
    for (const std::string& name : devices) read_device(sheet, folder / name, name);
    read_roce_ecn(sheet, sheet.path("sys/class/net"));
  }
  sheet.doing("the reading of counters of ports");
  // Those of interfaces come from the kernel's sockets (interfaces.cpp): /sys may be that of another network namespace.
  for (const PortCounters& port : read_port_counters(options.root))
    if (port.port.find('/') != std::string::npos)
      for (const auto& [name, count] : port.errors) sheet.add(port.port, "counter " + name, fmt::format("{}", count));
}

}  // namespace railgauge::topo::preflight
