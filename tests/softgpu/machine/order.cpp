#include "tests/softgpu/machine/order.hpp"

#include <algorithm>

namespace softgpu {
namespace {

enum class Kind : std::uint64_t { operations, unit, thread };

std::uint64_t key_of(Kind kind, std::uint32_t number, std::uint32_t thread = 0) {
  return static_cast<std::uint64_t>(kind) << 62 | std::uint64_t{number} << 11 | thread;
}
Kind kind_of(std::uint64_t key) { return static_cast<Kind>(key >> 62); }
std::uint32_t number_in(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 11); }

}  // namespace

void Knowledge::join(const Knowledge& other) {
  if (other.known_.empty()) return;
  if (known_.empty()) {
    known_ = other.known_;
    return;
  }
  std::vector<Known> joined;
  joined.reserve(known_.size() + other.known_.size());
  auto a = known_.begin();
  auto b = other.known_.begin();
  while (a != known_.end() || b != other.known_.end()) {
    if (b == other.known_.end() || (a != known_.end() && a->key < b->key)) {
      joined.push_back(*a++);
    } else if (a == known_.end() || b->key < a->key) {
      joined.push_back(*b++);
    } else {
      joined.push_back({a->key, std::max(a->until, b->until)});
      ++a;
      ++b;
    }
  }
  known_ = std::move(joined);
}

void Knowledge::add(std::uint64_t key, std::uint64_t until) {
  const auto at =
      std::lower_bound(known_.begin(), known_.end(), key, [](const Known& known, std::uint64_t k) { return known.key < k; });
  if (at != known_.end() && at->key == key)
    at->until = std::max(at->until, until);
  else
    known_.insert(at, {key, until});
}

std::uint64_t Knowledge::until(std::uint64_t key) const {
  const auto at =
      std::lower_bound(known_.begin(), known_.end(), key, [](const Known& known, std::uint64_t k) { return known.key < k; });
  return at != known_.end() && at->key == key ? at->until : 0;
}

void Knowledge::add_operations(std::uint32_t actor, std::uint64_t tick) { add(key_of(Kind::operations, actor), tick); }
void Knowledge::add_unit(std::uint32_t unit, std::uint64_t before) { add(key_of(Kind::unit, unit), before); }
void Knowledge::add_thread(std::uint32_t unit, std::uint32_t thread, std::uint64_t until) {
  add(key_of(Kind::thread, unit, thread), until);
}

bool Knowledge::has_operation(const World& world, std::uint32_t unit) const {
  const World::Operation& operation = world.operation_of(unit);
  return until(key_of(Kind::operations, operation.actor)) >= operation.tick;
}

bool Knowledge::has(const World& world, const Access& access) const {
  if (has_operation(world, access.unit) || until(key_of(Kind::unit, access.unit)) > access.clock) return true;
  return access.thread != many && until(key_of(Kind::thread, access.unit, access.thread)) >= access.clock;
}

void Knowledge::prune(const World& world) {
  // By key, operations come before units and units before threads: each pass looks up only what stands before all that it moves.
  std::erase_if(known_, [&](const Known& known) {
    return kind_of(known.key) != Kind::operations && has_operation(world, number_in(known.key));
  });
  std::erase_if(known_, [&](const Known& known) {
    return kind_of(known.key) == Kind::thread && until(key_of(Kind::unit, number_in(known.key))) > known.until;
  });
}

Actor::Actor(World& world) : world_(world), id_(world.new_actor()) {}

Knowledge Actor::release() const { return knowledge_; }

void Actor::acquire(const Knowledge& knowledge) {
  knowledge_.join(knowledge);
  constexpr std::size_t large = 64;
  if (knowledge_.known().size() > large) knowledge_.prune(world_);
}

std::uint64_t Actor::begin() { return ++tick_; }

void Actor::end() { knowledge_.add_operations(id_, tick_); }

}  // namespace softgpu
