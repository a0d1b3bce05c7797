// Where the blocks of a rank's buffers lie when input and output coincide and when they do not, and which blocks a step touches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// In place, input and output share storage as NCCL has it: the same buffer, or the rank's own part of the larger one.
class Places {
 public:
  Places(const Program& program, std::size_t rank, bool in_place) {
    const BufferBlocks whole = buffer_blocks(program);
    const auto own = static_cast<std::uint32_t>(rank);
    if (!in_place) {
      output_ = whole.input;
      scratch_ = whole.input + whole.output;
    } else {
      if (whole.output > whole.input) input_ = own * whole.input;
      if (whole.input > whole.output) output_ = own * whole.output;
      scratch_ = whole.input > whole.output ? whole.input : whole.output;
    }
    size_ = scratch_ + program.ranks[rank].scratch;
  }
  [[nodiscard]] std::uint32_t at(Buffer buffer, std::uint32_t block) const {
    return (buffer == Buffer::input ? input_ : buffer == Buffer::output ? output_ : scratch_) + block;
  }
  [[nodiscard]] std::uint32_t source(const Step& step) const { return at(step.source_buffer, step.source); }
  [[nodiscard]] std::uint32_t target(const Step& step) const { return at(step.target_buffer, step.target); }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  std::uint32_t input_ = 0, output_ = 0, scratch_ = 0, size_ = 0;
};

}  // namespace railgauge
