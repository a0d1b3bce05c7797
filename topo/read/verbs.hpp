// Reads the kernel's description of InfiniBand, RoCE and other RDMA devices and their ports.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// The meaning of a port's "rate": "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X)", "10 Gb/sec (4X SDR)". On Ethernet the name of the
// speed is ignored (RoCE prints "4X NDR" too), and the speed is the rate divided by the lanes. Zeros when the text is unreadable.
struct PortRate {
  Rate rate;
  Bandwidth bandwidth;
};
[[nodiscard]] PortRate port_rate(std::string_view text, bool ethernet);

// The evidence of collect_verbs(). Ports are nodes "<node GUID>/<port>". The link between a NIC and its port holds the port's
// rate, state and counters.
[[nodiscard]] bool is_verbs(std::string_view text);
[[nodiscard]] Graph read_verbs(const Reading& reading);  // throws Error(usage) "ORIGIN:LINE: ..."

}  // namespace railgauge::topo
