// Schedules broken at random, to show that the verifier bites. A mutant that the verifier passes must also run right.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/verify/verify.hpp"

namespace railgauge::test {

enum class Mutation : std::uint8_t {
  drop_end,            // a send or receive, its counterpart stays
  drop_transfer,       // both ends
  swap_transfers,      // two transfers of one rank change places
  retarget_blocks,     // a transfer names a neighbouring block or slot, or another buffer
  retarget_peer,       // a transfer names another rank
  duplicate_end,       // a send or receive once more, in the same round or another
  duplicate_transfer,  // both ends once more, in the same rounds
  move_local,          // a local to another place in its round, or to another round
  drop_local,
};
inline constexpr std::size_t mutation_count = 9;
[[nodiscard]] std::string_view name(Mutation mutation);

struct Mutant {
  const Algorithm* algorithm = nullptr;
  Shape shape;
  bool in_place = false;
  Mutation mutation = Mutation::drop_end;
  std::string what;                 // the change, for people
  std::vector<Schedule> schedules;  // of all ranks; do something else than what the algorithm builds
};

// `count` mutants over all algorithms, one after the other, with 2 to 9 ranks; the same for the same seed everywhere.
[[nodiscard]] std::vector<Mutant> mutants(std::uint64_t seed, std::size_t count);

[[nodiscard]] Findings verify(const Mutant& mutant);

}  // namespace railgauge::test
