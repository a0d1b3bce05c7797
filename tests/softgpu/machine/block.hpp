// A block that is resident: its threads, each with a stack while it runs, its shared memory, and what it knows.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/softgpu/machine/fiber.hpp"
#include "tests/softgpu/machine/grid.hpp"
#include "tests/softgpu/machine/shadow.hpp"

namespace softgpu {

class Block;

// What the blocks of a grid share.
struct GridContext {
  Device& device;
  const Kernel& kernel;
  Checker checker;
  Stacks& stacks;
  Memory::Entry parameters;
  Random& random;
  Extent grid, block;
  std::uint32_t dynamic_shared = 0, first_site = 0;
  bool checked = true, faulted = false;
  std::uint64_t tick = 0;
  std::uint16_t actor = 0;
  const Knowledge& before;       // of the actor when it began
  Knowledge learned{};           // by blocks that have ended
  std::uint64_t idle_turns = 0;  // since the last progress (Grid::stuck)
  GridCounts counts{};

  void moved() { idle_turns = 0; }
};

struct Thread : sg_thread {
  enum class Doing : std::uint8_t { fresh, ready, waiting, ended };
  Block* resident = nullptr;
  void* stack_end = nullptr;
  std::byte* stack = nullptr;
  Doing doing = Doing::fresh;
  std::uint8_t barrier = 0;
  bool any = false;        // of the last barrier
  std::uint32_t site = 0;  // where it waits or looked last
  std::uint32_t fences = 0;
  std::uint64_t last_address = 0;
  std::unique_ptr<Knowledge> own;  // since the last barrier
  Accessor who;
  struct Seen {
    std::uint32_t site = 0;
    std::uint64_t value = 0;
  };
  std::array<Seen, 8> seen{};  // by loads that synchronise
  std::uint8_t next_seen = 0;

  // Whether the value is another than this site's last one.
  bool is_new(std::uint32_t at, std::uint64_t value);
};

class Block {
 public:
  Block(GridContext& grid, std::uint32_t index, std::uint32_t multiprocessor);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Lets a thread run until it gives way, if it can.
  void run(std::uint32_t number);
  // How many can, and which.
  [[nodiscard]] std::size_t ready() const { return ready_.size(); }
  [[nodiscard]] std::uint32_t ready_thread(std::size_t index) const { return ready_[index]; }
  [[nodiscard]] bool ended() const { return alive_ == 0; }
  [[nodiscard]] std::uint32_t multiprocessor() const { return multiprocessor_; }
  [[nodiscard]] std::string waiting() const;
  // All that its threads know.
  [[nodiscard]] Knowledge known() const;

  // What threads call (abi.cpp).
  void check(Thread& thread, std::uint64_t address, std::uint32_t bytes, std::uint32_t site);
  std::uint64_t synchronise(Thread& thread, std::uint64_t address, std::uint32_t bytes, std::uint32_t site, bool reads,
                            bool writes, std::uint64_t (*act)(void* operands, std::uint64_t address), void* operands);
  // Whether `value` was true in any of the threads that met.
  bool wait(Thread& thread, std::uint32_t barrier, std::uint32_t threads, bool value, std::uint32_t site);
  void wait_for_warp(Thread& thread, std::uint32_t site);
  void give_way(Thread& thread);

 private:
  struct Barrier {
    std::uint32_t arrived = 0, expected = 0;  // expected 0: all that have not ended
    bool any = false;
  };
  static void begin(void* thread);
  void stop(const Thread& thread);
  void end(Thread& thread);
  [[noreturn]] void fault(Thread& thread);
  void count(const Memory::Entry& entry, std::uint32_t bytes, bool reads, bool writes);
  [[nodiscard]] Memory::Entry* entry_for(Thread& thread, std::uint64_t address, std::uint32_t bytes, bool writes);
  void arrive(Thread& thread, std::uint32_t barrier, std::uint32_t threads, std::uint32_t site);
  void pass(std::uint32_t barrier);
  void exchange(Thread& thread, std::uint32_t& place, const Site& site, bool releases, bool acquires, bool reads);
  [[nodiscard]] Knowledge knowledge_of(const Thread& thread) const;

  GridContext& grid_;
  std::uint32_t index_, multiprocessor_, alive_, unit_;
  std::uint64_t highest_clock_ = 1;
  std::uint32_t met_ = 0;  // barriers of all of its threads
  std::vector<std::uint64_t> shared_;
  std::unique_ptr<Memory::Entry> shared_entry_;
  std::array<Memory::Entry*, 4> recent_{};  // that were accessed last
  std::size_t next_recent_ = 0;
  std::uint64_t changes_ = 0;  // of the memory, since `recent_` was good
  std::vector<Thread> threads_;
  std::vector<std::uint16_t> ready_;  // in order
  static constexpr std::uint32_t named = 16, warp = 32, most_warps = 1024 / warp;
  std::array<Barrier, named + most_warps> barriers_{};  // behind the named ones: that of each warp
  Knowledge common_;
  std::array<std::uint32_t, ordered_units> ordered_{};
  std::array<std::uint64_t, remembered_reads> reads_{};
  void* scheduler_ = nullptr;  // the stack that run() was called on
};

}  // namespace softgpu
