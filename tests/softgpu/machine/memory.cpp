#include "tests/softgpu/machine/memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <system_error>

#include "tests/softgpu/machine/abi.h"
#include "tests/softgpu/machine/shadow.hpp"

namespace softgpu {
namespace {

// Wherever among them it begins.
std::size_t cells_of(std::size_t bytes) { return (bytes + 2 * cell_bytes - 2) / cell_bytes; }

}  // namespace

Memory::Entry::Entry(const Allocation& given) : allocation(given) {
  std::byte* shadow = given.shadow;
  if (shadow == nullptr) {
    own_bytes = shadow_bytes(given.bytes);
    own_shadow = mmap(nullptr, own_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (own_shadow == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap of shadow memory");
    shadow = static_cast<std::byte*>(own_shadow);
  }
  header = reinterpret_cast<ShadowHeader*>(shadow);
  cells = reinterpret_cast<Cell*>(shadow + sizeof(ShadowHeader));
  byte_cells = cells + cells_of(given.bytes);
  first = given.base / cell_bytes * cell_bytes;
}

Memory::Entry::~Entry() {
  if (own_shadow != nullptr) munmap(own_shadow, own_bytes);
}

Memory::Memory(World& world, Findings& findings) : world_(world), findings_(findings) {}
Memory::~Memory() = default;

std::size_t Memory::shadow_bytes(std::size_t bytes) {
  return sizeof(ShadowHeader) + cells_of(bytes) * (1 + cell_bytes) * sizeof(Cell);
}

void Memory::add(const Allocation& allocation) {
  ++changes_;
  entries_[allocation.base] = std::make_unique<Entry>(allocation);
}

void Memory::free(std::uintptr_t base) {
  const auto found = entries_.find(base);
  if (found != entries_.end()) found->second->header->freed = 1;
}

void Memory::forget(std::uintptr_t base) {
  ++changes_;
  entries_.erase(base);
}

Memory::Entry* Memory::entry_of(std::uintptr_t address) const {
  auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return nullptr;
  Entry* const entry = std::prev(after)->second.get();
  // What lies shortly behind an allocation was meant for it.
  constexpr std::size_t behind = 1 << 16;
  return address - entry->allocation.base < entry->allocation.bytes + behind ? entry : nullptr;
}

const Allocation* Memory::find(std::uintptr_t address) const {
  const Entry* const entry = entry_of(address);
  return entry != nullptr && entry->holds(address, 1) ? &entry->allocation : nullptr;
}

bool Memory::is_there(std::uintptr_t address) const {
  const Entry* const entry = entry_of(address);
  return entry != nullptr && entry->holds(address, 1) && !entry->is_freed();
}

// An operation of an actor, as long as it lasts.
struct Memory::Use {
  Use(Memory& of, Actor& actor, Operation operation) : memory(of), by(actor), checker(of) {
    who.as.unit = of.world_.new_unit({actor.begin(), 0, actor.id(), World::host_side});
    who.as.clock = 1;
    who.as.site = static_cast<std::uint32_t>(operation) & 15;
    who.phase = 1;
    who.common = &actor.knowledge();
    who.ordered = ordered;
  }
  ~Use() { by.end(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  void access(const void* address, std::size_t bytes, bool writes) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (bytes == 0 || memory.find(at) == nullptr) return;
    if (Entry* const entry = checker.find(at, bytes, who, writes)) checker.access(*entry, at, bytes, who, writes);
  }

  Memory& memory;
  Actor& by;
  Checker checker;
  Accessor who;
  std::uint32_t ordered[ordered_units] = {};
};

void Memory::read(Actor& actor, const void* address, std::size_t bytes, Operation operation) {
  Use(*this, actor, operation).access(address, bytes, false);
}

void Memory::write(Actor& actor, const void* address, std::size_t bytes, Operation operation) {
  Use(*this, actor, operation).access(address, bytes, true);
}

void Memory::copy(Actor& actor, const void* from, void* to, std::size_t bytes) {
  Use use(*this, actor, Operation::copy);
  use.access(from, bytes, false);
  use.access(to, bytes, true);
}

void Memory::release_store(Actor& actor, void* address, std::uint64_t value, std::size_t bytes) {
  const auto store = [&] {
    if (bytes == sizeof(std::uint32_t))
      __atomic_store_n(static_cast<std::uint32_t*>(address), static_cast<std::uint32_t>(value), __ATOMIC_RELEASE);
    else
      __atomic_store_n(static_cast<std::uint64_t*>(address), value, __ATOMIC_RELEASE);
  };
  Use use(*this, actor, Operation::stream_write);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  Entry* const entry = find(at) == nullptr ? nullptr : use.checker.find(at, bytes, use.who, true);
  if (entry == nullptr) {
    store();
    return;
  }
  use.checker.synchronise(*entry, at, bytes, use.who, false, true, [&](std::uint32_t& place) {
    store();
    if (place == 0) place = world_.new_place();
    Knowledge known = actor.release();
    known.add_unit(use.who.as.unit, use.who.as.clock + 1);
    world_.leave(place, SG_SYSTEM, use.who.as.unit, known.known());
  });
}

std::uint64_t Memory::acquire_load(Actor& actor, const void* address, std::size_t bytes) {
  std::uint64_t value = 0;
  const auto load = [&] {
    value = bytes == sizeof(std::uint32_t) ? __atomic_load_n(static_cast<const std::uint32_t*>(address), __ATOMIC_ACQUIRE)
                                           : __atomic_load_n(static_cast<const std::uint64_t*>(address), __ATOMIC_ACQUIRE);
  };
  Knowledge gained;
  {
    Use use(*this, actor, Operation::stream_wait);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Entry* const entry = find(at) == nullptr ? nullptr : use.checker.find(at, bytes, use.who, false);
    if (entry == nullptr) {
      load();
      return value;
    }
    use.checker.synchronise(*entry, at, bytes, use.who, true, false, [&](std::uint32_t& place) {
      load();
      if (place == 0 || world_.version(place) == 0) return;
      const World::Left left = world_.left(place);
      if (use.checker.covers(left, use.who, SG_SYSTEM)) gained = Knowledge(left.known);
    });
  }
  actor.acquire(gained);
  return value;
}

}  // namespace softgpu
