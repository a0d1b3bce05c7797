#include "tests/softgpu/machine/world.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string_view>

#include "tests/softgpu/machine/lock.hpp"

namespace softgpu {
namespace {

// What one run can have.
constexpr std::uint32_t units = 1U << 26, reader_nodes = 1U << 24, places = 1U << 18, chunks = 1U << 18, processes = 16;
constexpr std::uint32_t most_actors = 0xffff, chunk_known = 32;

[[noreturn]] void refuse(std::uint32_t most, std::string_view what) {
  throw std::length_error(fmt::format("softgpu: a run can have {} {}, and this one needs more", most, what));
}

// Numbers from 1 on that are given out and come back.
struct Pool {
  std::atomic<std::uint32_t> lock;
  std::uint32_t used, free;
};

}  // namespace

struct World::Segment {
  struct Node {
    Access access;
    std::uint32_t next;
  };
  struct Chunk {
    std::uint32_t next, count;
    Known known[chunk_known];
  };
  struct PlaceOf {
    std::atomic<std::uint32_t> lock;
    std::atomic<std::uint32_t> version;
    std::uint32_t scope, unit, first;
  };
  struct Tenant {
    std::atomic<std::int32_t> process;
    Resident resident[multiprocessors];
  };
  struct Tenants {
    std::atomic<std::uint32_t> lock;
    Tenant tenant[processes];
  };

  std::atomic<std::uint32_t> actors, last_unit, last_place;
  Pool node_pool, chunk_pool;
  Tenants tenants[devices];
  Operation operations[units];
  Node nodes[reader_nodes];
  PlaceOf place[places];
  Chunk chunk[chunks];

