// A suite whose history is known in every respect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/statistics/draws.hpp"
#include "reports/gate/judge.hpp"
#include "tests/reports/compare/results.hpp"

namespace railgauge::test {

// `cases` sizes of 1 ms each, that differ by 1 % from run to run; `runs` are in the baseline.
class Suite {
 public:
  Suite(std::size_t cases, std::size_t runs) : count_(cases) {
    for (std::size_t i = 0; i < runs; ++i) baseline_.push_back(run(1));
  }
  // Runs behind the baseline, `factor` times as slow.
  void go_on(std::size_t runs, double factor) {
    for (std::size_t i = 0; i < runs; ++i) since_.push_back(run(factor));
  }
  [[nodiscard]] std::vector<Result> run(double factor) {
    const std::string name = "run-" + std::to_string(++made_);
    std::vector<Result> results;
    for (std::size_t i = 0; i < count_; ++i)
      results.push_back(launch_result(name, std::uint64_t{64} << i, factor * 1e-3 * (1 + 0.01 * draws_.normal()), draws_));
    return results;
  }
  // A new run, exactly `factor` times the usual time.
  [[nodiscard]] std::vector<gate::Watched> watched(double factor) {
    std::vector<gate::Watched> cases;
    const std::vector<Result> now = run(factor);
    for (std::size_t i = 0; i < count_; ++i) {
      gate::Watched& one = cases.emplace_back();
      one.key = compare::key_of(now[i]);
      one.now = Seconds(factor * 1e-3);
      for (const auto& earlier : baseline_) one.baseline.push_back({earlier[i].run, earlier[i].summary.median});
      for (const auto& earlier : since_) one.since.push_back({earlier[i].run, earlier[i].summary.median});
    }
    return cases;
  }

 private:
  std::size_t count_, made_ = 0;
  compare::Draws draws_{91};
  std::vector<std::vector<Result>> baseline_, since_;
};

}  // namespace railgauge::test
