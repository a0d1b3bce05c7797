// The credit rule: no one-sided write may land on a range that its owner, or an earlier write, is not yet done with. Vector
// clocks say what a sender knows of the others when it writes: of each rank, how many rounds it has posted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/schedule/verify/credits.hpp"
#include "bench/schedule/verify/unbuffered.hpp"

namespace railgauge {

// Of one lane. Time is counted in posts over all runs: the post of round r of run k of a rank is its number k * rounds + r + 1.
class CreditCheck {
 public:
  CreditCheck(const std::vector<TransferEnds>& ranks, const std::vector<std::size_t>& memory_sizes);

  void post(std::int32_t rank, Position at);
  // The message from sender to receiver lands on `target`, and was read from `source`. Returns what is wrong; empty when safe.
  [[nodiscard]] std::string meet(std::int32_t sender, std::uint32_t send, const Range& source, std::int32_t receiver,
                                 std::uint32_t receive, const Range& target, const Credit& credit, std::uint32_t run);
  void touch(std::int32_t rank, Position at, const Range& range);  // by a local
  void complete(std::int32_t rank);
  // How many ranks `rank` knows to have begun.
  [[nodiscard]] std::int32_t known_to_have_begun(std::int32_t rank) const;

 private:
  using Clock = std::vector<std::uint32_t>;
  // The read of a send's source, finished when the reader has posted beyond the round in which it receives.
  struct Reading {
    std::uint32_t posted = 0;  // by the owner, when the read began
    std::int32_t reader = 0;
    std::uint32_t reader_posted = 0;  // by the reader, when it received
    std::uint32_t next = 0;           // index of the next of the same unit; 0 ends the list
  };
  struct Unit {
    std::uint32_t touched = 0;   // posts of the owner at the last access by itself, or at the last receive
    std::uint32_t readings = 0;  // index of the first reading since
  };
  [[nodiscard]] std::uint32_t number(std::int32_t rank, Position at) const {
    return at.run * rounds_[static_cast<std::size_t>(rank)] + at.round + 1;
  }

  std::vector<std::uint32_t> rounds_;
  const std::vector<TransferEnds>& ranks_;
  std::vector<Clock> known_;    // to each rank when it posted its current round
  std::vector<Clock> arrived_;  // what the messages of the current round tell in addition
  std::vector<std::vector<Unit>> memory_;
  std::vector<Reading> readings_;
};

}  // namespace railgauge
