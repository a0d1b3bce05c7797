// How this process was launched, told from its environment alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

// The value of a variable of the environment, or nothing. A snapshot that main took; nothing here asks the system.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

struct Launch {
  enum class Kind : std::uint8_t {
    alone,       // started by hand, or by a script within an allocation
    pmix,        // a launcher that offers PMIx started this process as one of several, or of one
    unreadable,  // a launcher started several, in a way that this process cannot join
  };
  Kind kind = Kind::alone;
  std::string launcher;  // "mpirun of Open MPI", "srun", "mpiexec of MPICH"; empty when alone
  int ranks = 1;         // as the environment says; 0 when it does not
  std::string node;      // the launcher's name of this node, where the environment has a better one than PMIx; else empty
  std::string advice;    // what to do when PMIx is not usable after all, or when unreadable; a sentence
};

[[nodiscard]] Launch detect_launch(const Environment& environment);

// Throws Error(usage) when the launch is unreadable, or PMIx was offered and is not usable because of `reason`, and more than
// one process was started: each would believe that it is alone.
void refuse_singletons(const Launch& launch, std::string_view reason = {});

}  // namespace railgauge
