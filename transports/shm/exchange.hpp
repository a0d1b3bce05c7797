// Runs prepared transfers: the sender says that a block lies ready, the receiver reads it where it lies and says that it has.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transports/shm/endpoint.hpp"

namespace railgauge::shm {

// The messages of one run to a peer, or from one.
struct Direction {
  int peer = 0;
  pid_t process = 0;
  Counter* ready = nullptr;  // set by the sender, in the receiver's memory
  Counter* taken = nullptr;  // set by the receiver, in the sender's memory
  std::uint64_t messages = 0;
  double times = 1;  // an injected fault: each copy takes so many times as long
};

// `source` lies in this process, or in the peer's when it must be read through the kernel.
struct Block {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::size_t bytes = 0;
  bool through_kernel = false;
};

// What one round does; counts are from 1 within a run, so "so many".
struct RoundWork {
  struct Count {
    std::size_t direction = 0;
    std::uint64_t count = 0;
  };
  struct Burst {  // blocks [first, last) from one peer, the first of which is message `before` + 1 of the run
    std::size_t direction = 0, first = 0, last = 0, next = 0;
    std::uint64_t before = 0;
  };
  std::vector<Count> sends;  // ready when posted, taken when complete
  std::vector<Burst> bursts;
};

struct PreparedRounds {
  std::vector<Direction> outgoing, incoming;
  std::vector<Block> blocks;
  std::vector<RoundWork> rounds;
};

class ShmExchange final : public Exchange {
 public:
  ShmExchange(PreparedRounds prepared, const Group& group) : prepared_(std::move(prepared)), group_(group) {}
  void post(std::size_t round) override;
  bool test(std::size_t round) override;

 private:
  bool advance(RoundWork::Burst& burst);
  void read(const Direction& from, const Block& block) const;
  void read_slowly(const Direction& from, const Block& block) const;

  PreparedRounds prepared_;
  const Group& group_;
  std::uint64_t run_ = ~std::uint64_t{0};  // the first post of round 0 makes it 0
};

}  // namespace railgauge::shm
