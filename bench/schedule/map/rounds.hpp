// In which round each message of a program is sent, and each step done, so that rounds keep every order that its data depends on.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/read/program.hpp"

namespace railgauge {

// Rounds as a Schedule has them: messages first, then locals. Round 0 has no messages.
struct ProgramRounds {
  std::vector<std::uint32_t> done;      // of each step: the round of its local, or of the latest that it has waited for
  std::vector<std::uint32_t> message;   // of each step that sends: the round of that message; else 0
  std::vector<std::uint32_t> received;  // of each step that receives: the round of that message; else 0
  std::vector<std::uint8_t> buffered;   // of each step that sends: whether a copy of its data, made when it is done, is sent
  bool noted = false;                   // rounds are of each rank for itself, counted from 0, and those without messages count
  std::vector<std::uint32_t> order;     // of the steps in one execution: locals of a round run in it
};

// The message of a step is sent from where it is reduced, and not from a block that has a name.
[[nodiscard]] bool sends_unnamed(StepType kind) noexcept;  // rrs
// The message is received into the block that it is reduced into: the other operand lies elsewhere.
[[nodiscard]] bool receives_in_target(const Program& program, const StepTable& table, std::uint32_t step);

// What a step waits for is kept: the steps before it in its thread block, its dependency and its message; both ends of a message
// have one round. A send does not wait for its receive, but what overwrites the sent block does, since a Schedule holds no
// messages in between: where that would close a circle, the message is buffered.
// Precondition: the program is proved.
[[nodiscard]] ProgramRounds rounds_of(const Program& program, const StepTable& table);

}  // namespace railgauge
