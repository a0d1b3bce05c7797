// The settings of the NCCL transport (--set nccl.NAME=VALUE).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "transports/transport.hpp"

namespace railgauge::nccl {

struct Options {
  // Ranks of one host may share a GPU. NCCL refuses that, unless they are shown to it as different hosts: they speak over sockets
  // then, which says nothing about a link.
  bool shared_gpu = false;
  // Registers the buffers with the communicator (ncclCommRegister, of NCCL 2.19), for paths without copies.
  bool registers = false;
  // NCCL's own variables with their values.
  std::vector<std::pair<std::string, std::string>> environment;
};

// The names: `shared_gpu`, `register` (each off or on, off by default) and any NCCL_... name. Throws Error(usage) that lists them
// when one is unknown.
[[nodiscard]] Options read_options(const Settings& settings);

// Puts into the environment what NCCL is to read there when it starts; of ranks that share a GPU each gets a host's name of its
// own. Throws Error(usage) where the environment asks for what cannot be done.
void apply(const Options& options, const Group& group);

}  // namespace railgauge::nccl
