// Network interfaces as facts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"

namespace railgauge::topo::preflight {
namespace {

// Made by programs, with names and numbers that differ from host to host, and with nothing of their own that could be slow. Not
// veth: in a container or a namespace it leads out.
constexpr auto software = std::to_array<std::string_view>(
    {"bridge", "dummy",  "tun",       "vxlan",  "geneve", "gre",  "gretap", "ip6gre",    "ip6gretap", "ip6tnl", "ipip",
     "sit",    "erspan", "ip6erspan", "ip_vti", "vti",    "vti6", "ifb",    "wireguard", "nlmon",     "vcan",   "openvswitch"});

void add_read(Sheet& sheet, const Interface& interface, const char* name, const Fact& fact) {
  if (!fact.value.empty())
    sheet.add(interface.name, name, fact.value);
  else
    sheet.unread(interface.name, name, fact.unread);
}

void add(Sheet& sheet, const Interface& it) {
  sheet.add(it.name, "state", it.state);
  sheet.add(it.name, "mtu", fmt::format("{}", it.mtu));
  sheet.add(it.name, "kind", it.kind.empty() ? "card" : it.kind);
  sheet.add(it.name, "queue", it.queue);
  sheet.add(it.name, "ipv4 addresses", fmt::format("{}", it.ipv4));
  sheet.add(it.name, "hardware address", it.hardware_address);
  // What a driver without a cable does not have is nothing unread.
  if (it.kind.empty() || !it.speed.value.empty()) add_read(sheet, it, "speed", it.speed);
  add_read(sheet, it, "driver", it.driver);
  if (!it.kind.empty()) return;
  add_read(sheet, it, "driver version", it.driver_version);
  add_read(sheet, it, "firmware", it.firmware);
  add_read(sheet, it, "pause", it.pause);
  add_read(sheet, it, "pfc", it.pfc);
}

}  // namespace

void read_interfaces(const ReadOptions& options, Sheet& sheet) {
  sheet.doing("rtnetlink and ethtool");
  std::vector<Interface> all;
  try {
    if (!options.interfaces && !options.root.empty())
      throw std::runtime_error("the interfaces of a recorded machine are in no file");
    all = options.interfaces ? options.interfaces() : kernel_interfaces();
  } catch (const std::exception& error) { return sheet.unread("", "interfaces", error.what()); }
  std::erase_if(all, [&](const Interface& it) {
    const bool made = std::find(software.begin(), software.end(), it.kind) != software.end();
    if (made && options.extent == Extent::all) sheet.add(it.name, std::string(software_kind), it.kind);
    return made;
  });
  if (options.extent == Extent::all) sheet.add("", "interfaces", fmt::format("{}", all.size()));
  for (const Interface& it : all) {
    if (options.extent == Extent::all) add(sheet, it);
    if (it.carrier_changes) sheet.add(it.name, "carrier changes", fmt::format("{}", *it.carrier_changes));
    for (const auto& [name, count] : it.errors) sheet.add(it.name, "counter " + name, fmt::format("{}", count));
  }
}

}  // namespace railgauge::topo::preflight
