// Who loses packets, in fleets whose losses are made up: steady or in bursts, at one host or at nearly all.
#include "bench/validate/method/losses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/statistics/draws.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validate;
using namespace railgauge::test;
using compare::Draws;

namespace {

// What happens to packets on their way where nothing is wrong.
struct Usual {
  double steady = 0;   // share that is lost
  double bursts = 0;   // chance of a burst in a transfer
  double spread = 0;   // standard deviation of the logarithm of hosts' own steady share
  double largest = 0;  // of a burst, as a share of the transfer
};

struct Made {
  Fleet fleet;
  std::vector<Sent> sent;
};

double losses_of(Draws& draws, double expected) {
  // Poisson by its distances where it is small, normal where it is large.
  if (expected > 50) return std::max(0.0, std::round(expected + std::sqrt(expected) * draws.normal()));
  double count = 0;
  for (double left = expected + std::log(draws.uniform()); left > 0; left += std::log(draws.uniform())) ++count;
  return count;
}

// `out` and `in` by host: the shares that its cable loses; each loss takes `together` packets.
Made make(Index hosts, Index rounds, const std::vector<double>& out, const std::vector<double>& in, const Usual& usual,
          double together, double packets, Draws& draws) {
  Made made;
  for (Index i = 0; i < hosts; ++i) made.fleet.hosts.push_back({"n" + std::to_string(i), "", npos, {{"eth0", npos, 0, 0, ""}}});
  std::vector<double> own(hosts);
  for (double& each : own) each = usual.steady * std::exp(usual.spread * draws.normal());
  Index number = 0;
  for (const Round& round : tournament(made.fleet, {rounds, draws.next()})) {
    for (const Pair& pair : round.pairs)
      for (const auto& [from, to] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
        double lost = losses_of(draws, packets * (own[from] + own[to]));
        lost += together * losses_of(draws, packets * (out[from] + in[to]) / together);
        if (draws.uniform() < usual.bursts) lost += packets * usual.largest * draws.uniform() * draws.uniform();
        made.sent.push_back({from, to, 0, number, static_cast<std::uint64_t>(packets), static_cast<std::uint64_t>(lost)});
      }
    ++number;
  }
  return made;
}

std::vector<Index> faulty(const std::vector<Lossy>& found) {
  std::vector<Index> hosts;
  for (const Lossy& each : found)
    if (each.faulty) hosts.push_back(each.host);
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

Index rounds_of(Index hosts) { return hosts <= 4 ? 12 : 8; }

int runs() {
  const char* const asked = std::getenv("RAILGAUGE_VALIDATIONS");
  return asked != nullptr ? std::atoi(asked) : 100;
}
Draws drawn(std::uint64_t otherwise) {
  const char* const asked = std::getenv("RAILGAUGE_VALIDATIONS_SEED");
  const std::uint64_t seed = asked != nullptr ? std::strtoull(asked, nullptr, 10) : otherwise;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return Draws(seed);
}

}  // namespace

TEST_CASE("losses: where nobody loses more than others, nobody is named") {
  Draws draws = drawn(41);
  const Usual kinds[] = {{},
                         {1e-5, 0, 0, 0},
                         {1e-3, 0, 0, 0},
                         {5e-5, 0, 0.4, 0},
                         {0, 0.05, 0, 0.3},
                         {0, 0.3, 0, 0.3},
                         {1e-5, 0.5, 0.4, 0.1},
                         {0, 0.9, 0, 0.01}};
  for (const Usual& usual : kinds)
    for (const Index hosts : {2U, 3U, 4U, 5U, 8U, 16U}) {
      int wrong = 0;
      for (int run = 0; run < runs(); ++run) {
        const Made made =
            make(hosts, rounds_of(hosts), std::vector<double>(hosts), std::vector<double>(hosts), usual, 1, 5000, draws);
        wrong += faulty(find_losses(made.fleet, made.sent)).empty() ? 0 : 1;
      }
      INFO(hosts << " hosts, steady " << usual.steady << ", bursts " << usual.bursts << ": " << wrong << " of " << runs());
      CHECK(100 * wrong <= runs());
    }
}

TEST_CASE("losses: from one host to all but one that lose packets, steadily or some at once") {
  Draws draws = drawn(42);
  for (const double share : {1e-3, 1e-2})
    for (const double together : {1.0, 7.0})
      for (const Index hosts : {4U, 6U, 8U})
        for (Index bad = 1; bad < hosts; ++bad) {
          int right = 0, wrong = 0;
          for (int run = 0; run < runs(); ++run) {
            std::vector<double> loses(hosts);
            for (Index i = 0; i < bad; ++i) loses[i] = share;
            const Made made = make(hosts, rounds_of(hosts), loses, loses, {1e-6, 0.02, 0, 0.01}, together, 9000, draws);
            const std::vector<Index> found = faulty(find_losses(made.fleet, made.sent));
            right += found.size() == bad && (bad == 0 || found.back() == bad - 1) ? 1 : 0;
            wrong += !found.empty() && found.back() >= bad ? 1 : 0;
          }
          std::printf("%u of %u hosts lose %g, %g at once: %d right, %d wrong of %d\n", bad, hosts, share, together, right, wrong,
                      runs());
          INFO(bad << " of " << hosts << " hosts lose " << share << ", " << together << " at once: " << right << " right, "
                   << wrong << " wrong of " << runs());
          CHECK(100 * wrong <= 2 * runs());
          if (together == 1 && (bad == 1 || share > 5e-3)) CHECK(100 * right >= 95 * runs());
        }
}

TEST_CASE("losses: one direction is told from both") {
  Draws draws = drawn(43);
  const std::vector<double> none(4), one{0, 0, 2e-3, 0};
  const auto direction = [&](const std::vector<double>& out, const std::vector<double>& in) {
    const Made made = make(4, 12, out, in, {}, 1, 5000, draws);
    const std::vector<Lossy> found = find_losses(made.fleet, made.sent);
    REQUIRE(faulty(found) == std::vector<Index>{2});
    return diagnosis_of(made.fleet, found.front()).direction;
  };
  CHECK(direction(one, none) == "sending");
  CHECK(direction(none, one) == "receiving");
  CHECK(direction(one, one) == "both ways");
}

TEST_CASE("losses: of two hosts, and where all lose, nobody is named and it is said") {
  Draws draws = drawn(44);
  for (const Index hosts : {2U, 3U, 4U, 8U}) {
    const std::vector<double> all(hosts, 1e-3);
    const Made made = make(hosts, rounds_of(hosts), all, all, {}, 1, 5000, draws);
    const std::vector<Lossy> found = find_losses(made.fleet, made.sent);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found.front().faulty);
    CHECK(found.front().others_losing.size() == hosts);
    const Diagnosis diagnosis = diagnosis_of(made.fleet, found.front());
    CHECK(diagnosis.blame == Blame::inconclusive);
    CHECK(diagnosis.hosts.empty());
    CHECK(diagnosis.from == (hosts == 2 ? "n0:eth0" : "all hosts"));
    CHECK(diagnosis.to == (hosts == 2 ? "n1:eth0" : ""));
  }
}

