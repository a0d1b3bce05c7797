// A judgement of the gate as text: for people, for pipelines, and for their pages. Pure functions; each text ends with a newline.
#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"
#include "reports/gate/judge.hpp"

namespace railgauge::gate {

// "passed", "stopped" or "inconclusive".
[[nodiscard]] const char* verdict_word(const Judgement& judgement) noexcept;

// What was judged.
struct Run {
  std::string id, label, host;
  Seconds took{};
};

[[nodiscard]] std::string to_text(const Run& run, const Judgement& judgement);
[[nodiscard]] std::string to_markdown(const Run& run,
                                      const Judgement& judgement);  // of a step of GitHub Actions, or a merge request
[[nodiscard]] std::string to_junit(const Run& run, const Judgement& judgement);  // docs/junit.xsd; a case a test
[[nodiscard]] std::string to_json(const Run& run, const Judgement& judgement);   // docs/gate.schema.json
[[nodiscard]] std::string to_github(const Judgement& judgement);                 // workflow commands

}  // namespace railgauge::gate
