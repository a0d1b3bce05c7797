// Chooses the ports for the lanes of a rank: those nearest to its GPU, or to its cores.
#pragma once

#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "topo/path.hpp"
#include "topo/ports.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Collective. The ports for the lanes of this rank, one after the other, from the topology of its host, which the first rank
// there reads: those nearest to its GPU at the PCI address `device`, or where that is empty to its cores. Empty where the
// topology has no port: then the transport chooses.
[[nodiscard]] std::vector<std::string> ports_of_rank(Group& group, const std::string& device);

// The Place of this rank: memory and stream of `device`, and ports for a transport that uses them (Abilities::ports).
// `own_streams`: with a stream-ordered transport each lane has its own stream, where the device has several. Collective. Throws
// Error(usage).
[[nodiscard]] Place make_place(Group& group, const Transport& transport, Device& device, std::size_t lanes, bool own_streams);

// The ports with the best class of path to the GPU with this key; none where no path is known.
[[nodiscard]] std::vector<std::string> ports_near_gpu(const topo::Paths& paths, const std::string& gpu,
                                                      const std::vector<topo::ComputePort>& ports);
// The ports on the NUMA nodes of a rank's cores; all ports where those nodes have none.
[[nodiscard]] std::vector<std::string> ports_near_cores(const std::vector<topo::ComputePort>& ports,
                                                        const std::vector<std::string>& nodes);
// The ports of rank `me` of a host, in order: near[r] has the ports near to rank r. Ranks with the same ports each begin with
// another port.
[[nodiscard]] std::vector<std::string> dealt(const std::vector<std::vector<std::string>>& near, std::size_t me);

}  // namespace railgauge
