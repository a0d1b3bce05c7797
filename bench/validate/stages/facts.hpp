// Facts of hosts through their workers, and what they say for or against a host that is suspected.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/validate/method/verdict.hpp"
#include "bench/validate/preflight/read.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// By the first rank of each; hosts that do not answer are left out.
[[nodiscard]] std::map<Index, topo::preflight::HostFacts> read_facts_of(ValidationRun& course, const std::string& stage,
                                                                        const std::vector<Index>& hosts,
                                                                        topo::preflight::Extent extent);

// What the host told in preflight and did by itself, and errors that its ports have counted since. `rail`: of a NIC; npos: of
// the host.
[[nodiscard]] Evidence evidence_of(ValidationRun& course, const std::string& stage, Index host, Index rail);

// Of the ports that ranks send by, one of this host that has no link now, by what the host says of itself; empty where all have
// one, or it does not say.
[[nodiscard]] std::string port_without_link(ValidationRun& course, const std::string& stage, Index host);
// Where nobody said which RDMA ports ranks send by, and a host has as many as ranks: names its rails by them, in their order.
void learn_ports(ValidationRun& course);

}  // namespace railgauge::validate
