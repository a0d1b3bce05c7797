#include "tests/softgpu/machine/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace softgpu {

bool Thread::is_new(std::uint32_t at, std::uint64_t value) {
  for (Seen& one : seen) {
    if (one.site != at + 1) continue;
    if (one.value == value) return false;
    one.value = value;
    return true;
  }
  seen[next_seen++ % seen.size()] = {at + 1, value};
  return true;
}

Block::Block(GridContext& grid, std::uint32_t index, std::uint32_t multiprocessor)
    : grid_(grid), index_(index), multiprocessor_(multiprocessor), common_(grid.before) {
  const Extent& block = grid.block;
  alive_ = block[0] * block[1] * block[2];
  unit_ = grid.device.world().new_unit({grid.tick, index, grid.actor, static_cast<std::uint16_t>(grid.device.number())});
  const std::uint32_t shared_bytes = grid.kernel.shared_bytes + grid.dynamic_shared;
  shared_.resize((shared_bytes + 7) / 8 + 2);
  // At a multiple of 16, as a GPU's.
  const auto shared = (reinterpret_cast<std::uintptr_t>(shared_.data()) + 15) / 16 * 16;
  if (shared_bytes != 0) {
    Allocation allocation;
    allocation.base = shared;
    allocation.bytes = shared_bytes;
    allocation.label = fmt::format("shared memory of block {}", index);
    shared_entry_ = std::make_unique<Memory::Entry>(allocation);
  }
  threads_.resize(alive_);
  ready_.resize(alive_);
  for (std::uint32_t i = 0; i < alive_; ++i) {
    Thread& thread = threads_[i];
    ready_[i] = static_cast<std::uint16_t>(i);
    thread.resident = this;
    thread.parameters = reinterpret_cast<const unsigned char*>(grid.parameters.allocation.base);
    thread.shared = reinterpret_cast<unsigned char*>(shared);
    const Extent tid{i % block[0], i / block[0] % block[1], i / block[0] / block[1]};
    const Extent ctaid{index % grid.grid[0], index / grid.grid[0] % grid.grid[1], index / grid.grid[0] / grid.grid[1]};
    std::copy_n(tid.begin(), 3, thread.tid);
    std::copy_n(block.begin(), 3, thread.ntid);
    std::copy_n(ctaid.begin(), 3, thread.ctaid);
    std::copy_n(grid.grid.begin(), 3, thread.nctaid);
    thread.checked = grid.checked ? 1 : 0;
    Accessor& who = thread.who;
    who.as.unit = unit_;
    who.as.thread = i & 0x7ff;
    who.as.clock = who.phase = 1;
    who.device = static_cast<std::uint16_t>(grid.device.number());
    who.common = &common_;
    who.ordered = ordered_.data();
    who.reads = reads_.data();
  }
}

Block::~Block() {
  for (Thread& thread : threads_)
    if (thread.stack != nullptr) grid_.stacks.give_back(thread.stack);
}

void Block::begin(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  Block& block = *thread.resident;
  block.grid_.kernel.entry(&thread);
  thread.doing = Thread::Doing::ended;
  softgpu_switch(&thread.stack_end, block.scheduler_);
}

void Block::run(std::uint32_t number) {
  Thread& thread = threads_[number];
  if (thread.doing == Thread::Doing::fresh) {
    thread.stack = grid_.stacks.take();
    thread.stack_end = Stacks::begin(thread.stack, &Block::begin, &thread);
    thread.doing = Thread::Doing::ready;
  }
  if (thread.doing != Thread::Doing::ready) return;
  constexpr std::uint64_t least_fuel = 16, more_fuel = 128;
  thread.fuel = static_cast<std::int32_t>(least_fuel + grid_.random() % more_fuel);
  ++grid_.idle_turns;
  softgpu_switch(&scheduler_, thread.stack_end);
  if (grid_.faulted) return;
  if (thread.doing == Thread::Doing::ended) {
    end(thread);
  } else if (thread.doing == Thread::Doing::waiting) {
    stop(thread);
    pass(thread.barrier);
  }
}

// It is among those that can run no more.
void Block::stop(const Thread& thread) {
  ready_.erase(std::lower_bound(ready_.begin(), ready_.end(), static_cast<std::uint16_t>(&thread - threads_.data())));
}

