// Plans of drawn sizes one after the other over the same flags, as the stream of a device runs them: a thousand runs of which no
// rank waits for the end of another's.
#include "tests/plan/walk_cases.hpp"
#include "tests/plan/walk_drawn.hpp"

namespace railgauge {
namespace {

using namespace test;
using namespace walk_cases;

// Coroutines change stacks, which the thread sanitizer does not follow; nothing in them races.
#ifndef __SANITIZE_THREAD__

// One plan of a rank and its buffers.
struct Prepared {
  std::unique_ptr<RankParts> parts;
  std::unique_ptr<DrawnProgram> program;
  std::byte* buffers = nullptr;
  Values expected;
};

// What is wrong when all ranks run plans of this algorithm, which of the sizes comes next being drawn; empty when nothing is.
std::string run_sequence(std::string_view algorithm, int ranks, const std::vector<std::uint64_t>& sizes, std::size_t runs,
                         std::uint32_t seed) {
  Ranks all(ranks);
  SeenByAll endpoint(all.flags, all.memory);
  Coroutines turns(seed);
  const auto device = make_host_device();
  const auto compute = device->compute(Type::uint32, Op::sum);
  const BlockShape shape{1 + seed % 2, 1 + seed % 3};
  std::vector<std::vector<Prepared>> prepared(all.memory.size());
  std::list<StepProgram> programs;
  for (std::size_t rank = 0; rank < all.memory.size(); ++rank) {
    std::byte* next = all.memory[rank].data();
    for (const std::uint64_t elements : sizes) {
      CollectiveSpec spec;
      spec.algorithm = find_algorithm(Collective::all_reduce, algorithm);
      spec.type = Type::uint32;
      spec.op = Op::sum;
      spec.shape = {ranks, static_cast<std::int32_t>(rank), 0, 1};
      spec.elements = elements;
      Prepared& made = prepared[rank].emplace_back();
      made.parts = std::make_unique<RankParts>(spec);
      made.buffers = next;
      // The plan finds its buffers `set` times their size behind the region: here each has a region of its own.
      endpoint.place(rank, next);
      next += (made.parts->mine().set_bytes(spec.type) + 63) / 64 * 64;
    }
  }
  for (std::size_t rank = 0; rank < all.memory.size(); ++rank)
    for (std::size_t plan = 0; plan < sizes.size(); ++plan) {
      Prepared& made = prepared[rank][plan];
      std::vector<StepProgram> collected;
      const auto collector = collecting(made.parts->spec(), collected);
      (void)make_mapped_plan(*made.parts, endpoint, *collector, all.sequences[rank], plan, 0);
      programs.push_back(std::move(collected.front()));
      made.program = std::make_unique<DrawnProgram>(programs.back(), *compute, sizeof(std::uint32_t), shape, turns);
      const auto& layout = made.parts->mine().layout;
      const Values input = input_of(made.parts->spec(), seed + plan, static_cast<std::int32_t>(rank), layout.sizes());
      if (!input.empty())
        std::memcpy(made.buffers + layout.input().begin * sizeof(std::uint32_t), input.data(),
                    input.size() * sizeof(std::uint32_t));
      made.expected = expected_output(made.parts->spec(), seed + plan, made.parts->mine().schedule.blocks);
    }
  std::minstd_rand dice(seed);
  std::vector<std::size_t> order;
  for (std::size_t run = 0; run < runs; ++run) order.push_back(dice() % sizes.size());
  std::string mistakes;
  std::vector<std::size_t> over(all.memory.size()), ended(all.memory.size());
  const std::size_t threads = std::size_t{shape.blocks} * shape.threads;
  for (std::size_t rank = 0; rank < all.memory.size(); ++rank)
    for (unsigned block = 0; block < shape.blocks; ++block)
      for (unsigned thread = 0; thread < shape.threads; ++thread)
        turns.add([&, rank, block, thread, threads] {
          for (std::size_t run = 0; run < order.size() && !turns.stuck; ++run) {
            Prepared& made = prepared[rank][order[run]];
            made.program->walk(0, block, thread);
            ++turns.progress;
            if (++over[rank] == threads * (run + 1)) {
              std::byte* const output = made.buffers + made.parts->mine().layout.output().begin * sizeof(std::uint32_t);
              const std::size_t bytes = made.expected.size() * sizeof(std::uint32_t);
              if (bytes != 0 && std::memcmp(output, made.expected.data(), bytes) != 0 && mistakes.empty())
                mistakes = "run " + std::to_string(run) + ", rank " + std::to_string(rank);
              std::memset(output, 0xa5, bytes);
              ++ended[rank];
            }
            while (ended[rank] <= run && !turns.stuck) turns.pause();  // the next kernel begins behind this one
          }
        });
  return turns.run() ? mistakes : "stuck";
}

TEST_CASE("walk: a thousand runs of drawn sizes follow each other") {
  // Packets alone; packets and what is read where it lies; with slots for the ranks of a node and for more.
  const std::vector<std::uint64_t> small = {0, 1, 2, 9, 63, 255}, mixed = {1, 63, 255, 256, 700};
  for (const std::string_view algorithm : {"one_shot", "two_shot", "ring", "recursive_doubling"})
    for (const int ranks : {2, 4, 9}) {
      if (!find_algorithm(Collective::all_reduce, algorithm)->refusal({ranks, 0, 0, 1}).empty()) continue;
      CAPTURE(algorithm, ranks);
      CHECK(run_sequence(algorithm, ranks, small, ranks == 2 ? 1000 : 100, 7U + static_cast<unsigned>(ranks)) == std::string());
      CHECK(run_sequence(algorithm, ranks, mixed, ranks == 2 ? 1000 : 100, 11U + static_cast<unsigned>(ranks)) == std::string());
    }
}
#endif

}  // namespace
}  // namespace railgauge
