// How a program is spread over a device, and what is said of one that gave up waiting.
#include "bench/device/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace railgauge {

std::uint32_t blocks_of_lane(const StepProgram& program, const BlockRoom& room, std::string_view device) {
  constexpr std::uint64_t bytes_a_block = 16384;  // of a work, that are worth a block of their own
  const std::size_t lanes = std::max<std::size_t>(1, program.lanes.size());
  const std::size_t at_once = room.at_once / program.sharers / program.streams;
  std::string whose = program.sharers == 1 ? "" : fmt::format(" for each of the {} ranks that share it", program.sharers);
  if (program.streams > 1) whose += fmt::format("{} each of {} streams", whose.empty() ? " for" : " and", program.streams);
  if (lanes > at_once) {
    const char* const advice = program.streams > 1 ? "choose another transport, or more of the GPU" : "choose fewer --lanes";
    throw Error(Fault::usage, fmt::format("{} lane{} on {}, which runs {} blocks at once{}, one for each lane: {}{}", lanes,
                                          lanes == 1 ? "" : "s", device, at_once, whose, advice,
                                          program.sharers == 1 ? "" : ", or fewer ranks for it"));
  }
  if (program.blocks > at_once / lanes)
    throw Error(
        Fault::usage,
        fmt::format("{} blocks for each of {} lane{} on {}, which runs {} at once{}, and all of them wait for each other: "
                    "choose {} or fewer for each lane",
                    program.blocks, lanes, lanes == 1 ? "" : "s", device, at_once, whose, at_once / lanes));
  if (program.blocks != 0) return program.blocks;
  std::uint64_t busiest = 0;
  for (const LaneSteps& lane : program.lanes) busiest = std::max(busiest, lane.busiest_work);
  const std::size_t share = std::max<std::size_t>(1, std::min(at_once, room.multiprocessors / 2) / lanes);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>((busiest + bytes_a_block - 1) / bytes_a_block, 1, share));
}

std::string sentence_of(const GivenUp& what, double seconds) {
  const char* awaited = nullptr;
  switch (what.kind) {
    case StepKind::await_ready:
    case StepKind::take:
      awaited = "a message";
      break;
    case StepKind::await_taken:
      awaited = "word that a message was taken";
      break;
    case StepKind::put:
      awaited = "room for a message";
      break;
    case StepKind::set_ready:
    case StepKind::set_taken:
    case StepKind::work:
      return fmt::format(
          "in lane {} the blocks of the device waited for each other {}", what.lane,
          what.why == GivenUp::Why::told ? "when the run was ended" : fmt::format("for more than {:.3g} s", seconds));
  }
  return fmt::format("in lane {} the device waited for {} (number {} of this run, rank {}) {}", what.lane, awaited, what.ordinal,
                     what.peer,
                     what.why == GivenUp::Why::told ? "when the run was ended" : fmt::format("for more than {:.3g} s", seconds));
}

}  // namespace railgauge
