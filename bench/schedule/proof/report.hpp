// Judgements and counts of files of algorithms, in words and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/schedule/proof/counts.hpp"
#include "bench/schedule/proof/proof.hpp"

namespace railgauge {

struct JudgedFile {
  std::string path;
  std::string unreadable;  // why; empty where it was read, and what follows is of the file
  Program program;
  Proof proof;
};

// 0 right, 1 wrong, 2 unreadable (docs/exit-codes.md).
[[nodiscard]] int exit_code(const JudgedFile& file) noexcept;

// One line, and below it what is wrong, indented. Ends with a newline.
[[nodiscard]] std::string to_text(const JudgedFile& file);
// Of all files, in the order given.
[[nodiscard]] std::string to_json(std::span<const JudgedFile> files);

struct CountedFile {
  std::string path;
  Program program;  // of schedules: with no thread blocks and no protocol
  Counts counts;
  std::uint64_t bytes = 0;  // S, where a size is given
};
// "all_reduce of 8 ranks, in place, Simple with 1 channel, 8 blocks, any size".
[[nodiscard]] std::string headline(const Program& program);
// What it costs, and the bounds, a sentence each.
[[nodiscard]] std::vector<std::string> sentences(const CountedFile& file);
[[nodiscard]] std::string to_text(const CountedFile& file);
[[nodiscard]] std::string to_json(std::span<const CountedFile> files);

}  // namespace railgauge
