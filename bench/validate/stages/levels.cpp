// Rates as the kernel says them: "400 Gb/sec (4X NDR)" of an RDMA port, "100000 Mb/s" of an interface.
#include "bench/validate/stages/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "bench/validate/method/port_name.hpp"

namespace railgauge::validate {
namespace {

using topo::preflight::HostFacts;
using topo::preflight::value_of;

// Healthy RDMA ports carry 0.92 (RoCE, MTU 1024) to 0.99 (InfiniBand, MTU 4096) of their rate in messages of 256 KiB.
constexpr double rdma_share = 0.85;
// TCP carries 0.94 with an MTU of 1500 bytes, and more with 9000.
constexpr double tcp_share = 0.8;
// Beyond this a processor may be what limits TCP between two processes.
constexpr double tcp_sure = 1.25;  // GB/s: 10 Gbit/s

constexpr double bits_of_byte = 8;

// Whether hardware is behind a device: drivers without firmware, type and board are programs (soft-RoCE), whose rate means
// nothing.
bool has_hardware(const HostFacts& facts, const std::string& device) {
  return std::any_of(facts.facts.begin(), facts.facts.end(), [&](const topo::preflight::Fact& it) {
    return it.subject == device && !it.value.empty() &&
           (it.name == "device firmware" || it.name == "device type" || it.name == "board");
  });
}

Level level(double gigabytes, double share, std::size_t shared_by, std::string source) {
  Level it;
  it.full = gigabytes / static_cast<double>(std::max<std::size_t>(1, shared_by));
  it.least = share * it.full;
  it.source = std::move(source);
  if (shared_by > 1) it.source += fmt::format(" shared by {} ranks", shared_by);
  return it;
}
Level unknown(std::string why) {
  Level it;
  it.source = std::move(why);
  return it;
}

// Rails of the host whose ports are on the same card as that of `rail`, with it.
std::size_t rails_of_card(const HostFacts& facts, const Host& host, Index rail) {
  const auto card_of = [&](const Attachment& it) { return value_of(facts, device_of(it.port), "card"); };
  const std::string* const card = card_of(host.rails[rail]);
  if (card == nullptr) return 1;
  std::set<std::string> ports;
  for (const Attachment& it : host.rails)
    if (const std::string* const its = card_of(it); its != nullptr && *its == *card) ports.insert(it.port);
  return ports.size();
}

}  // namespace

Level level_of_port(const HostFacts& facts, const std::string& port, std::size_t shared_by, std::size_t of_card) {
  if (port.empty()) return unknown("it is not known by which port ranks send: name it with --set, as ucx.devices=mlx5_0:1");
  if (const std::string name = port_or_first(port); const std::string* const rate = value_of(facts, name, "port rate")) {
    const double gigabits = std::strtod(rate->c_str(), nullptr);
    if (!has_hardware(facts, device_of(port))) return unknown(fmt::format("{} is a device that a program made", device_of(port)));
    if (!(gigabits > 0) || !std::isfinite(gigabits)) return unknown(fmt::format("the rate of {} reads '{}'", name, *rate));
    const std::string* const slot = value_of(facts, device_of(port), "slot");
    const double most = slot != nullptr ? std::strtod(slot->c_str(), nullptr) : 0;
    const std::size_t ports = std::max<std::size_t>(1, of_card);
    if (most > 0 && most < static_cast<double>(ports) * gigabits / bits_of_byte)
      return level(most / static_cast<double>(ports), rdma_share, shared_by,
                   ports == 1
                       ? fmt::format("the slot of {}, {}, where its port has {}", device_of(port), *slot, *rate)
                       : fmt::format("the slot of {}, {} for {} ports that have {} each", device_of(port), *slot, ports, *rate));
    return level(gigabits / bits_of_byte, rdma_share, shared_by, fmt::format("the port's rate, {}", *rate));
  }
  const std::string name = device_of(port);
  const std::string* const speed = value_of(facts, name, "speed");
  const std::string* const kind = value_of(facts, name, "kind");
  constexpr std::string_view cards[] = {"card", "bond", "team", "vlan"};
  if (kind != nullptr && std::find(std::begin(cards), std::end(cards), *kind) == std::end(cards))
    return unknown(fmt::format("{} is an interface of the kind {}, whose speed is no promise", name, *kind));
  const double megabits = speed != nullptr ? std::strtod(speed->c_str(), nullptr) : 0;
  if (!(megabits > 0) || !std::isfinite(megabits)) return unknown(fmt::format("the kernel does not say how fast {} is", name));
  Level it = level(megabits / 1000 / bits_of_byte, tcp_share, shared_by, fmt::format("the speed of {}, {}", name, *speed));
  it.may_fall_short = it.full * static_cast<double>(shared_by) > tcp_sure;
  return it;
}

Levels levels_of(const ValidationRun& run) {
  Levels levels(run.fleet.hosts.size());
  for (Index host = 0; host < levels.size(); ++host) {
    levels[host].resize(run.fleet.rails);
    if (run.options.pair_least) {
      for (Level& each : levels[host]) {
        each.least = each.full = *run.options.pair_least;
        each.source = fmt::format("--expect pair={:g}", *run.options.pair_least);
      }
      continue;
    }
    const auto facts = run.facts.find(host);
    const std::size_t ports = run.options.ports.size(), ranks = run.ranks_of(host).size();
    for (Index rail = 0; rail < run.fleet.rails; ++rail) {
      if (facts == run.facts.end()) {
        levels[host][rail] = unknown("the stage preflight did not read what the host has");
        continue;
      }
      // One port that was named is that of all ranks.
      const bool shared = ports == 1 && ranks > 1;
      const std::string& port = shared ? run.options.ports.front() : run.fleet.hosts[host].rails[rail].port;
      levels[host][rail] = level_of_port(facts->second, port, shared ? ranks : 1,
                                         shared ? 1 : rails_of_card(facts->second, run.fleet.hosts[host], rail));
    }
  }
  return levels;
}

}  // namespace railgauge::validate
