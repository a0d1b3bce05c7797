// When the rule stops, and how often the interval then holds the truth.
#include "bench/measure/stop.hpp"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "base/statistics/samples.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// AR(1) noise about 1, as wide as `sigma`; its true median is 1.
class Noise {
 public:
  Noise(std::uint64_t seed, double phi, double sigma, bool lognormal)
      : generator_(seed), phi_(phi), sigma_(sigma), lognormal_(lognormal), state_(normal_(generator_)) {}
  double next() {
    state_ = phi_ * state_ + std::sqrt(1 - phi_ * phi_) * normal_(generator_);
    return lognormal_ ? std::exp(sigma_ * state_) : 1 + sigma_ * state_;
  }

 private:
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_;
  double phi_, sigma_;
  bool lognormal_;
  double state_;
};

struct Coverage {
  double share = 0, samples = 0;
};

Coverage coverage(double phi, double precision, bool lognormal) {
  const int runs = usual_or_thorough(300, 1500);
  Policy policy;
  policy.precision = precision;
  policy.max_time = Seconds{1e9};
  int covered = 0;
  double samples_in_all = 0;
  for (int run = 0; run < runs; ++run) {
    Noise noise(static_cast<std::uint64_t>(run) * 7919 + 1, phi, 0.05, lognormal);
    std::vector<double> samples;
    StopDecision stop;
    while ((stop = decide(policy, samples, 1, Seconds{static_cast<double>(samples.size()) * 1e-3})).decision == Decision::more)
      for (std::uint64_t i = 0; i < stop.more; ++i) samples.push_back(noise.next());
    const Statistics s = summarise(samples, policy.confidence);
    covered += stop.decision == Decision::converged && s.ci_low <= 1 && 1 <= s.ci_high ? 1 : 0;
    samples_in_all += static_cast<double>(samples.size());
  }
  const Coverage result{covered / static_cast<double>(runs), samples_in_all / runs};
  std::printf(
      "phi %.1f, %s noise of 5 %%, wanted precision %g %%: the interval held the true median in %.1f %% of %d runs, %.0f samples "
      "a run\n",
      phi, lognormal ? "lognormal" : "gaussian", precision * 100, result.share * 100, runs, result.samples);
  return result;
}

std::vector<double> noise(std::size_t count, double sigma, double scale) {
  Noise made(5, 0, sigma, false);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(scale * made.next());
  return samples;
}

}  // namespace

TEST_CASE("the 95 % interval holds the true median in at least 92 % of runs of the rule", "[long]") {
  for (const double precision : {0.01, 0.02})
    for (const double phi : {0.0, 0.6, 0.9})
      for (const bool lognormal : {false, true}) {
        INFO("phi " << phi << " precision " << precision << " lognormal " << lognormal << ", seeds 1 + 7919 k");
        CHECK(coverage(phi, precision, lognormal).share >= 0.92);
      }
}

TEST_CASE("without samples the rule asks for the least number") {
  Policy policy;
  policy.min_samples = 37;
  const StopDecision stop = decide(policy, {}, 1, Seconds{0});
  CHECK(stop.decision == Decision::more);
  CHECK(stop.more == 37);
}

TEST_CASE("steady samples converge as soon as there are enough of them") {
  const Policy policy;
  CHECK(decide(policy, std::vector<double>(59, 1e-3), 1, Seconds{0.1}).decision == Decision::more);
  CHECK(decide(policy, std::vector<double>(60, 1e-3), 1, Seconds{0.1}).decision == Decision::converged);
  Policy slow = policy;
  slow.min_time = Seconds{0.2};
  CHECK(decide(slow, std::vector<double>(60, 1e-3), 1, Seconds{0.1}).decision == Decision::more);
  CHECK(decide(slow, std::vector<double>(60, 1e-3), 1, Seconds{0.2}).decision == Decision::converged);
}

TEST_CASE("looks come at geometrically growing numbers, and never beyond the ceiling") {
  Policy policy;
  policy.max_time = Seconds{1e9};
  policy.max_samples = 1000;
  CHECK(decide(policy, noise(100, 0.3, 1), 1, Seconds{1}).more == 51);
  CHECK(decide(policy, noise(400, 0.3, 1), 1, Seconds{1}).more == 201);
  CHECK(decide(policy, noise(990, 0.3, 1), 1, Seconds{1}).more == 10);
  const StopDecision end = decide(policy, noise(1000, 0.3, 1), 1, Seconds{1});
  CHECK(end.decision == Decision::not_converged);
  CHECK_THAT(end.reason, ContainsSubstring("1000 samples were taken"));
}

TEST_CASE("no more samples are asked for than the time that is left has room for") {
  Policy policy;
  policy.max_time = Seconds{1.125};
  CHECK(decide(policy, noise(100, 0.3, 1), 1, Seconds{1}).more == 13);
}

TEST_CASE("the end of the time is said, with what was reached") {
  Policy policy;
  policy.max_time = Seconds{2};
  const StopDecision wide = decide(policy, noise(100, 0.5, 1e-3), 1, Seconds{2});
  CHECK(wide.decision == Decision::not_converged);
  CHECK_THAT(wide.reason, ContainsSubstring("1 % are wanted"));
  CHECK_THAT(wide.reason, ContainsSubstring("the time of 2 s was over"));
  const StopDecision few = decide(policy, noise(10, 0.5, 1e-3), 1, Seconds{2});
  CHECK(few.decision == Decision::not_converged);
  CHECK_THAT(few.reason, ContainsSubstring("effective samples"));
}

TEST_CASE("few effective samples are not believed, however narrow their interval") {
  Policy policy;
  policy.precision = 0.5;
  std::vector<double> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(i / 40 % 2 == 0 ? 1.0 : 1.001);
  CHECK(decide(policy, blocks, 1, Seconds{1}).decision == Decision::more);
}

TEST_CASE("two per cent are enough below ten microseconds") {
  const Policy policy;
  CHECK(wanted_precision(policy, 2e-6) == 0.02);
  CHECK(wanted_precision(policy, 2e-5) == 0.01);
  Policy strict;
  strict.precision = 0.001;
  CHECK(wanted_precision(strict, 2e-6) == 0.001);
}

TEST_CASE("a fixed number of iterations is taken, whatever they show") {
  Policy policy;
  policy.iterations = 20;
  policy.max_time = Seconds{0.001};
  CHECK(decide(policy, {}, 8, Seconds{0}).more == 3);
  CHECK(decide(policy, noise(2, 1, 1), 8, Seconds{100}).more == 1);
  CHECK(decide(policy, noise(3, 1, 1), 8, Seconds{100}).decision == Decision::converged);
}
