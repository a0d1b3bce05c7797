// What the machine found wrong, in readable sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace softgpu {

struct Finding {
  enum class Kind : std::uint8_t { race, bounds, freed, unknown_address, misaligned, uninitialised, read_only, deadlock };
  // An access: where in the sources, or what the runtime did ("a copy").
  struct Source {
    std::string kernel;  // empty: an operation of the runtime
    std::string text;    // "walk.cuh:93, called at steps.cuh:160"
    bool writes = false;
    std::uint32_t block = 0, thread = 0;  // linear; thread: `many` when several read
  };
  Kind kind = Kind::race;
  Source access, other;  // `other` of races alone
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::string allocation;  // empty: none
  std::uint64_t offset = 0, allocation_bytes = 0;
  std::string waiting;  // of deadlocks: who waits where
  std::uint64_t times = 1;
};

[[nodiscard]] std::string_view name_of(Finding::Kind kind);
// One sentence.
[[nodiscard]] std::string sentence(const Finding& finding);

// Those of one process. The same fault at the same two places is one finding, counted.
class Findings {
 public:
  void add(Finding finding);
  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

}  // namespace softgpu
