// Any share of the hosts is slow, from one to all but one: found, and nobody else. RAILGAUGE_VALIDATIONS and
// RAILGAUGE_VALIDATIONS_SEED as in acceptance_test.cpp.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/validate/campaign.hpp"

using namespace railgauge::test;
using railgauge::validate::Index;

namespace {

int runs(int own) {
  const char* const asked = std::getenv("RAILGAUGE_VALIDATIONS");
  return asked != nullptr ? std::stoi(asked) : own;
}
std::uint64_t seed(std::uint64_t own) {
  const char* const asked = std::getenv("RAILGAUGE_VALIDATIONS_SEED");
  return own + (asked != nullptr ? std::stoull(asked) : 0);
}

void check(const FatTree& shape, double share, double slower, int count, std::uint64_t own) {
  Noise noise;
  noise.shared = 0.5;
  const std::string name =
      fmt::format("{} hosts, {:.0f} % of them {:.0f} % slower", shape.all_hosts(), 100 * share, 100 * slower);
  const Tally tally = run({name.c_str(), shape, Kind::share_of_hosts, slower, noise, 8, share}, runs(count), seed(own));
  INFO(name);
  CHECK(tally.found >= 0.99 * tally.faults);
  CHECK(tally.falsely_named <= 0.02 * tally.runs);
}

}  // namespace

TEST_CASE("shares: of 128 hosts any share is slow") {
  for (const double share : {0.0, 0.05, 0.15, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95, 1.0})
    for (const double slower : {0.1, 0.5, 0.9}) {
      // The one good host shows itself in few measurements: docs/validate-method.md has the figure.
      if (share == 1 && slower < 0.2) continue;
      // Of each share one slowdown, alternating, and all of them in ci/full.
      if (!thorough() && std::lround(100 * share + 10 * slower) % 3 != 0) continue;
      check(tree_of_128(), share, slower, 1, 61);
    }
}

TEST_CASE("shares: of two classes of hardware any share is slow, and the slower class is not") {
  for (const Index every : {2U, 3U, 8U}) {
    if (every == 3 && !thorough()) continue;
    FatTree shape = tree_of_128();
    shape.second_class = every;
    for (const double share : {0.3, 0.5, 0.8}) check(shape, share, 0.5, 1, 63);
    // One alone, in a fleet of which half is of another class, is met by few of its own: docs/validate-method.md has the figure.
    if (every > 2) check(shape, 0, 0.5, 1, 63);
    Noise noise;
    noise.shared = 0.5;
    const Tally healthy = run({"128 hosts of two classes, healthy", shape, Kind::nothing, 0, noise}, runs(1), seed(64));
    CHECK(healthy.falsely_named <= 0.02 * healthy.runs);
  }
}

TEST_CASE("shares: of 2,048 hosts any share is slow", "[long]") {
  FatTree shape = tree_of_2048();
  shape.rails = 1;  // planes are alike
  for (const double share : {0.5, 1.0}) check(shape, share, 0.5, 1, 62);
}

TEST_CASE("shares: a cable between spine and core that flaps is found") {
  Noise noise;
  noise.repeats = 8;
  FatTree shape = tree_of_128();
  shape.rails = 1;
  const Tally tally = run({"a spine cable flaps", shape, Kind::flapping_spine_link, 0.9, noise, 16}, runs(2), seed(65));
  CHECK(tally.found >= 0.99 * tally.faults);
  CHECK(tally.falsely_named <= 0.02 * tally.runs);
}
