// Which ports the lanes of a rank use: those nearest to its GPU, or to its cores.
#pragma once

#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "topo/path.hpp"
#include "topo/ports.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Collective. The ports for the lanes of this rank, one after the other, from the topology of its host, which the first rank
// there reads: those nearest to its GPU at the PCI address `device`, or where that is empty to its cores. Empty where it tells of
// no port: then the transport chooses.
[[nodiscard]] std::vector<std::string> ports_of_rank(Group& group, const std::string& device);

// Where the lanes of this rank stand: at memory of `device`, in its stream, and at ports for a transport that asks for them
// (Abilities::ports). `own_streams`: for a transport that works in streams each has its own, where the device has several.
// Collective. Throws Error(usage).
[[nodiscard]] Place make_place(Group& group, const Transport& transport, Device& device, std::size_t lanes, bool own_streams);

// Those with the best class of path to the GPU with this key; none where no path is known.
[[nodiscard]] std::vector<std::string> ports_near_gpu(const topo::Paths& paths, const std::string& gpu,
                                                      const std::vector<topo::ComputePort>& ports);
// Those on the NUMA nodes of a rank's cores, or all where there are none.
[[nodiscard]] std::vector<std::string> ports_near_cores(const std::vector<topo::ComputePort>& ports,
                                                        const std::vector<std::string>& nodes);
// Of the ranks of a host rank `me`'s ports: `near` has those near to each. Ranks that have the same begin each with another.
[[nodiscard]] std::vector<std::string> dealt(const std::vector<std::vector<std::string>>& near, std::size_t me);

}  // namespace railgauge
