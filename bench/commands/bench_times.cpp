// Adds the options of bench/commands/bench_times.hpp, and reads them.
#include "bench/commands/bench_times.hpp"

#include <limits>

#include "base/error.hpp"
#include "bench/options/values.hpp"

namespace railgauge {

void add_time_options(CLI::App& command, GivenTimes& given, const std::string& longest) {
  command.add_option("--precision", given.precision, "Half width of the median's 95 % interval at which to stop, for example 1%")
      ->check(options::a_share());
  command.add_option("--min-time", given.min_time, "Least time for a point, for example 100ms")->check(options::a_time());
  command.add_option("--max-time", given.max_time, "Most time for a point (default " + longest + ")")->check(options::a_time());
  command.add_option("--duration", given.duration, "Exactly so long for a point, for example 5s")->check(options::a_time());
  command.add_option("--iterations", given.iterations, "So many timed iterations, instead of the stopping rule")
      ->check(options::whole(1, std::numeric_limits<std::uint64_t>::max()));
  command
      .add_option("--budget", given.budget,
                  "Most time for the whole sweep; what is left over is skipped (bench tune gives each collective a share)")
      ->check(options::a_time());
}

void read_times(const GivenTimes& given, const std::string& max_time, Policy& policy) {
  policy.max_time = parse_seconds(given.max_time.empty() ? max_time : given.max_time);
  if (!given.duration.empty()) {
    if (!given.min_time.empty() || !given.max_time.empty())
      throw Error(Fault::usage, "--duration is both --min-time and --max-time: leave those out");
    policy.min_time = policy.max_time = parse_seconds(given.duration);
  }
  if (!given.precision.empty()) policy.precision = parse_fraction(given.precision);
  if (!given.min_time.empty()) policy.min_time = parse_seconds(given.min_time);
  if (policy.min_time > policy.max_time) throw Error(Fault::usage, "--min-time is longer than --max-time");
  if (given.iterations != 0) policy.iterations = given.iterations;
}

std::optional<Seconds> budget_of(const GivenTimes& given) {
  return given.budget.empty() ? std::nullopt : std::optional(parse_seconds(given.budget));
}

}  // namespace railgauge