void Block::end(Thread& thread) {
  grid_.stacks.give_back(thread.stack);
  thread.stack = nullptr;
  stop(thread);
  --alive_;
  grid_.moved();
  for (std::uint32_t i = 0; i < barriers_.size() && alive_ != 0; ++i) pass(i);
}

void Block::give_way(Thread& thread) {
  if (!grid_.checked) grid_.moved();
  softgpu_switch(&thread.stack_end, scheduler_);
}

void Block::fault(Thread& thread) {
  grid_.faulted = true;
  for (;;) softgpu_switch(&thread.stack_end, scheduler_);  // never goes on
}

bool Block::wait(Thread& thread, std::uint32_t barrier, std::uint32_t threads, bool value, std::uint32_t site) {
  arrive(thread, barrier % named, threads, site);
  barriers_[thread.barrier].any = barriers_[thread.barrier].any || value;
  softgpu_switch(&thread.stack_end, scheduler_);
  return thread.any;
}

void Block::wait_for_warp(Thread& thread, std::uint32_t site) {
  const auto number = static_cast<std::uint32_t>(&thread - threads_.data()) / warp;
  const std::size_t threads = std::min<std::size_t>(warp, threads_.size() - std::size_t{number} * warp);
  arrive(thread, named + number, static_cast<std::uint32_t>(threads), site);
  softgpu_switch(&thread.stack_end, scheduler_);
}

void Block::arrive(Thread& thread, std::uint32_t barrier, std::uint32_t threads, std::uint32_t site) {
  thread.doing = Thread::Doing::waiting;
  thread.barrier = static_cast<std::uint8_t>(barrier);
  thread.site = site;
  ++barriers_[barrier].arrived;
  barriers_[barrier].expected = threads;
}

// Lets those through who wait there, if they are all.
void Block::pass(std::uint32_t barrier) {
  Barrier& at = barriers_[barrier];
  const bool whole = at.expected == 0 || at.expected >= alive_;
  if (at.arrived == 0 || at.arrived < (at.expected == 0 ? alive_ : at.expected)) return;
  if (whole) grid_.counts.barriers = std::max(grid_.counts.barriers, ++met_);
  const bool any = at.any;
  at = {};
  Knowledge together;
  for (Thread& thread : threads_) {
    if (thread.doing != Thread::Doing::waiting || thread.barrier != barrier) {
      if (whole && thread.own) together.join(*thread.own);  // of one that has ended
      continue;
    }
    if (thread.own) together.join(*thread.own);
    if (!whole) together.add_thread(unit_, thread.who.as.thread, thread.who.as.clock);
    highest_clock_ = std::max<std::uint64_t>(highest_clock_, thread.who.as.clock);
  }
  ++highest_clock_;
  if (whole) {
    common_.join(together);
    constexpr std::size_t large = 96;
    if (common_.known().size() > large) common_.prune(grid_.device.world());
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    if (thread.doing != Thread::Doing::waiting || thread.barrier != barrier) continue;
    thread.doing = Thread::Doing::ready;
    thread.any = any;
    thread.who.as.clock = static_cast<std::uint32_t>(highest_clock_);
    if (whole) thread.who.phase = thread.who.as.clock;
    thread.own = whole ? nullptr : std::make_unique<Knowledge>(together);
    thread.who.own = thread.own.get();
    ready_.push_back(static_cast<std::uint16_t>(i));
  }
  std::sort(ready_.begin(), ready_.end());
  grid_.moved();
}

Knowledge Block::known() const {
  Knowledge all = common_;
  for (const Thread& thread : threads_)
    if (thread.own) all.join(*thread.own);
  return all;
}

std::string Block::waiting() const {
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> places;
  for (const Thread& thread : threads_)
    if (thread.doing != Thread::Doing::ended) ++places[{thread.site, thread.doing == Thread::Doing::waiting}];
  std::string text;
  for (const auto& [place, count] : places) {
    const Site& site = grid_.kernel.sites[place.first];
    text += fmt::format("{}{} thread{} of block {} {} {}:{}", text.empty() ? "" : ", ", count, count == 1 ? "" : "s", index_,
                        place.second ? "at the barrier of" : "looking at", grid_.kernel.files[site.file], site.line);
  }
  return text;
}

}  // namespace softgpu
