// Every algorithm of the catalog proved for every rank count that it serves, and the table of it printed and compared with
// docs/schedules.md.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/verify/verify.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// Of more ranks than this each proof takes long.
constexpr std::int32_t most_usually = test::sanitized ? 33 : 64;

// The documentation carries the same table.
std::string read_page() {
  std::ifstream file(RAILGAUGE_SCHEDULES_PAGE);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "2-33 64 127-128".
class RankList {
 public:
  void add(std::int32_t ranks) {
    if (!runs_.empty() && runs_.back().second == ranks - 1)
      runs_.back().second = ranks;
    else
      runs_.emplace_back(ranks, ranks);
  }
  [[nodiscard]] std::string text() const {
    std::string result;
    for (const auto& [first, last] : runs_) {
      if (!result.empty()) result += " ";
      result += first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
    }
    return result;
  }

 private:
  std::vector<std::pair<std::int32_t, std::int32_t>> runs_;
};

std::string joined(const Findings& findings) {
  std::string text;
  for (const std::string& finding : findings) text += finding + "\n";
  return text;
}

bool prove(const Algorithm& algorithm, const Shape& shape, VerifyOptions options) {
  if (algorithm.equal_blocks) options.sizes = Sizes::equal;
  const Findings findings = verify(algorithm.collective, build_all(algorithm, shape), shape, options);
  INFO(name(algorithm.collective) << " " << algorithm.name << ", " << shape.ranks << " ranks, root " << shape.root << ", "
                                  << shape.ranks_per_node << " a node, " << options.lanes << " lanes"
                                  << (options.in_place ? ", in place" : ""));
  INFO(joined(findings));
  CHECK(findings.empty());
  return findings.empty();
}

}  // namespace

TEST_CASE("every algorithm is proved for every rank count, apart and in place", "[long]") {
  const std::string page = read_page();
  const std::string head = "| collective | algorithm | ranks proved | in place | shapes |\n|---|---|---|---|---|\n";
  std::printf("%s", head.c_str());
  CHECK_THAT(page, ContainsSubstring(head));
  for (const Algorithm& algorithm : catalog()) {
    RankList proved;
    int shapes = 0;
    for (const std::int32_t ranks : proof_ranks()) {
      if (ranks > most_usually && !thorough()) continue;
      const std::vector<Shape> served = shapes_of(algorithm, ranks);
      bool all = !served.empty();
      for (const Shape& shape : served) {
        all = prove(algorithm, shape, {}) && all;
        if (algorithm.in_place) all = prove(algorithm, shape, {.in_place = true}) && all;
        shapes += algorithm.in_place ? 2 : 1;
      }
      if (all) proved.add(ranks);
    }
    const std::string row =
        "| " + std::string(name(algorithm.collective)) + " | " + std::string(algorithm.name) + " | " + proved.text();
    const std::string rest = std::string(" | ") + (algorithm.in_place ? "yes" : "no") + " | " + std::to_string(shapes) + " |\n";
    std::printf("%s", (row + rest).c_str());
    // The page has the ranks of all proofs, of which these are the first.
    CHECK_THAT(page, ContainsSubstring("\n" + row + (thorough() ? rest : std::string(" "))));
  }
}

TEST_CASE("every algorithm is proved with several lanes, and with blocks of nothing") {
  for (const Algorithm& algorithm : catalog()) {
    for (std::int32_t ranks = 1; ranks <= 9; ++ranks) {
      for (const Shape& shape : shapes_of(algorithm, ranks)) {
        for (const bool in_place : {false, true}) {
          if (in_place && !algorithm.in_place) continue;
          for (const std::size_t lanes : {1U, 2U, 3U}) prove(algorithm, shape, {.in_place = in_place, .lanes = lanes});
          prove(algorithm, shape, {.in_place = in_place, .sizes = Sizes::some_empty, .lanes = 2});
        }
      }
    }
  }
}