TEST_CASE("losses: rounds in which a host met several others say nothing of whom it lost packets with") {
  Draws draws = drawn(45);
  std::vector<double> one(4);
  one[1] = 1e-2;
  Made made = make(4, 12, one, one, {}, 1, 5000, draws);
  const std::size_t clear = made.sent.size();
  // Host 0 sends to all, and what it counts is the same for each of them.
  for (Index round = 100; round < 140; ++round)
    for (const Index to : {1U, 2U, 3U}) made.sent.push_back({0, to, 0, round, 5000, 500});
  CHECK(faulty(find_losses(made.fleet, made.sent)) == std::vector<Index>{1});
  CHECK(find_losses(made.fleet, std::span(made.sent).subspan(clear)).empty());
}

TEST_CASE("losses: a port that counts by itself is named, and else the host") {
  Draws draws = drawn(46);
  std::vector<double> one(4);
  one[3] = 1e-2;
  for (const bool of_port : {true, false}) {
    Made made = make(4, 12, one, one, {}, 1, 5000, draws);
    made.fleet.rails = 2;
    for (Host& host : made.fleet.hosts) host.rails = {{"mlx5_0/1", npos, 0, 0, ""}, {"mlx5_1/1", npos, 0, 0, ""}};
    std::vector<Sent> both;
    for (Sent each : made.sent) {
      each.of_port = of_port;
      each.rail = 1;
      both.push_back(each);
      each.rail = 0;
      if (of_port) each.resent = 0;
      both.push_back(each);
    }
    const std::vector<Lossy> found = find_losses(made.fleet, both);
    REQUIRE(faulty(found) == std::vector<Index>{3});
    CHECK(diagnosis_of(made.fleet, found.front()).from == (of_port ? "n3:mlx5_1/1" : "n3"));
  }
}

TEST_CASE("losses: odd counts are no trouble") {
  Fleet fleet;
  for (int i = 0; i < 3; ++i) fleet.hosts.push_back({std::to_string(i), "", npos, {}});
  CHECK(find_losses(fleet, {}).empty());
  CHECK(find_losses(fleet, std::vector<Sent>{{0, 1, 0, 0, 0, 0}, {1, 2, 0, 1, 5, 5}}).empty());
  CHECK(find_losses(fleet, std::vector<Sent>{{0, 1, 0, 0, 1000, UINT64_MAX}, {1, 2, 7, 1, UINT64_MAX, UINT64_MAX}}).empty());
}
