// Hosts for the tests of preflight: folders with what their kernels would say, and fleets of made-up facts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/validate/preflight/judge.hpp"
#include "bench/validate/preflight/read.hpp"

namespace railgauge::test {

// The files of a host with two RDMA devices of one port each and some kernel settings, below `root`.
void record_host(const std::filesystem::path& root);
void put(const std::filesystem::path& file, const std::string& text);  // with its folders

// An H100-like host of that name: eight GPUs, two NICs, two ports; all are equal but for addresses and counters.
[[nodiscard]] topo::preflight::HostFacts host(const std::string& name);
[[nodiscard]] std::vector<topo::preflight::HostFacts> fleet(std::size_t count);

// Changes, adds or removes facts of a host.
void set(topo::preflight::HostFacts& facts, const std::string& subject, const std::string& name, const std::string& value);
void set_unread(topo::preflight::HostFacts& facts, const std::string& subject, const std::string& name,
                const std::string& reason);
void remove_subject(topo::preflight::HostFacts& facts, const std::string& subject);

// "fault n3:eth0 MTU: 1500; 9000 (7 of 8 hosts)", a line each.
[[nodiscard]] std::string brief(const std::vector<topo::preflight::Difference>& differences);

}  // namespace railgauge::test
