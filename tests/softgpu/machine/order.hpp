// What happened before what. Knowledge says which operations are complete, and which accesses of running kernels are known, to
// whoever has it; it is joined where one waits for another.
//
//   an actor (a stream, a thread of the host)    does operations one after another: copies, kernels, waits. They are numbered
//   a unit                                       one operation, or one block of a kernel while it runs
//   a thread's clock                             moves at barriers and releases; an access is known up to such a clock
#pragma once

#include <cstdint>
#include <vector>

#include "tests/softgpu/machine/world.hpp"

namespace softgpu {

class Knowledge {
 public:
  Knowledge() = default;
  explicit Knowledge(std::vector<Known> known) : known_(std::move(known)) {}

  void join(const Knowledge& other);
  // Operations of an actor up to this one; accesses of a unit before a clock; of one thread of it, up to a clock.
  void add_operations(std::uint32_t actor, std::uint64_t tick);
  void add_unit(std::uint32_t unit, std::uint64_t before);
  void add_thread(std::uint32_t unit, std::uint32_t thread, std::uint64_t until);

  // Whether all of the unit's operation is known.
  [[nodiscard]] bool has_operation(const World& world, std::uint32_t unit) const;
  [[nodiscard]] bool has(const World& world, const Access& access) const;

  // Forgets what the operations that are known imply.
  void prune(const World& world);
  [[nodiscard]] const std::vector<Known>& known() const { return known_; }  // by key

 private:
  void add(std::uint64_t key, std::uint64_t until);
  [[nodiscard]] std::uint64_t until(std::uint64_t key) const;
  std::vector<Known> known_;
};

// Whose operations come one after another. Unique in a run. A runtime joins actors by release() of one and acquire() of the
// other:
//   a launch or copy is enqueued     stream.acquire(host.release()) when it begins
//   an event is recorded, waited for later.acquire(what record kept of stream.release())
//   the host waits for a stream      host.acquire(stream.release())
// Knowledge for another process goes through World::leave().
class Actor {
 public:
  explicit Actor(World& world);
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  [[nodiscard]] Knowledge release() const;  // all operations that have ended
  void acquire(const Knowledge& knowledge);

  // An operation; at most one at a time. A Grid, and the accesses of Memory in an actor's name, begin and end theirs themselves.
  [[nodiscard]] std::uint64_t begin();  // its tick
  void end();
  [[nodiscard]] const Knowledge& knowledge() const { return knowledge_; }
  [[nodiscard]] std::uint16_t id() const { return id_; }

 private:
  World& world_;
  std::uint16_t id_;
  std::uint64_t tick_ = 0;  // of the last one that began
  Knowledge knowledge_;
};

}  // namespace softgpu
