// `railgauge compare` without its command line, so that tests can call it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace railgauge {

struct CompareOptions {
  std::vector<std::string> base, next;  // results files
  std::vector<std::string> allow;       // conditions that may differ
  std::string band, launch_noise;       // shares such as "3%"; empty: docs/compare.md
  std::string confidence = "95%";
  std::string format = "text";  // or json, csv, markdown
  std::uint64_t seed = 1;
  int interleave = 0;             // launches of each side that are made, interleaved; base and next are then a command each
  std::string output;             // folder that keeps their results; empty: none does
  std::string deadline;           // of each of them; empty: default_launch_deadline
  std::filesystem::path program;  // put before a command that begins with bench
};

inline constexpr const char* default_launch_deadline = "30m";

// Writes the comparison to `to` and gives the exit code: 0 same or better, 1 worse, 4 inconclusive, 5 interrupted. Throws
// Error(usage), and Error(not_comparable) when the two are not of the same thing.
int run_compare(const CompareOptions& options, std::FILE* to);

}  // namespace railgauge
