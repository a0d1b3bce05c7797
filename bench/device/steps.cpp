// What is said of a device that gave up waiting.
#include "bench/device/steps.hpp"

#include <fmt/format.h>

namespace railgauge {

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
