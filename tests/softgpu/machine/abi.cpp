// What the threads of a block do to memory.
#include "tests/softgpu/machine/abi.h"

#include <algorithm>
#include <chrono>

#include "tests/softgpu/machine/block.hpp"

namespace softgpu {

Memory::Entry* Block::entry_for(Thread& thread, std::uint64_t address, std::uint32_t bytes, bool writes) {
  if (changes_ != grid_.device.memory().changes()) {
    changes_ = grid_.device.memory().changes();
    recent_ = {};
  }
  for (Memory::Entry* const entry : recent_)
    if (entry != nullptr && !entry->refusal(address, bytes, true, writes)) return entry;
  // The parameters and shared memory are of this block alone; the rest is in the table.
  Checker& checker = grid_.checker;
  Memory::Entry* entry = nullptr;
  if (shared_entry_ && shared_entry_->holds(address, 1))
    entry = checker.admit(shared_entry_.get(), address, bytes, thread.who, writes);
  else if (grid_.parameters.holds(address, 1))
    entry = checker.admit(&grid_.parameters, address, bytes, thread.who, writes);
  else
    entry = checker.find(address, bytes, thread.who, writes);
  if (entry == nullptr) fault(thread);
  return recent_[next_recent_++ % recent_.size()] = entry;
}

void Block::count(const Memory::Entry& entry, std::uint32_t bytes, bool reads, bool writes) {
  const int device = entry.allocation.device;
  if (device < 0 || device == static_cast<int>(grid_.device.number())) return;
  if (reads) grid_.counts.fetched += bytes;
  if (writes) grid_.counts.sent += bytes;
}

void Block::check(Thread& thread, std::uint64_t address, std::uint32_t bytes, std::uint32_t site) {
  const bool writes = grid_.kernel.sites[site].kind == SG_STORE;
  thread.who.as.site = (grid_.first_site + site) & 0x1fffff;
  Memory::Entry* const entry = entry_for(thread, address, bytes, writes);
  count(*entry, bytes, !writes, writes);
  if (writes || address != thread.last_address) grid_.moved();
  thread.last_address = address;
  thread.site = site;
  if (entry != &grid_.parameters) grid_.checker.access(*entry, address, bytes, thread.who, writes);
}

// What the thread has done and knows, for who acquires.
Knowledge Block::knowledge_of(const Thread& thread) const {
  Knowledge known = common_;
  if (thread.own) known.join(*thread.own);
  known.add_unit(unit_, thread.who.phase);
  known.add_thread(unit_, thread.who.as.thread, thread.who.as.clock);
  return known;
}

void Block::exchange(Thread& thread, std::uint32_t& place, const Site& site, bool releases, bool acquires, bool reads) {
  World& world = grid_.device.world();
  World::Left left;
  const bool there = place != 0 && world.version(place) != 0;
  if (there && reads && (acquires || releases)) left = world.left(place);
  const bool covered = left.version != 0 && grid_.checker.covers(left, thread.who, site.scope);
  if (releases) {
    if (place == 0) place = world.new_place();
    Knowledge known = knowledge_of(thread);
    if (covered) known.join(Knowledge(left.known));  // what was released before goes on through a read-modify-write
    known.prune(world);
    world.leave(place, site.scope, unit_, known.known());
    highest_clock_ = std::max<std::uint64_t>(highest_clock_, ++thread.who.as.clock);
  } else if (!reads && there) {
    world.leave(place, site.scope, unit_, {});  // a relaxed store ends what was released
  }
  if (!acquires || !covered) return;
  if (!thread.own) thread.own = std::make_unique<Knowledge>();
  thread.own->join(Knowledge(left.known));
  thread.who.own = thread.own.get();
}

std::uint64_t Block::synchronise(Thread& thread, std::uint64_t address, std::uint32_t bytes, std::uint32_t site_index, bool reads,
                                 bool writes, std::uint64_t (*act)(void*, std::uint64_t), void* operands) {
  const Site& site = grid_.kernel.sites[site_index];
  thread.site = site_index;
  std::uint64_t value = 0;
  if (!grid_.checked) {
    value = act(operands, address);
    grid_.moved();
  } else {
    thread.who.as.site = (grid_.first_site + site_index) & 0x1fffff;
    Memory::Entry* const entry = entry_for(thread, address, bytes, writes);
    count(*entry, bytes, reads, writes);
    const bool releases = writes && (site.order == SG_RELEASE || site.order == SG_ACQ_REL);
    if (releases && site.scope == SG_SYSTEM) grid_.counts.fences = std::max(grid_.counts.fences, ++thread.fences);
    const bool acquires = reads && (site.order == SG_ACQUIRE || site.order == SG_ACQ_REL);
    grid_.checker.synchronise(*entry, address, bytes, thread.who, reads, writes, [&](std::uint32_t& place) {
      value = act(operands, address);
      exchange(thread, place, site, releases, acquires, reads);
    });
    if (writes || thread.is_new(site_index, value)) grid_.moved();
  }
  give_way(thread);
  return value;
}

namespace {

struct Operands {
  std::uint32_t what, is_signed, bytes;
  std::uint64_t value, other;
};

template <class Word, class Signed>
std::uint64_t combined(const Operands& operands, Word old) {
  const auto value = static_cast<Word>(operands.value);
  const bool less = operands.is_signed != 0 ? static_cast<Signed>(value) < static_cast<Signed>(old) : value < old;
  switch (operands.what) {
    case SG_ADD:
      return static_cast<Word>(old + value);
    case SG_MIN:
      return less ? value : old;
    case SG_MAX:
      return less ? old : value;
    case SG_AND:
      return old & value;
    case SG_OR:
      return old | value;
    case SG_XOR:
      return old ^ value;
    case SG_CAS:
      return old == static_cast<Word>(operands.other) ? value : old;
    default:
      return value;
  }
}

template <class Word, class Signed>
std::uint64_t change(const Operands& operands, std::uint64_t address) {
  auto* const word = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(word, &old, static_cast<Word>(combined<Word, Signed>(operands, old)), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
  return old;
}

template <class Word>
std::uint64_t load(std::uint64_t address) {
  return __atomic_load_n(reinterpret_cast<const Word*>(address), __ATOMIC_SEQ_CST);
}
template <class Word>
void store(std::uint64_t address, std::uint64_t value) {
  __atomic_store_n(reinterpret_cast<Word*>(address), static_cast<Word>(value), __ATOMIC_SEQ_CST);
}

Thread& of(sg_thread* thread) { return *static_cast<Thread*>(thread); }

}  // namespace
}  // namespace softgpu

using softgpu::Operands;

void sg_check(sg_thread* thread, uint64_t address, uint32_t bytes, uint32_t site) {
  softgpu::of(thread).resident->check(softgpu::of(thread), address, bytes, site);
}

uint64_t sg_load(sg_thread* thread, uint64_t address, uint32_t bytes, uint32_t site) {
  Operands operands{0, 0, bytes, 0, 0};
  const auto act = [](void* given, uint64_t at) -> uint64_t {
    switch (static_cast<Operands*>(given)->bytes) {
      case 1:
        return softgpu::load<uint8_t>(at);
      case 2:
        return softgpu::load<uint16_t>(at);
      case 4:
        return softgpu::load<uint32_t>(at);
      default:
        return softgpu::load<uint64_t>(at);
    }
  };
  return softgpu::of(thread).resident->synchronise(softgpu::of(thread), address, bytes, site, true, false, act, &operands);
}

void sg_store(sg_thread* thread, uint64_t address, uint64_t value, uint32_t bytes, uint32_t site) {
  Operands operands{0, 0, bytes, value, 0};
  const auto act = [](void* given, uint64_t at) -> uint64_t {
    const Operands& what = *static_cast<Operands*>(given);
    switch (what.bytes) {
      case 1:
        softgpu::store<uint8_t>(at, what.value);
        break;
      case 2:
        softgpu::store<uint16_t>(at, what.value);
        break;
      case 4:
        softgpu::store<uint32_t>(at, what.value);
        break;
      default:
        softgpu::store<uint64_t>(at, what.value);
    }
    return 0;
  };
  (void)softgpu::of(thread).resident->synchronise(softgpu::of(thread), address, bytes, site, false, true, act, &operands);
}

uint64_t sg_atom(sg_thread* thread, uint32_t what, uint32_t is_signed, uint64_t address, uint64_t value, uint64_t other,
                 uint32_t bytes, uint32_t site) {
  Operands operands{what, is_signed, bytes, value, other};
  const auto act = [](void* given, uint64_t at) -> uint64_t {
    const Operands& how = *static_cast<Operands*>(given);
    return how.bytes == 4 ? softgpu::change<uint32_t, int32_t>(how, at) : softgpu::change<uint64_t, int64_t>(how, at);
  };
  return softgpu::of(thread).resident->synchronise(softgpu::of(thread), address, bytes, site, true, true, act, &operands);
}

uint32_t sg_barrier(sg_thread* thread, uint32_t barrier, uint32_t threads, uint32_t value, uint32_t site) {
  return softgpu::of(thread).resident->wait(softgpu::of(thread), barrier, threads, value != 0, site) ? 1 : 0;
}

void sg_warp_barrier(sg_thread* thread, uint32_t site) { softgpu::of(thread).resident->wait_for_warp(softgpu::of(thread), site); }

void sg_yield(sg_thread* thread) { softgpu::of(thread).resident->give_way(softgpu::of(thread)); }

uint64_t sg_globaltimer() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
