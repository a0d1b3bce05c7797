// What all processes of a run share: who is who, which unit is of which operation, what was released at which flag, who reads
// together, and what is resident on each device. Lies in a zeroed segment of shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace softgpu {

// Something that was done, as shadow memory names it: by a thread of a unit, which is a block of a running grid or a whole
// operation of the runtime. Thread `many`: by several threads of the block, all of them after its last barrier but one.
struct Access {
  std::uint32_t unit = 0;  // 0: nothing yet
  std::uint32_t clock = 0;
  std::uint32_t thread : 11 = 0, site : 21 = 0;
};
inline constexpr std::uint32_t many = 1024;
inline constexpr std::uint32_t most_sites = 1U << 21;

// That all is known which `key` stands for, up to a time.
struct Known {
  std::uint64_t key;
  std::uint64_t until;
};

// Calls of one process must not overlap. Those of several processes may. A process that dies within a call does not stop the
// others.
class World {
 public:
  // Most of it is never touched.
  static constexpr std::size_t bytes = std::size_t{3} << 30;
  static constexpr std::uint32_t devices = 64, multiprocessors = 256;  // of each; numbered from 0 on

  // `segment` is zeroed when the first process of the run comes. Aligned to pages.
  explicit World(std::byte* segment);

  // These numbers begin with 1. When there are no more of a kind, std::length_error says of which.
  [[nodiscard]] std::uint16_t new_actor();
  // What a unit is part of: operation number `tick` of an actor; a block of a kernel on a device.
  struct Operation {
    std::uint64_t tick;
    std::uint32_t block;
    std::uint16_t actor;
    std::uint16_t device;  // host_side: none
  };
  static constexpr std::uint16_t host_side = 0xffff;
  [[nodiscard]] std::uint32_t new_unit(const Operation& operation);
  [[nodiscard]] const Operation& operation_of(std::uint32_t unit) const;

  // Places where knowledge is left for others: flags, and events of other processes. Never 0.
  struct Left {
    std::uint32_t version = 0;  // 0: nothing
    std::uint32_t scope = 0;    // of abi.h
    std::uint32_t unit = 0;     // who left it
    std::vector<Known> known;
  };
  [[nodiscard]] std::uint32_t new_place();
  void leave(std::uint32_t place, std::uint32_t scope, std::uint32_t unit, const std::vector<Known>& known);
  [[nodiscard]] std::uint32_t version(std::uint32_t place) const;
  [[nodiscard]] Left left(std::uint32_t place) const;

  // Sets of concurrent readers of one location, one of a unit. 0 is the empty one. Those are dropped that `is_before` says are
  // known to the new one. `phase`: reads of the unit since then are merged.
  [[nodiscard]] std::uint32_t add_reader(std::uint32_t set, const Access& access, std::uint32_t phase,
                                         const std::function<bool(const Access&)>& is_before);
  [[nodiscard]] std::vector<Access> readers(std::uint32_t set) const;
  void drop_readers(std::uint32_t set);

  // What is resident on multiprocessors: by device, and by process so that what a dead one had counts no more.
  struct Resident {
    std::uint32_t blocks, threads, registers, shared_bytes;
  };
  // Adds where the sum stays within `most`; false otherwise.
  [[nodiscard]] bool admit(std::uint32_t device, std::uint32_t multiprocessor, const Resident& block, const Resident& most);
  void withdraw(std::uint32_t device, std::uint32_t multiprocessor, const Resident& block);

 private:
  struct Segment;
  Segment* segment_;
};

}  // namespace softgpu
