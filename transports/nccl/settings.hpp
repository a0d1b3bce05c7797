// The settings of the NCCL transport (--set nccl.NAME=VALUE).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.hpp"

namespace railgauge::nccl {

// What NCCL knows of the buffers before it works on them.
enum class Buffers : std::uint8_t {
  plain,       // nothing
  registered,  // where they are (ncclCommRegister, of NCCL 2.19), for paths without copies
  symmetric,   // a window of all ranks' (ncclCommWindowRegister, of NCCL 2.27), for its symmetric kernels
};

struct Options {
  // Ranks of one host may share a GPU. NCCL refuses that, unless they are shown to it as different hosts: they speak over sockets
  // then, which says nothing about a link.
  bool shared_gpu = false;
  Buffers buffers = Buffers::plain;
  // How long ranks may take to meet, and a call of NCCL to return. Empty: a minute, and a tenth of a second for each rank, since
  // some connect to all others, one after the other.
  std::optional<std::chrono::milliseconds> deadline;
  // NCCL's own variables with their values.
  std::vector<std::pair<std::string, std::string>> environment;
};

// The names: `shared_gpu` (off or on, off by default), `buffers` (by the names above), `deadline` and any NCCL_... name. Throws
// Error(usage) that lists them when one is unknown.
[[nodiscard]] Options read_options(const Settings& settings);

// Puts into the environment what NCCL is to read there when it starts; of ranks that share a GPU each gets a host's name of its
// own. Throws Error(usage) where the environment asks for what cannot be done.
void apply(const Options& options, const Group& group);

// What everything waits for at most, and whom to ask when that is over. After apply().
struct Patience {
  std::chrono::milliseconds deadline;
  std::string ras;  // address of NCCL's RAS service (ras.hpp); empty: it is switched off
};
[[nodiscard]] Patience patience_of(const Options& options, const Group& group);

}  // namespace railgauge::nccl
