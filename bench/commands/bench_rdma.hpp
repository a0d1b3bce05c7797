// Options of `railgauge bench` that people know from programs for RDMA: each is a setting of a transport.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "transports/transport.hpp"

namespace railgauge {

// What was given; must outlive the command.
struct GivenRdma {
  std::map<std::string, std::string> values;  // by option
  bool events = false;
};

void add_rdma_options(CLI::App& command, GivenRdma& given);

// Adds what was given to `settings`, by transport. Throws Error(usage) where --set says another thing of the same, or --port
// stands without --device.
void read_rdma_options(const GivenRdma& given, std::map<std::string, Settings>& settings);

}  // namespace railgauge
