// Results of launches that comparisons are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/statistics/draws.hpp"
#include "reports/compare/side.hpp"
#include "reports/result.hpp"

namespace railgauge::test {

// An all_reduce of `bytes` that took `seconds`, give or take 1 %, in the launch `run`.
inline Result launch_result(const std::string& run, std::uint64_t bytes, double seconds, compare::Draws& draws) {
  Result result;
  result.run = run;
  result.point.collective = "all_reduce";
  result.point.algorithm = "ring";
  result.point.transport = "shm";
  result.point.type = "float32";
  result.point.op = "sum";
  result.point.ranks = 2;
  result.point.nodes = 1;
  result.point.bytes = bytes;
  result.point.count = bytes / 4;
  result.host = {"node1", "A processor", "Linux 6.1"};
  result.versions = {{"railgauge", "0.1.0"}};
  for (int i = 0; i < 100; ++i) result.samples.emplace_back(seconds * (1 + 0.01 * draws.normal()));
  result.summary.samples = result.samples.size();
  result.summary.effective_samples = 100;
  result.summary.median = Seconds(seconds);
  return result;
}

// `launches` of sizes 8, 4096 and 1048576 that differ by 1 %; `factor` times as slow as the first.
inline void add_launches(compare::Side& side, const std::string& name, std::size_t launches, double factor,
                         compare::Draws& draws) {
  for (std::size_t i = 0; i < launches; ++i) {
    const std::string run = name + std::to_string(i);
    const double luck = factor * (1 + 0.01 * draws.normal());
    side.add(run + ".jsonl", launch_result(run, 8, 1e-6 * luck, draws));
    side.add(run + ".jsonl", launch_result(run, 4096, 2e-6 * luck, draws));
    side.add(run + ".jsonl", launch_result(run, 1048576, 3e-4 * luck, draws));
  }
}

}  // namespace railgauge::test
