// Shadow memory: for each 16 bytes, as kernels move them, a cell that says who wrote and who read them last, and, where parts of
// them were accessed apart, one for each part. Parts are of 8, 4, 2 or 1 bytes, as the smallest access needs, and the cell of
// each is that of its first byte.
//
//   header | cell of bytes 0..15 | cell of bytes 16..31 | ...     | cell of byte 0 | cell of byte 1 | ...  (mostly never touched)
//
// After FastTrack (Flanagan and Freund, PLDI 2009): a location keeps its last write, and its last read or, where reads are
// concurrent, the set of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "tests/softgpu/machine/memory.hpp"

namespace softgpu {

struct Cell {
  Access write, read;              // read.unit several_units: read.clock is the set of readers
  std::uint32_t place;             // World::new_place(), where knowledge was left here
  std::atomic<std::uint8_t> lock;  // of the first cell of locked_bytes: for all of them
  std::uint8_t part;               // bytes of each part whose own cell holds; 0: this one does
};
static_assert(sizeof(Cell) == 32);
inline constexpr std::uint32_t several_units = 0xffffffff;
inline constexpr std::size_t cell_bytes = 16, locked_bytes = 256;

struct ShadowHeader {
  std::atomic<std::uint32_t> freed;
  std::uint32_t unused[15];
};

// An allocation and where its shadow lies.
struct Memory::Entry {
  Allocation allocation;
  ShadowHeader* header = nullptr;
  Cell* cells = nullptr;
  Cell* byte_cells = nullptr;
  std::uintptr_t first = 0;    // the address that the first cell begins with, a multiple of cell_bytes
  void* own_shadow = nullptr;  // to be unmapped
  std::size_t own_bytes = 0;

  Entry(const Allocation& given);
  ~Entry();
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t bytes) const {
    const std::uintptr_t offset = address - allocation.base;
    return offset < allocation.bytes && allocation.bytes - offset >= bytes;
  }
  [[nodiscard]] bool is_freed() const { return header->freed.load(std::memory_order_relaxed) != 0; }
  // Why such an access is refused. Those of kernels are aligned to their size, which is a power of two.
  [[nodiscard]] std::optional<Finding::Kind> refusal(std::uintptr_t address, std::size_t bytes, bool by_kernel,
                                                     bool writes) const {
    if (!holds(address, bytes)) return Finding::Kind::bounds;
    if (is_freed()) return Finding::Kind::freed;
    if (by_kernel && (address & (bytes - 1)) != 0) return Finding::Kind::misaligned;
    if (writes && allocation.read_only) return Finding::Kind::read_only;
    return std::nullopt;
  }
};

// Who accesses: a thread of a block, or an operation of an actor.
struct Accessor {
  Access as;                // with the site of this access
  std::uint32_t phase = 0;  // the clock since the block's last barrier
  std::uint16_t device = World::host_side;
  const Knowledge* common = nullptr;  // of the block
  const Knowledge* own = nullptr;     // of this thread since the last barrier; null: nothing
  std::uint32_t* ordered = nullptr;   // not null: ordered_units units whose operations are all known, by their number
  std::uint64_t* reads = nullptr;     // remembered_reads of the block that are in a set already; null: nothing is remembered
};
inline constexpr std::uint32_t ordered_units = 16, remembered_reads = 1024;

// Checks accesses against the shadow, and notes them there.
class Checker {
 public:
  explicit Checker(Memory& memory) : memory_(memory), world_(memory.world()) {}

  // Precondition: the entry holds it.
  void access(Memory::Entry& entry, std::uintptr_t address, std::size_t bytes, const Accessor& who, bool writes);

  // What to do with a flag: `act` runs while nobody else is at it, behind the check.
  void synchronise(Memory::Entry& entry, std::uintptr_t address, std::size_t bytes, const Accessor& who, bool reads, bool writes,
                   const std::function<void(std::uint32_t& place)>& act);

  // Whether what was left there holds for one who acquires in this scope.
  [[nodiscard]] bool covers(const World::Left& left, const Accessor& who, std::uint32_t scope) const;

  // The allocation that an access lies in, or null and a finding: it lies outside of all, or is refused.
  [[nodiscard]] Memory::Entry* find(std::uintptr_t address, std::size_t bytes, const Accessor& who, bool writes);
  // The same where the allocation is known: null is outside of all.
  [[nodiscard]] Memory::Entry* admit(Memory::Entry* entry, std::uintptr_t address, std::size_t bytes, const Accessor& who,
                                     bool writes);

 private:
  struct Here;  // what an access is, for findings
  void touch(Cell& cell, const Here& here);
  void read(Cell& cell, const Here& here);
  void write(Cell& cell, const Here& here);
  void join_readers(Cell& cell, const Here& here);
  void split(Memory::Entry& entry, std::size_t index, std::size_t part);
  void part(Memory::Entry& entry, std::size_t index, std::size_t from, std::size_t count, const Here& here);
  [[nodiscard]] bool is_before(const Access& other, const Accessor& who) const;
  [[nodiscard]] bool is_known(const Access& other, const Accessor& who) const;  // as is_before, asking what `who` knows
  [[nodiscard]] bool are_atomic(const Access& other, const Here& here) const;
  void report(Finding::Kind kind, const Memory::Entry* entry, std::uintptr_t address, std::size_t bytes, const Accessor& who,
              bool writes);
  void race(const Access& other, bool other_writes, const Here& here);
  void drop_reads(Cell& cell);
  [[nodiscard]] Finding::Source source_of(const Access& access, bool writes) const;

  Memory& memory_;
  World& world_;
};

}  // namespace softgpu
