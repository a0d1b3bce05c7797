// Blocks of a program as a Schedule names them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/read/program.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// Scratch is the program's, behind it those buffers that a program uses and the collective does not give the rank, if there are
// any, and behind them what the mapping adds.
class NamedBlocks {
 public:
  // `root` is -1 where there is none. The program, the table and the origin outlive it.
  NamedBlocks(const Program& program, const StepTable& table, const std::string& origin, std::int32_t root);

  // `count` blocks of that rank that a step accesses. Throws Error(usage) for what a schedule cannot say.
  [[nodiscard]] Blocks at(std::uint32_t step, std::int32_t rank, Buffer buffer, std::uint32_t first, std::uint32_t count) const;
  // The same in scratch that the mapping adds; the data is that of `like`.
  [[nodiscard]] Blocks added(std::uint32_t step, std::int32_t rank, Buffer like, std::uint32_t first, std::uint32_t count,
                             std::uint32_t slot) const;
  // The first slot that the mapping may add.
  [[nodiscard]] std::uint32_t first_added(std::size_t rank) const;

 private:
  [[nodiscard]] bool has(std::size_t rank, Buffer buffer) const;
  [[nodiscard]] bool absent(std::int32_t rank, Buffer buffer, std::uint32_t first, std::uint32_t count) const;
  [[nodiscard]] std::uint32_t data_number(std::size_t rank, Buffer buffer, std::uint32_t first) const;
  [[nodiscard]] Blocks in_scratch(std::uint32_t step, std::uint32_t number, std::uint32_t count, std::uint32_t slot) const;

  const Program& program_;
  const StepTable& table_;
  const std::string& origin_;
  std::int32_t root_;
  BufferBlocks whole_;
  std::vector<bool> uses_absent_;  // of each rank
};

}  // namespace railgauge
