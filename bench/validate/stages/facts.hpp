// Reads facts of hosts through their workers, and makes them evidence for or against a suspected host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/preflight/read.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// Asks the first rank of each host; the result lacks those that do not answer.
[[nodiscard]] std::map<Index, topo::preflight::HostFacts> read_facts_of(ValidationRun& run, const std::string& stage,
                                                                        const std::vector<Index>& hosts,
                                                                        topo::preflight::Extent extent);

// Returns what the host told in the preflight, how fast it is by itself, and the errors that its ports have counted since. `rail`
// is that of a NIC; npos stands for the whole host.
[[nodiscard]] Evidence evidence_of(ValidationRun& run, const std::string& stage, Index host, Index rail);

// Returns a port by which ranks send and which has no link now, by what the host says of itself; empty where all have one or it
// does not answer.
[[nodiscard]] std::string port_without_link(ValidationRun& run, const std::string& stage, Index host);
// Names the rails of a host after its RDMA ports, in their order, where nobody said by which ports ranks send and the host has as
// many ports as ranks.
void learn_ports(ValidationRun& run);

}  // namespace railgauge::validate