  static std::uint32_t next(std::atomic<std::uint32_t>& last, std::uint32_t most, std::string_view what);
  template <class Item, std::size_t count>
  static std::uint32_t take(Pool& pool, Item (&items)[count], std::string_view what) {
    const SpinLock lock(&pool.lock);
    if (pool.free != 0) {
      const std::uint32_t taken = pool.free;
      pool.free = items[taken].next;
      return taken;
    }
    if (pool.used + 1 >= count) refuse(count - 1, what);
    return ++pool.used;
  }
  template <class Item, std::size_t count>
  static void give_back(Pool& pool, Item (&items)[count], std::uint32_t first) {
    if (first == 0) return;
    const SpinLock lock(&pool.lock);
    std::uint32_t last = first;
    while (items[last].next != 0) last = items[last].next;
    items[last].next = pool.free;
    pool.free = first;
  }
};

World::World(std::byte* segment) : segment_(reinterpret_cast<Segment*>(segment)) {
  static_assert(sizeof(Segment) <= bytes, "the segment is smaller than what lies in it");
}

// The next of numbers that are given out once.
std::uint32_t World::Segment::next(std::atomic<std::uint32_t>& last, std::uint32_t most, std::string_view what) {
  const std::uint32_t made = ++last;
  if (made > most) refuse(most, what);
  return made;
}

std::uint16_t World::new_actor() {
  return static_cast<std::uint16_t>(Segment::next(segment_->actors, most_actors, "streams, nodes of graphs and hosts"));
}

std::uint32_t World::new_unit(const Operation& operation) {
  const std::uint32_t unit = Segment::next(segment_->last_unit, units - 1, "blocks of kernels and operations on memory");
  segment_->operations[unit] = operation;
  return unit;
}

const World::Operation& World::operation_of(std::uint32_t unit) const { return segment_->operations[unit]; }

std::uint32_t World::new_place() { return Segment::next(segment_->last_place, places - 1, "flags and events"); }

void World::leave(std::uint32_t place, std::uint32_t scope, std::uint32_t unit, const std::vector<Known>& known) {
  Segment::PlaceOf& there = segment_->place[place];
  const SpinLock lock(&there.lock);
  Segment::give_back(segment_->chunk_pool, segment_->chunk, there.first);
  there.first = 0;
  for (std::size_t at = 0; at < known.size(); at += chunk_known) {
    const std::uint32_t taken = Segment::take(segment_->chunk_pool, segment_->chunk, "chunks of what was left at flags");
    Segment::Chunk& chunk = segment_->chunk[taken];
    chunk.count = static_cast<std::uint32_t>(std::min<std::size_t>(chunk_known, known.size() - at));
    std::copy_n(known.begin() + static_cast<std::ptrdiff_t>(at), chunk.count, chunk.known);
    chunk.next = there.first;
    there.first = taken;
  }
  there.scope = scope;
  there.unit = unit;
  there.version.store(std::max(1U, there.version.load() + 1));
}

std::uint32_t World::version(std::uint32_t place) const { return segment_->place[place].version.load(); }

World::Left World::left(std::uint32_t place) const {
  Segment::PlaceOf& there = segment_->place[place];
  const SpinLock lock(&there.lock);
  Left left{there.version.load(), there.scope, there.unit, {}};
  for (std::uint32_t at = there.first; at != 0; at = segment_->chunk[at].next)
    left.known.insert(left.known.end(), segment_->chunk[at].known, segment_->chunk[at].known + segment_->chunk[at].count);
  std::sort(left.known.begin(), left.known.end(), [](const Known& a, const Known& b) { return a.key < b.key; });
  return left;
}

std::uint32_t World::add_reader(std::uint32_t set, const Access& access, std::uint32_t phase,
                                const std::function<bool(const Access&)>& is_before) {
  Segment::Node* const nodes = segment_->nodes;
  std::uint32_t* link = &set;
  while (*link != 0) {
    Segment::Node& node = nodes[*link];
    if (node.access.unit == access.unit) {
      const bool merged = node.access.thread != access.thread && node.access.clock >= phase;
      const std::uint32_t clock = merged ? std::max(node.access.clock, access.clock) : access.clock;
      node.access = access;
      node.access.clock = clock;
      if (merged) node.access.thread = many;
      return set;
    }
    if (is_before(node.access)) {
      const std::uint32_t dropped = *link;
      *link = node.next;
      node.next = 0;
      Segment::give_back(segment_->node_pool, segment_->nodes, dropped);
    } else {
      link = &node.next;
    }
  }
  const std::uint32_t made = Segment::take(segment_->node_pool, segment_->nodes, "readers that are kept beside others");
  nodes[made] = {access, set};
  return made;
}

std::vector<Access> World::readers(std::uint32_t set) const {
  std::vector<Access> found;
  for (std::uint32_t at = set; at != 0; at = segment_->nodes[at].next) found.push_back(segment_->nodes[at].access);
  return found;
}

void World::drop_readers(std::uint32_t set) { Segment::give_back(segment_->node_pool, segment_->nodes, set); }

bool World::admit(std::uint32_t device, std::uint32_t multiprocessor, const Resident& block, const Resident& most) {
  Segment::Tenants& tenants = segment_->tenants[device];
  const SpinLock lock(&tenants.lock);
  const std::int32_t me = getpid();
  Segment::Tenant* mine = nullptr;
  Resident sum{};
  for (Segment::Tenant& tenant : tenants.tenant) {
    const std::int32_t process = tenant.process.load();
    if (process != 0 && process != me && kill(process, 0) != 0) {
      std::fill(std::begin(tenant.resident), std::end(tenant.resident), Resident{});
      tenant.process = 0;
    }
    if (tenant.process == me) mine = &tenant;
    const Resident& there = tenant.resident[multiprocessor];
    sum = {sum.blocks + there.blocks, sum.threads + there.threads, sum.registers + there.registers,
           sum.shared_bytes + there.shared_bytes};
  }
  if (sum.blocks + block.blocks > most.blocks || sum.threads + block.threads > most.threads ||
      sum.registers + block.registers > most.registers || sum.shared_bytes + block.shared_bytes > most.shared_bytes)
    return false;
  for (Segment::Tenant& tenant : tenants.tenant) {
    if (mine != nullptr) break;
    if (tenant.process == 0) mine = &tenant;
  }
  if (mine == nullptr) refuse(processes, "processes on one device");
  mine->process = me;
  Resident& there = mine->resident[multiprocessor];
  there = {there.blocks + block.blocks, there.threads + block.threads, there.registers + block.registers,
           there.shared_bytes + block.shared_bytes};
  return true;
}

void World::withdraw(std::uint32_t device, std::uint32_t multiprocessor, const Resident& block) {
  Segment::Tenants& tenants = segment_->tenants[device];
  const SpinLock lock(&tenants.lock);
  for (Segment::Tenant& tenant : tenants.tenant) {
    if (tenant.process != getpid()) continue;
    Resident& there = tenant.resident[multiprocessor];
    there = {there.blocks - block.blocks, there.threads - block.threads, there.registers - block.registers,
             there.shared_bytes - block.shared_bytes};
  }
}

}  // namespace softgpu
