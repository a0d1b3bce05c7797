// Whether an algorithm of others is right: its data, its waits and its order, for every execution that is possible. No hardware,
// no bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

enum class FindingKind : std::uint8_t {
  message,      // the two ends of a connection do not agree
  deadlock,     // thread blocks wait for each other, or for what never comes
  not_awaited,  // a step is waited for that does not say so (hasdep): MSCCL never sets its flag
  race,         // two thread blocks access a block, and nothing orders them
  data,         // a block of the output ends wrong
};
[[nodiscard]] std::string_view name(FindingKind) noexcept;

struct ProofFinding {
  std::optional<FindingKind> kind;  // none where it is of schedules, of which verify() says sentences
  std::string sentence;
  std::vector<std::string> details;  // the waits of a deadlock
  // Where it shows; -1 and 0 where it has no such place.
  std::int32_t rank = -1, thread_block = -1, step = -1;
  std::size_t line = 0;
};

struct Proof {
  std::vector<ProofFinding> findings;  // none: proved; at most `findings_shown` of a kind
  std::size_t wrong_blocks = 0;        // of the outputs
  std::optional<std::int32_t> root;    // of a rooted collective that is right
  // Messages that a connection must hold so that nothing is stuck: 0 runs unbuffered (a send completes with its receive);
  // nothing where no number helps.
  std::optional<std::uint32_t> buffering;
  // What it does instead of what it says: "reduce to rank 0"; empty where that is no known collective either.
  std::string instead;
  std::vector<std::string> notes;  // limits of MSCCL's and RCCL's own readers that it exceeds
  [[nodiscard]] bool right() const { return findings.empty(); }
};
inline constexpr std::size_t findings_shown = 8;

// Precondition: check_program() found nothing. Throws Error(usage) where a proof would take too long.
[[nodiscard]] Proof prove(const Program& program);

}  // namespace railgauge
