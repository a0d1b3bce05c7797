// All ranks of drawn walks (tests/plan/drawn_blocks.hpp) in one thread, and the programs of their plans.
#pragma once

#include <list>

#include "tests/plan/walk_cases.hpp"

namespace railgauge::walk_cases {

// The endpoint, and the device, of all ranks in one thread.
class SeenByAll final : public Endpoint {
 public:
  SeenByAll(std::vector<std::vector<std::atomic<std::uint64_t>>>& flags, std::vector<std::vector<std::byte>>& memory) {
    for (auto& table : flags) mapping_.flags.push_back(table.data());
    for (auto& bytes : memory) mapping_.regions.push_back({bytes.data()});
    mapping_.flag_count = flags.front().size();
    mapping_.on_device = true;
  }
  void attach(const Region&) override {}
  std::unique_ptr<Exchange> prepare(std::size_t, std::vector<std::vector<Message>>) override { return nullptr; }
  const Mapping* mapping() const override { return &mapping_; }
  // One more region of this rank.
  void place(std::size_t rank, std::byte* address) {
    std::vector<std::byte*>& regions = mapping_.regions[rank];
    if (!placed_)
      for (auto& of_rank : mapping_.regions) of_rank.clear();
    placed_ = true;
    regions.push_back(address);
  }

 private:
  Mapping mapping_;
  bool placed_ = false;
};
class Nothing final : public StepRunner {
 public:
  void enqueue() override {}
  void check() override {}
  [[nodiscard]] std::uint32_t multiprocessors() const override { return 1; }
};
// Keeps the programs that it is given.
inline std::unique_ptr<LateCompute> collecting(const CollectiveSpec& spec, std::vector<StepProgram>& programs) {
  auto made = std::make_unique<LateCompute>(make_host_device()->compute(spec.type, spec.op));
  made->steps = [&programs](const StepProgram& program) {
    programs.push_back(program);
    return std::make_unique<Nothing>();
  };
  return made;
}

struct Ranks {
  explicit Ranks(int count) : memory(static_cast<std::size_t>(count), std::vector<std::byte>(std::size_t{1} << 20)) {
    for (std::size_t rank = 0; rank < memory.size(); ++rank) {
      flags.emplace_back(flags_needed(most_lanes, memory.size()));
      sequences.emplace_back(most_lanes, memory.size());
    }
  }
  std::vector<std::vector<std::atomic<std::uint64_t>>> flags;
  std::vector<MappedSequence> sequences;
  std::vector<std::vector<std::byte>> memory;
};

}  // namespace railgauge::walk_cases
