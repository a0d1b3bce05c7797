// Detects how this process was launched, from its environment alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "bench/launch/environment_launch.hpp"

namespace railgauge {

struct Launch {
  enum class Kind : std::uint8_t {
    alone,       // started by hand, or by a script within an allocation
    pmix,        // a launcher that offers PMIx started this process as one of several, or of one
    pmi,         // the same of PMI-1
    told,        // variables alone say who this is and where the others are met (bench/launch/environment_launch.hpp)
    unreadable,  // a launcher started several, and this process cannot join them
  };
  Kind kind = Kind::alone;
  std::string launcher;  // "mpirun of Open MPI", "srun", "a launcher with PMI"; empty when alone
  int ranks = 1;         // as the environment says; 0 when it does not
  std::string node;      // the launcher's name of this node, where the environment has a better one than it tells; else empty
  std::string lacks;     // why this process cannot join when unreadable: "it offers no PMIx"
  std::string advice;    // what to do then, or when PMIx is not usable after all; a sentence
  ReadEnvironmentLaunch told = nullptr;  // reads what this process was told
};

[[nodiscard]] Launch detect_launch(const Environment& environment);
// Whether this process is one of several that can join each other.
[[nodiscard]] constexpr bool joins(const Launch& launch) noexcept {
  return launch.kind == Launch::Kind::pmix || launch.kind == Launch::Kind::pmi || launch.kind == Launch::Kind::told;
}

// Throws Error(usage) when more than one process was started and the launch is unreadable, or PMIx was offered and is not usable
// because of `reason`: each process would run alone.
void refuse_singletons(const Launch& launch, std::string_view reason = {});

}  // namespace railgauge
