// Memory that kernels may access, and the shadow of it: who wrote and who read each location last. Device pointers are addresses
// of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "tests/softgpu/machine/finding.hpp"
#include "tests/softgpu/machine/order.hpp"

namespace softgpu {

struct Cell;

struct Allocation {
  std::uintptr_t base = 0;
  std::size_t bytes = 0;        // what was asked for, not rounded: leave a gap behind it
  std::string label;            // "cudaMalloc #3 of device 1"
  std::byte* shadow = nullptr;  // Memory::shadow_bytes(bytes) zeroed bytes, the same for all that map the memory; null: made here
  bool shared = false;          // other processes map it
  bool tracked = true;          // false: the host writes it unseen (pinned, managed): nothing is uninitialised
  bool read_only = false;
  int device = -1;  // the GPU that holds it, as Device::number(); -1: none
};

// What the runtime does to memory itself, as findings name it.
enum class Operation : std::uint8_t { copy = 1, fill, stream_write, stream_wait };

// Of one process.
class Memory {
 public:
  struct Entry;  // shadow.hpp

  Memory(World& world, Findings& findings);
  ~Memory();

  // Sparse: most of it is never touched.
  [[nodiscard]] static std::size_t shadow_bytes(std::size_t bytes);

  void add(const Allocation& allocation);
  // From now on an access is one to freed memory, in every process that maps it.
  void free(std::uintptr_t base);
  // The addresses may be given to others.
  void forget(std::uintptr_t base);
  // The last one that begins at or before the address; null when there is none or it ends before the address.
  [[nodiscard]] const Allocation* find(std::uintptr_t address) const;
  // Whether one holds the address and no process has freed it.
  [[nodiscard]] bool is_there(std::uintptr_t address) const;

  // Accesses of the runtime, each an operation of the actor: checked for bounds, freed memory, races, uninitialised reads. They
  // do not touch the memory. Addresses that no allocation holds (ordinary host memory) are not checked.
  void read(Actor& actor, const void* address, std::size_t bytes, Operation operation);
  void write(Actor& actor, const void* address, std::size_t bytes, Operation operation);
  // Both within one operation of the actor.
  void copy(Actor& actor, const void* from, void* to, std::size_t bytes);

  // Values in streams, and host code that looks at flags: the store or load is done, with release or acquire semantics of the
  // system. bytes: 4 or 8.
  void release_store(Actor& actor, void* address, std::uint64_t value, std::size_t bytes);
  [[nodiscard]] std::uint64_t acquire_load(Actor& actor, const void* address, std::size_t bytes);

  // Changes whenever an allocation comes or goes: an Entry is good as long as it does not.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] World& world() const { return world_; }
  [[nodiscard]] Findings& findings() const { return findings_; }

 private:
  friend class Checker;
  struct Use;
  [[nodiscard]] Entry* entry_of(std::uintptr_t address) const;  // as find(), and shortly behind its end
  World& world_;
  Findings& findings_;
  std::map<std::uintptr_t, std::unique_ptr<Entry>> entries_;  // by base
  std::uint64_t changes_ = 0;
};

}  // namespace softgpu
