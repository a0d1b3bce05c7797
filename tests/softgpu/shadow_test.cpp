// Shadow memory against a plain model that keeps every byte apart.
#include <algorithm>
#include <array>

#include "tests/softgpu/rig.hpp"

namespace softgpu::test {
namespace {

constexpr std::size_t actors = 3, bytes = 600;
using Times = std::array<std::uint64_t, actors>;  // by actor; 0: never

// What each actor knows of the others' operations, and who wrote and read a byte last.
struct Model {
  struct Byte {
    std::size_t writer = 0;
    std::uint64_t written = 0;
    Times read{};  // since it was written
  };
  std::array<Times, actors> known{};
  std::vector<Byte> memory = std::vector<Byte>(bytes);

  void join(std::size_t actor, std::size_t other) {
    for (std::size_t i = 0; i < actors; ++i) known[actor][i] = std::max(known[actor][i], known[other][i]);
  }
  // Whether it is a race.
  bool access(std::size_t actor, std::size_t at, std::size_t count, bool writes) {
    Times& mine = known[actor];
    const std::uint64_t now = ++mine[actor];
    bool race = false;
    for (std::size_t i = at; i < at + count; ++i) {
      Byte& byte = memory[i];
      race |= byte.written > mine[byte.writer];
      for (std::size_t reader = 0; writes && reader < actors; ++reader) race |= byte.read[reader] > mine[reader];
      if (writes)
        byte = {actor, now, {}};
      else
        byte.read[actor] = now;
    }
    return race;
  }
};

std::uint64_t races(const Rig& rig) {
  std::uint64_t count = 0;
  for (const Finding& finding : rig.findings.all())
    if (finding.kind == Finding::Kind::race) count += finding.times;
  return count;
}

}  // namespace

TEST_CASE("accesses of all sizes race where a model of single bytes says so") {
  std::uint64_t found = 0, steps = 0;
  for (std::uint64_t seed = 0; seed < rounds("SOFTGPU_SHADOW_SEEDS", 40); ++seed) {
    Rig rig(seed);
    std::mt19937_64 random(seed);
    const Buffer memory(rig, bytes, random() % 16);
    std::array<Actor, actors> all{Actor(rig.world), Actor(rig.world), Actor(rig.world)};
    Model model;
    for (int step = 0; step < 400; ++step) {
      const std::size_t actor = random() % actors;
      if (random() % 2 == 0) {
        const std::size_t other = random() % actors;
        all[actor].acquire(all[other].release());
        model.join(actor, other);
      }
      // As kernels access it, as copies do, or somewhere.
      const std::uint64_t kind = random() % 3;
      std::size_t count = kind == 0 ? std::size_t{1} << random() % 5 : kind == 1 ? 1 + random() % bytes : 1 + random() % 40;
      const std::size_t at = random() % (kind == 1 ? bytes : 64) / (kind == 0 ? count : 1) * (kind == 0 ? count : 1);
      count = std::min(count, bytes - at);
      const bool writes = random() % 3 == 0;
      const std::uint64_t before = races(rig);
      if (writes)
        rig.memory.write(all[actor], memory.data() + at, count, Operation::copy);
      else
        rig.memory.read(all[actor], memory.data() + at, count, Operation::copy);
      INFO("seed " << seed << ", step " << step << ": actor " << actor << (writes ? " writes " : " reads ") << count << " at "
                   << at);
      const bool race = model.access(actor, at, count, writes);
      REQUIRE((races(rig) != before) == race);
      found += race ? 1 : 0;
      ++steps;
    }
  }
  // Neither all nor none.
  CHECK(found > steps / 10);
  CHECK(found < steps - steps / 10);
}

}  // namespace softgpu::test
