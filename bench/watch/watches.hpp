// Reads counters of ports, energy and clocks before and after each point, on every host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/watch/power_watch.hpp"
#include "bench/watch/wire_watch.hpp"
#include "reports/result.hpp"
#include "transports/transport.hpp"

namespace railgauge {

struct Watched {
  std::optional<Wire> wire;
  std::optional<Power> power;
  void give(Result& result) &&;
};

class Watches {
 public:
  // Collective. `composed` is as for WireWatch. `gpu` is the UUID of this rank's GPU; empty: none. `power` false: does not read
  // energy and clocks, for formats without them.
  Watches(Group& group, const Endpoint& endpoint, bool composed, const std::string& gpu, bool power);

  [[nodiscard]] bool counts(int peer) const { return wire_.counts(peer); }  // as WireWatch
  void begin();
  // Collective. `asked`: bytes that this rank should have sent by ports since begin(). `moved`: bytes of its operations as busbw
  // counts them.
  [[nodiscard]] Watched end(std::uint64_t asked, double moved);
  // Collective; replaces end() for a round in which several pairs run together. Counters of ports and energy belong to no single
  // pair, so the answer lacks both.
  [[nodiscard]] Watched end_round();

 private:
  WireWatch wire_;
  std::optional<PowerWatch> power_;
};

}  // namespace railgauge
