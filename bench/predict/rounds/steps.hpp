// One rank's schedule without its buffers: who sends how many blocks to whom in each round, and what is moved in memory then.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/layout.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::predict {

// Whose sizes a block has: those of the input, of the output, or of the one of them that has more blocks (scratch).
enum class Numbering : std::uint8_t { input, output, data };

struct Amount {
  Numbering numbering = Numbering::input;
  std::uint32_t first = 0, count = 0;
};

struct Message {
  std::int32_t peer = 0;
  bool sends = true;
  Amount amount;
};

// Locals of one round into the same blocks that are fused into one pass: each operand is read once, the target written once.
struct Pass {
  Amount amount;
  std::uint32_t operands = 1;
};

struct Steps {
  std::uint32_t blocks = 0;  // Schedule::blocks
  std::vector<Message> messages;
  std::vector<Pass> passes;
  std::vector<std::uint32_t> message_starts = {0}, pass_starts = {0};  // of each round, and the end of the last

  [[nodiscard]] std::size_t rounds() const { return message_starts.size() - 1; }
  [[nodiscard]] std::span<const Message> messages_of(std::size_t round) const {
    return std::span(messages).subspan(message_starts[round], message_starts[round + 1] - message_starts[round]);
  }
  [[nodiscard]] std::span<const Pass> passes_of(std::size_t round) const {
    return std::span(passes).subspan(pass_starts[round], pass_starts[round + 1] - pass_starts[round]);
  }
};

[[nodiscard]] Steps steps_of(const Algorithm& algorithm, const Shape& shape);
// One round of them alone, counted from 0; nothing of those that have fewer.
[[nodiscard]] Steps one_round(const Steps& steps, std::size_t round);
// The steps of a group's ranks, for `groups` such groups one behind the other.
[[nodiscard]] std::vector<Steps> side_by_side(const std::vector<Steps>& steps, std::int32_t groups);

// Bytes of the blocks of one rank, or of each of its lanes' equal parts of them.
class Sizes {
 public:
  Sizes(Collective collective, const Shape& shape, std::uint32_t blocks, std::uint64_t elements, std::size_t element_bytes,
        std::span<const std::uint64_t> counts = {}, unsigned lanes = 1);  // counts as in divide()
  [[nodiscard]] double bytes(const Amount& amount) const {
    const std::vector<std::uint64_t>& sums = sums_[static_cast<std::size_t>(amount.numbering)];
    return static_cast<double>(sums[amount.first + amount.count] - sums[amount.first]) / lanes_;
  }

 private:
  double lanes_;
  std::vector<std::uint64_t> sums_[3];  // by Numbering: bytes of the blocks before each
};

// The bytes that all passes of a round read and write.
[[nodiscard]] double moved(const Steps& steps, const Sizes& sizes, std::size_t round);

}  // namespace railgauge::predict
