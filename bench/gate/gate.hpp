// `railgauge gate` without its command line: runs a suite, compares it with the history or with its control, measures slow cases
// again, and decides whether the pipeline continues.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge {

struct GateOptions {
  std::vector<std::string> command;  // words: a railgauge bench, to which "-o FILE" is added
  std::string control;               // the accepted build (bench/gate/gate_control.hpp); empty: the history judges speed
  std::string history;               // a file, or postgresql://...
  std::string label;
  std::vector<std::string> outputs;  // .xml, .md, .json, .html, .jsonl
  Seconds deadline{};                // of a launch
  bool strict = false;               // too short a history is no pass
  bool annotate = false;             // workflow commands of GitHub Actions on standard output
  std::string step_summary;          // file that Markdown is added to; empty: none
  std::int64_t now = 0;              // seconds since 1970, UTC
};

// Writes the findings to `to` and returns the exit code: 0 passed; 1 regressed or failed; 4 a case is missing, or the history is
// too short and `strict` is set; 6 wrong data. Throws Error(usage) when the suite cannot be run, and Error(lost) when
// interrupted; the history is unchanged then.
int run_gate(const GateOptions& options, std::FILE* to);

}  // namespace railgauge
