// What is read before and after each point, on every host: counters of ports, energy and clocks.
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
  // Collective. `composed` is as for WireWatch, `gpu` the UUID of this rank's, if any. Without `power` nobody reads energy and
  // clocks: for results that have no place for them.
  Watches(Group& group, const Endpoint& endpoint, bool composed, const std::string& gpu, bool power);

  [[nodiscard]] bool counts(int peer) const { return wire_.counts(peer); }  // as WireWatch
  void begin();
  // Collective. Since begin() this rank was to send `asked` bytes by ports, and operations moved `moved` bytes of those that
  // busbw counts.
  [[nodiscard]] Watched end(std::uint64_t asked, double moved);
  // Collective, in its place: of a round in which several pairs run together. What ports counted, and energy, belong to none.
  [[nodiscard]] Watched end_round();

 private:
  WireWatch wire_;
  std::optional<PowerWatch> power_;
};

}  // namespace railgauge
