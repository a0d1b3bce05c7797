// Which differences of two commands are meant.
#include "reports/compare/purpose.hpp"

#include <string>
#include <vector>

#include "tests/reports/compare/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using compare::differing_on_purpose;
using compare::LaunchResults;
using railgauge::test::launch_result;

namespace {

using Names = std::vector<std::string>;

// Launches of two sizes, `base` and `next`, that are changed by whoever asks.
struct Made {
  std::vector<std::vector<Result>> base, next;
  Made() {
    compare::Draws draws(7);
    for (int i = 0; i < 3; ++i)
      for (auto* const side : {&base, &next}) {
        const std::string run = (side == &base ? "base" : "next") + std::to_string(i);
        side->push_back({launch_result(run, 8, 1e-6, draws), launch_result(run, 4096, 2e-6, draws)});
      }
  }
  template <class Change>
  void each(std::vector<std::vector<Result>>& side, const Change& change) {
    for (auto& launch : side)
      for (Result& result : launch) change(result);
  }
  [[nodiscard]] Names names() const {
    const auto launches = [](const std::vector<std::vector<Result>>& side) {
      std::vector<LaunchResults> all;
      for (const auto& launch : side) all.push_back({launch.front().run + ".jsonl", launch});
      return all;
    };
    const auto first = launches(base), second = launches(next);
    return differing_on_purpose(first, second);
  }
};

}  // namespace

TEST_CASE("sides that are alike differ in nothing on purpose") { CHECK(Made().names().empty()); }

TEST_CASE("what has one value on each side differs on purpose") {
  Made made;
  made.each(made.next, [](Result& result) {
    result.versions = {{"railgauge", "0.2.0"}, {"ucx", "1.18.0"}};
    result.settings = {{"ucx.tls", "tcp"}};
    result.point.path = "mapped";
  });
  CHECK(made.names() == Names{"path", "settings.ucx.tls", "versions.railgauge", "versions.ucx"});
}

TEST_CASE("a word of the case differs on purpose where cases stay apart without it") {
  Made made;
  made.each(made.next, [](Result& result) {
    result.point.algorithm = "tree";
    result.point.transport = "ucx";
  });
  CHECK(made.names() == Names{"transport", "algorithm"});
  // Two algorithms at each size of one side: which of them is the one of the other side?
  for (auto& launch : made.next)
    for (const std::size_t i : {0U, 1U}) {
      Result other = launch[i];
      other.point.algorithm = "ring";
      launch.push_back(other);
    }
  CHECK(made.names() == Names{"transport"});
}

TEST_CASE("what differs within a side, and where it ran, is no purpose") {
  Made made;
  made.each(made.next, [](Result& result) { result.host.kernel = "Linux 6.12"; });
  made.next[1][0].versions = {{"railgauge", "0.2.0"}};
  CHECK(made.names().empty());
}
