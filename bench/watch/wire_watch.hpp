// Reads the counters of ports before and after a point, on every host: evidence of the path of its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/result.hpp"
#include "topo/evidence/port_counters.hpp"
#include "transports/transport.hpp"

namespace railgauge {

class WireWatch {
 public:
  // Collective. The first rank of each host reads its ports. Reads nothing where no bytes leave by a port: no host has one, or
  // all ranks are on one host and no ports are planned. `composed`: ranks of one host use another path.
  WireWatch(Group& group, const Endpoint& endpoint, bool composed);

  // Whether bytes to `peer` leave by a port. Between ranks of a host with the same port the card, or its driver, loops them back
  // and may not count them.
  [[nodiscard]] bool counts(int peer) const;
  void begin();
  // Collective. `asked`: bytes that this rank should have sent since begin(). The answer is the same on all ranks; nothing where
  // no port counts.
  [[nodiscard]] std::optional<Wire> end(std::uint64_t asked);

 private:
  Group& group_;
  bool reads_ = false;                           // this rank, for its host
  bool any_ = false;                             // some rank does
  bool local_ = false;                           // also between ranks of a host
  std::vector<std::vector<std::string>> ports_;  // that each rank is to send by
  std::vector<topo::PortCounters> before_;
};

// The growth of the counters between two readings of one host. Leaves out ports that were not planned, sent less than `least`
// bytes and counted no errors.
[[nodiscard]] std::vector<PortTraffic> traffic_between(const std::string& node, const std::vector<topo::PortCounters>& before,
                                                       const std::vector<topo::PortCounters>& after,
                                                       const std::vector<std::string>& planned, std::uint64_t least);

}  // namespace railgauge
