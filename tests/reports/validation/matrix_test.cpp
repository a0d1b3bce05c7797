// Shares of what is usual, and their matrices.
#include "reports/validation/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "tests/reports/validation/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validation;
using railgauge::test::WithinAbs;

namespace {

double cell_of(const ShareMatrix& matrix, std::uint32_t from, std::uint32_t to) {
  const auto found =
      std::find_if(matrix.cells.begin(), matrix.cells.end(), [&](const ShareCell& it) { return it.from == from && it.to == to; });
  return found == matrix.cells.end() ? -1 : found->share;
}

}  // namespace

TEST_CASE("who sends slowly is a low row, on the rail of the fault and in that of all rails") {
  const Validation of = test::faulty_cable();
  const ShareMatrices matrices = share_matrices(of, shares_of(of));
  REQUIRE(matrices.matrices.size() == 3);
  CHECK(matrices.matrices[0].name == "all rails, the lowest of each pair");
  CHECK(matrices.matrices[2].name == "rail 1");
  CHECK(matrices.names.size() == 8);
  CHECK(matrices.grouped == 0);
  for (const std::uint32_t to : {0U, 1U, 2U, 4U, 5U, 6U, 7U}) {
    CHECK_THAT(cell_of(matrices.matrices[2], 3, to), WithinAbs(0.949, 0.03));
    CHECK_THAT(cell_of(matrices.matrices[2], to, 3), WithinAbs(1, 0.03));
    CHECK_THAT(cell_of(matrices.matrices[1], 3, to), WithinAbs(1, 0.03));
    CHECK(cell_of(matrices.matrices[0], 3, to) ==
          std::min(cell_of(matrices.matrices[1], 3, to), cell_of(matrices.matrices[2], 3, to)));
  }
  CHECK(cell_of(matrices.matrices[0], 3, 3) == -1);
}

TEST_CASE("pairs are compared with their like: rails, models and leaves apart") {
  Validation of = test::fleet({.hosts = 8, .rails = 2, .rounds = 7, .hosts_a_leaf = 4});
  for (Host& host : of.hosts) host.model = &host - of.hosts.data() < 4 ? "old" : "new";
  for (PairFigure& pair : of.pairs) {
    pair.gigabytes_per_second = pair.rail == 0 ? 10 : 20;
    if (pair.from < 4 && pair.to < 4) pair.gigabytes_per_second /= 2;
    if (of.hosts[pair.from].rails[0].leaf == of.hosts[pair.to].rails[0].leaf) pair.gigabytes_per_second *= 1.5;
  }
  for (const double share : shares_of(of)) CHECK(share == 1);
}

TEST_CASE("rounds that confirm do not say what is usual, and a dead pair is 0") {
  Validation of = test::healthy();
  const std::size_t count = of.pairs.size();
  for (PairFigure& pair : of.pairs) pair.gigabytes_per_second = 10;
  for (std::uint32_t i = 0; i < 1000; ++i) of.pairs.push_back({0, 1, 0, 9 + i, 5, {}, true});
  of.pairs[0].gigabytes_per_second = 0;
  const std::vector<double> shares = shares_of(of);
  CHECK(shares[0] == 0);
  CHECK(shares[1] == 1);
  CHECK(shares[count] == 0.5);
}

TEST_CASE("of more hosts than a matrix has rows, leaves or equal groups have one") {
  const Validation leaves = test::fleet({.hosts = 512, .rails = 1, .rounds = 4, .hosts_a_leaf = 16});
  const ShareMatrices by_leaf = share_matrices(leaves, shares_of(leaves));
  CHECK(by_leaf.names.size() == 32);
  CHECK(by_leaf.names[3] == "leaf3");
  CHECK(by_leaf.grouped == 16);
  const Validation none = test::fleet({.hosts = 1000, .rails = 1, .rounds = 4});
  const ShareMatrices by_number = share_matrices(none, shares_of(none));
  CHECK(by_number.names.size() == 125);
  CHECK(by_number.names[1] == "n[8-15]");
  CHECK(by_number.grouped == 8);
}

TEST_CASE("what cannot be is no cell") {
  const Validation of = test::without_numbers(test::faulty_cable());
  CHECK(share_matrices(of, shares_of(of)).matrices.empty());
  Validation strange = test::healthy();
  strange.pairs = {{900, 1, 0, 0, 5, {}, false}, {1, 1, 0, 0, 5, {}, false}, {0, 1, 70000, 0, 5, {}, false}};
  const std::vector<double> shares = shares_of(strange);
  CHECK(std::isnan(shares[0]));
  CHECK(std::isnan(shares[1]));
}
