// A collective as data: the rounds, peers and blocks of one rank. No pointers, no bytes, no devices, no network.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace railgauge {

enum class Buffer : std::uint8_t { input, output, scratch };
inline constexpr std::string_view buffer_names[] = {"input", "output", "scratch"};  // by Buffer

// Blocks [first, first + count) of this rank's buffer. Blocks are numbered within the buffer (docs/schedules.md has the table
// of what each collective's input and output hold); how many bytes a block has is the Layout's business. In scratch, `first`
// and `count` say which data it is (numbered as in the one of input and output that has more blocks, input where they are
// equal) and `slot` where it lies: block first + i starts i blocks behind the start of the slot.
struct Blocks {
  Buffer buffer = Buffer::input;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t slot = 0;
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

// The n-th send from p to q meets the n-th receive of q from p, and both have the same bytes.
struct Transfer {
  enum class Kind : std::uint8_t { send, receive };
  Kind kind = Kind::send;
  std::int32_t peer = 0;
  Blocks blocks;
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

// copy: target = source. reduce: target = target op source. Both have the same bytes.
struct Local {
  enum class Kind : std::uint8_t { copy, reduce };
  Kind kind = Kind::copy;
  Blocks source, target;
  friend bool operator==(const Local&, const Local&) = default;
};

// All transfers of a round are in flight together; when they are complete the locals run in order. A copy directly before the
// reduces of the same target in one round is fused with them by the plan (three-operand kernels), so write it there.
struct Round {
  std::vector<Transfer> transfers;
  std::vector<Local> locals;
  friend bool operator==(const Round&, const Round&) = default;
};

struct Schedule {
  std::uint32_t blocks = 0;  // how many blocks the buffer with more blocks has
  std::uint32_t slots = 0;   // scratch slots, each as large as the largest block
  std::vector<Round> rounds;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

enum class Directions : std::uint8_t {
  both,      // each rank of a pair sends to the other
  upward,    // the lower rank sends
  downward,  // the higher rank sends
};

// The input of a builder of schedules: the rank, and the parameters that all ranks agree on.
struct Shape {
  std::int32_t ranks = 1;
  std::int32_t rank = 0;
  std::int32_t root = 0;
  std::int32_t ranks_per_node = 1;           // ranks are numbered node by node; used by hierarchical algorithms
  std::uint32_t window = 8;                  // messages in flight together in stream and bidirectional, at least 1
  std::uint64_t seed = 1;                    // of permutation
  std::int32_t round = -1;                   // pairs: the only round of it, or all
  Directions directions = Directions::both;  // pairs: who sends in a round; stream: downward for 1 to 0, else 0 to 1
};

// pairs: whether a rank sends to its partner, and whether it receives from it.
[[nodiscard]] inline bool sends_to(const Shape& shape, std::int32_t peer) {
  return shape.directions == Directions::both || (shape.directions == Directions::upward) == (shape.rank < peer);
}
[[nodiscard]] inline bool receives_from(const Shape& shape, std::int32_t peer) {
  return shape.directions == Directions::both || (shape.directions == Directions::upward) == (peer < shape.rank);
}

}  // namespace railgauge
