// InfiniBand, RoCE and other RDMA devices and their ports, as the kernel tells of them.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// What a port's "rate" means: "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X)", "10 Gb/sec (4X SDR)". On Ethernet the name of the speed
// says nothing (RoCE prints "4X NDR" too), and the speed is the rate over the lanes. Zeros where it cannot be read.
struct PortRate {
  Rate rate;
  Bandwidth bandwidth;
};
[[nodiscard]] PortRate port_rate(std::string_view text, bool ethernet);

// The evidence that collect_verbs() takes. Ports are nodes "<node GUID>/<port>"; what a port does now, and what it has counted,
// stands in the link between its NIC and it.
[[nodiscard]] bool is_verbs(std::string_view text);
[[nodiscard]] Graph read_verbs(const Reading& reading);  // throws Error(usage) "ORIGIN:LINE: ..."

}  // namespace railgauge::topo
