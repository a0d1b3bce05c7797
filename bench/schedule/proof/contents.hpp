// What each block holds while a program runs, symbolically: which block of the inputs it is, and whose contributions are reduced
// in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/proof/memory.hpp"
#include "bench/schedule/verify/contributors.hpp"

namespace railgauge {

// Block `block` of the inputs of `ranks`, reduced. Undefined data has no block; data of a reduction that makes no sense has none
// either, and says which one it was.
struct Value {
  std::uint32_t block = nothing;
  Contributors::Set ranks = 0;
  std::uint32_t mistake = nothing;  // in Contents::mistakes()
  friend bool operator==(const Value&, const Value&) = default;
};

// A reduction of what must not be reduced: the same contribution twice, two different blocks, or undefined data.
struct BadReduction {
  std::uint32_t step = 0;
  Value a, b;
};

struct WrongBlock {
  std::int32_t rank = 0;
  std::uint32_t step = nothing;  // that is named as the cause, or that wrote the block last
  std::string sentence;
};

// The program and the table outlive it.
class Contents {
 public:
  // Runs the steps in `order`, a complete execution of a program whose messages have one number of blocks at both ends.
  Contents(const Program& program, const StepTable& table, std::span<const std::uint32_t> order, bool in_place);

  // The blocks of the output that differ from what `collective` must give, in a rooted one with this root: `most` of them, and
  // how many there are.
  [[nodiscard]] std::vector<WrongBlock> wrong(Collective collective, std::int32_t root, std::size_t most);
  [[nodiscard]] bool right(Collective collective, std::int32_t root);
  [[nodiscard]] std::size_t count_wrong() const { return count_; }  // of the latest wrong()

 private:
  struct Cell {
    Value value, overwritten;
    std::uint32_t writer = nothing, overwriter = nothing;
  };
  void run(std::uint32_t step);
  void move(std::uint32_t step, const Step& it);
  Value reduced(const Value& a, const Value& b, std::uint32_t step);
  void store(Cell& cell, const Value& value, std::uint32_t step);
  [[nodiscard]] std::optional<Value> expected(Collective collective, std::int32_t root, std::int32_t rank,
                                              std::uint32_t block) const;
  [[nodiscard]] WrongBlock explain(std::int32_t rank, std::uint32_t block, const Cell& cell, const Value& wanted) const;
  [[nodiscard]] std::string text(const Value& value) const;
  [[nodiscard]] bool is_part(const Value& part, const Value& whole) const;  // of contributions
  [[nodiscard]] std::string missing(const Value& wanted, const Cell& cell, std::uint32_t& step) const;

  const Program& program_;
  const StepTable& table_;
  std::int32_t ranks_;
  Contributors contributors_;
  std::vector<Places> places_;
  std::vector<std::vector<Cell>> cells_;
  std::vector<std::vector<Value>> messages_;  // by the step that sent them
  std::vector<BadReduction> mistakes_;
  std::size_t count_ = 0;
};

}  // namespace railgauge
