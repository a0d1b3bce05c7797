// Who is named in a matrix of pairs: random clusters with a slow host, direction or pair put in, and nothing named where nothing
// is.
#include "reports/pairs/pair_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "reports/pairs/pair_text.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr std::uint64_t seed = 4711;

class Cluster {
 public:
  explicit Cluster(std::uint64_t from) : random_(from) {}
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  // Every pair within 4 % of the same time.
  PairMatrix even(int ranks) {
    PairMatrix matrix(ranks);
    const double base = 1e-6 * (1 + below(100'000));
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) matrix.set(from, to, base * (1 + 0.0004 * below(100)));
    return matrix;
  }

 private:
  std::mt19937_64 random_;
};

void slow_down(PairMatrix& matrix, int rank, bool send, bool receive, double factor) {
  for (int other = 0; other < matrix.ranks(); ++other) {
    if (send) matrix.set(rank, other, matrix.at(rank, other) * factor);
    if (receive) matrix.set(other, rank, matrix.at(other, rank) * factor);
  }
}

}  // namespace

TEST_CASE("where all are alike nobody is named") {
  Cluster cluster(seed);
  for (int turn = 0; turn < 200; ++turn) {
    const int ranks = 2 + cluster.below(30);
    const Stragglers found = find_stragglers(cluster.even(ranks));
    INFO("seed " << seed << ", turn " << turn << ", " << ranks << " ranks");
    CHECK(found.ranks.empty());
    CHECK(found.pairs.empty());
    CHECK(found.rest.median > 0);
  }
}

TEST_CASE("one slow host is named, with its direction, and none of its pairs besides") {
  Cluster cluster(seed);
  for (int turn = 0; turn < 300; ++turn) {
    const int ranks = 3 + cluster.below(30);
    const int victim = cluster.below(ranks);
    const bool send = cluster.below(3) != 0, receive = !send || cluster.below(2) == 0;
    PairMatrix matrix = cluster.even(ranks);
    slow_down(matrix, victim, send, receive, 1.4 + cluster.below(20));
    const Stragglers found = find_stragglers(matrix);
    INFO("seed " << seed << ", turn " << turn << ", " << ranks << " ranks, victim " << victim << (send ? ", send" : "")
                 << (receive ? ", receive" : ""));
    REQUIRE(found.ranks.size() == 1);
    CHECK(found.ranks[0].rank == victim);
    CHECK(found.ranks[0].send.has_value() == send);
    CHECK(found.ranks[0].receive.has_value() == receive);
    CHECK(found.pairs.empty());
  }
}

TEST_CASE("fewer than half of the hosts being slow, each is named, the slowest first") {
  Cluster cluster(seed);
  for (int turn = 0; turn < 100; ++turn) {
    const int ranks = 7 + cluster.below(20);
    PairMatrix matrix = cluster.even(ranks);
    const int a = cluster.below(ranks), b = (a + 1 + cluster.below(ranks - 1)) % ranks;
    slow_down(matrix, a, true, true, 3);
    slow_down(matrix, b, true, false, 8);
    const Stragglers found = find_stragglers(matrix);
    INFO("seed " << seed << ", turn " << turn << ", " << ranks << " ranks: " << a << " and " << b);
    REQUIRE(found.ranks.size() == 2);
    CHECK(found.ranks[0].rank == b);
    CHECK_FALSE(found.ranks[0].receive.has_value());
    CHECK(found.ranks[1].rank == a);
    CHECK(found.ranks[1].receive.has_value());
    CHECK(found.pairs.empty());
  }
}

TEST_CASE("a direction that is hardly slow beside the other is not named, nor are its pairs") {
  Cluster cluster(seed);
  for (const bool send : {true, false}) {
    PairMatrix matrix = cluster.even(4);
    slow_down(matrix, 1, send, !send, 5.3);
    slow_down(matrix, 1, !send, send, 1.3);
    const Stragglers found = find_stragglers(matrix);
    REQUIRE(found.ranks.size() == 1);
    CHECK(found.ranks.front().rank == 1);
    CHECK(found.ranks.front().send.has_value() == send);
    CHECK(found.ranks.front().receive.has_value() != send);
    CHECK(found.pairs.empty());
  }
}

TEST_CASE("a slow pair between good hosts is named as a pair") {
  Cluster cluster(seed);
  for (int turn = 0; turn < 100; ++turn) {
    const int ranks = 3 + cluster.below(20);
    const int from = cluster.below(ranks), to = (from + 1 + cluster.below(ranks - 1)) % ranks;
    PairMatrix matrix = cluster.even(ranks);
    matrix.set(from, to, matrix.at(from, to) * 2);
    const Stragglers found = find_stragglers(matrix);
    INFO("seed " << seed << ", turn " << turn << ", " << ranks << " ranks");
    CHECK(found.ranks.empty());
    REQUIRE(found.pairs.size() == 1);
    CHECK(found.pairs[0].from == from);
    CHECK(found.pairs[0].to == to);
    CHECK(found.pairs[0].distance.ratio > 1.8);
  }
}

TEST_CASE("of two ranks only the pair can be named") {
  PairMatrix matrix(2);
  matrix.set(0, 1, 1);
  matrix.set(1, 0, 5);
  const Stragglers found = find_stragglers(matrix);
  CHECK(found.ranks.empty());
  REQUIRE(found.pairs.size() == 1);
  CHECK(found.pairs[0].from == 1);
}

TEST_CASE("what is not known, or no number, names nobody") {
  CHECK(find_stragglers(PairMatrix(0)).ranks.empty());
  CHECK(find_stragglers(PairMatrix(1)).pairs.empty());
  PairMatrix matrix(4);
  CHECK(matrix.known() == 0);
  CHECK(find_stragglers(matrix).ranks.empty());
  matrix.set(0, 1, 1);
  matrix.set(1, 2, std::numeric_limits<double>::infinity());
  matrix.set(2, 2, 3);
  CHECK(matrix.known() == 1);
  CHECK(find_stragglers(matrix).pairs.empty());
  CHECK_THROWS_AS(matrix.at(0, 4), std::out_of_range);
  CHECK_THROWS_AS(matrix.set(-1, 0, 1), std::out_of_range);
}

TEST_CASE("median and MAD, the lower middle of an even number") {
  CHECK(median_mad_of({4, 1, 3, 2}).median == 2);
  CHECK(median_mad_of({1, 1, 2, 9}).mad == 0);
  CHECK(median_mad_of({1, 2, 3, 4, 100}).mad == 1);
  CHECK(median_mad_of({}).median == 0);
  CHECK(median_mad_of({std::nan(""), 5}).median == 5);
}

namespace {

PairPicture picture(int ranks, std::uint64_t bytes) {
  PairPicture result;
  result.matrix = PairMatrix(ranks);
  result.bytes = bytes;
  for (int from = 0; from < ranks; ++from) {
    result.nodes.push_back("n" + std::to_string(from));
    for (int to = 0; to < ranks; ++to) result.matrix.set(from, to, 0.01);
  }
  return result;
}

std::string joined(const std::vector<StragglerSentence>& lines) {
  std::string text;
  for (const StragglerSentence& line : lines) text += said(line) + "\n";
  return text;
}

}  // namespace

TEST_CASE("an outlier is suspected in a sentence with send, receive or both") {
  PairPicture slow = picture(4, 1'000'000);
  slow_down(slow.matrix, 2, true, false, 10);
  CHECK(joined(straggler_sentences(slow)) ==
        "suspected: host n2 (rank 2), send: 0.010 GB/s where the median is 0.100 (10.0 times as slow, 900 MAD away)\n");
  slow_down(slow.matrix, 2, false, true, 5);
  CHECK(joined(straggler_sentences(slow)) ==
        "suspected: host n2 (rank 2), both: sends 0.010 GB/s where the median is 0.100 (10.0 times as slow, 900 MAD away), "
        "receives "
        "0.020 GB/s where the median is 0.100 (5.0 times as slow, 400 MAD away)\n");
  slow.nodes.assign(4, "n0");
  CHECK_THAT(joined(straggler_sentences(slow)), ContainsSubstring("suspected: rank 2 on n0, both: "));
  slow.both_ways = true;
  CHECK_THAT(joined(straggler_sentences(slow)), ContainsSubstring("suspected: rank 2 on n0, exchanges: 0.010 GB/s"));
  PairPicture one = picture(4, 8);
  one.matrix.set(3, 1, 0.02);
  CHECK(joined(straggler_sentences(one)) ==
        "suspected: pair rank 3 on n3 -> rank 1 on n1: 20000 us where the median is 10000 (2.0 times as slow, 100 MAD away)\n");
  one.both_ways = true;
  one.matrix.set(1, 3, 0.02);
  CHECK_THAT(joined(straggler_sentences(one)), ContainsSubstring("suspected: pair rank 1 on n1 <-> rank 3 on n3: 20000 us"));
  CHECK(straggler_sentences(one).size() == 1);
  CHECK(joined(straggler_sentences(picture(4, 1'000'000))) ==
        "no rank and no pair is an outlier: the median is 0.100 GB/s, the MAD 0.0 % of it\n");
  PairPicture many = picture(40, 1'000'000);
  for (int rank = 0; rank < 12; ++rank) slow_down(many.matrix, rank, true, false, 3 + rank);
  CHECK(straggler_sentences(many).size() == 9);
  CHECK_THAT(straggler_sentences(many).back().text, ContainsSubstring("and 4 more slow ranks"));
  CHECK(straggler_sentences({}).empty());
}

TEST_CASE("slow is who was slow when measured again, and what is in doubt or cleared is said as such") {
  using Outcome = PairFinding::Outcome;
  PairPicture picture_of_one = picture(4, 1'000'000);
  slow_down(picture_of_one.matrix, 2, true, true, 2);
  const auto said = [&](std::vector<PairFinding> findings) {
    picture_of_one.findings = std::move(findings);
    return joined(straggler_sentences(picture_of_one));
  };
  CHECK(said({{2, -1, Outcome::slow, 1.98, 18, 18}, {-1, 2, Outcome::slow, 2.04, 19, 18}}) ==
        "slow: host n2 (rank 2), both: sends 0.050 GB/s where the median is 0.100 (2.0 times as slow, 100 MAD away); measured "
        "again 18 times, it was 2.0 times as slow as others, receives 0.050 GB/s where the median is 0.100 (2.0 times as slow, "
        "100 MAD away); measured again 19 times, it was 2.0 times as slow as others\n");
  CHECK(said({{2, -1, Outcome::inconclusive, 1.4, 60, 35}, {-1, 2, Outcome::cleared, 1.0, 5, 0}}) ==
        "inconclusive: host n2 (rank 2), send: an outlier; measured again 60 times, it was slow in 35 of them\n"
        "1 outlier was cleared: as fast as others when measured again\n");
  const std::string cleared = said({{2, -1, Outcome::cleared, 1, 6, 0}, {-1, 2, Outcome::cleared, 1, 5, 0}});
  CHECK_THAT(cleared, ContainsSubstring("no rank and no pair is an outlier: the median is 0.100 GB/s"));
  CHECK_THAT(cleared, ContainsSubstring("\n2 outliers were cleared: as fast as others when measured again\n"));
  CHECK_THAT(said({{2, -1, Outcome::inconclusive, 1, 0, 0}}), ContainsSubstring("an outlier, which could not be measured again"));
  // Who was measured again for less than an outlier is here, and confirmed, is slow all the same.
  CHECK_THAT(said({{1, -1, Outcome::slow, 1.6, 13, 13}}),
             ContainsSubstring("slow: host n1 (rank 1), send: measured again 13 times, it was 1.6 times as slow as others\n"));
  CHECK_THAT(said({{0, 1, Outcome::slow, 1.6, 13, 13}}),
             ContainsSubstring("slow: pair rank 0 on n0 -> rank 1 on n1: measured again 13"));
  picture_of_one.both_ways = true;
  CHECK_THAT(said({{2, -1, Outcome::slow, 2, 17, 17}}), ContainsSubstring("slow: host n2 (rank 2), exchanges: 0.050 GB/s"));
}

TEST_CASE("the heat map has numbers and shades, and shades alone for many ranks") {
  PairPicture slow = picture(3, 1'000'000);
  slow_down(slow.matrix, 1, false, true, 10);
  const std::string text = heat_map(slow);
  CHECK_THAT(text, ContainsSubstring("\n               0       1       2\n"));
  CHECK_THAT(text, ContainsSubstring("\n     0 n0      -   0.010·  0.100█\n"));
  CHECK_THAT(text, ContainsSubstring("\n     1 n1  0.100█      -   0.100█\n"));
  const std::string large = heat_map(picture(17, 1'000'000));
  CHECK_THAT(large, ContainsSubstring("\n     0 n0  \\████████████████\n"));
  slow.matrix = PairMatrix(3);
  CHECK_THAT(heat_map(slow), ContainsSubstring("     0 n0      -       ?       ?\n"));
}

TEST_CASE("a picture comes from results") {
  std::vector<Result> results(2);
  for (Result& result : results) {
    result.point.ranks = 2;
    result.point.bytes = 64;
    result.summary.samples = 1;
  }
  results[0].point.from = 0;
  results[0].point.to = 1;
  results[0].point.from_node = "a";
  results[0].point.to_node = "b";
  results[0].summary.median = Seconds(2);
  results[1].point.from = 7;  // no rank of this point
  results[1].point.to = 0;
  const PairPicture made = picture_of(results);
  CHECK(made.matrix.at(0, 1) == 2);
  CHECK(made.matrix.known() == 1);
  CHECK(made.nodes == std::vector<std::string>{"a", "b"});
  results[0].point.to_node = "a";
  CHECK(picture_of({results[0]}).nodes.empty());
  CHECK(picture_of({}).matrix.ranks() == 0);
}

TEST_CASE("who sends or receives nothing is no measure for the others") {
  // From 2 places to 5 others, as from the host to GPUs: rows are too few to be judged, columns are not.
  PairMatrix matrix(7);
  for (int from = 0; from < 2; ++from)
    for (int to = 2; to < 7; ++to) matrix.set(from, to, to == 4 ? 3 : 1);
  const Stragglers found = find_stragglers(matrix);
  REQUIRE(found.ranks.size() == 1);
  CHECK(found.ranks[0].rank == 4);
  CHECK(found.ranks[0].receive.has_value());
  CHECK_FALSE(found.ranks[0].send.has_value());
  CHECK(found.pairs.empty());
  CHECK(found.receivers.median == 1);
}

TEST_CASE("what is within a place is compared with others of its kind alone") {
  PairMatrix matrix(4);
  for (int place = 0; place < 4; ++place) {
    matrix.set_within(place, place == 2 ? 0.3 : 0.1);
    for (int other = 0; other < 4; ++other) matrix.set(place, other, 1);
  }
  CHECK(matrix.known() == 12);
  CHECK(matrix.within(2) == 0.3);
  const Stragglers found = find_stragglers(matrix);
  CHECK(found.ranks.empty());
  CHECK(found.pairs.empty());
  REQUIRE(found.within.size() == 1);
  CHECK(found.within[0].from == 2);
  CHECK(found.within[0].to == 2);
  CHECK_THROWS_AS(matrix.set_within(4, 1), std::out_of_range);
}

TEST_CASE("a picture of copies has places for ranks, and rows and columns that there are cells of") {
  std::vector<Result> results(2);
  for (Result& result : results) {
    result.point.collective = "copy";
    result.point.algorithm = "two_way";
    result.point.device = "cuda";
    result.point.ranks = 4;
    result.point.bytes = 1'000'000;
    result.point.from = 1;
    result.point.from_node = "cuda:0";
    result.summary.samples = 1;
    result.summary.median = Seconds(0.01);
  }
  results[0].point.to = 2;
  results[0].point.to_node = "cuda:1";
  results[1].point.to = 3;
  results[1].point.to_node = "cuda:2";
  CHECK(pair_name(results[0].point) == "cuda:0 <-> cuda:1");
  const PairPicture both = picture_of(results);
  CHECK(both.rows == std::vector<int>{1, 2, 3});
  CHECK(both.columns == both.rows);
  CHECK(both.matrix.at(2, 1) == 0.01);
  CHECK_THAT(heat_map(both), ContainsSubstring("both directions together"));
  CHECK_THAT(heat_map(both), ContainsSubstring("\n  cuda:1  0.200█      -       ?\n"));
  for (Result& result : results) result.point.device = "pinned+cuda";
  CHECK(picture_of(results).rows == std::vector<int>{1});
  for (Result& result : results) result.point.algorithm = "one_way";
  const PairPicture one = picture_of(results);
  CHECK(one.sum == 1);
  CHECK(one.columns == std::vector<int>{2, 3});
  CHECK(pair_name(results[1].point) == "cuda:0 -> cuda:2");
  CHECK(joined(straggler_sentences(one)) ==
        "no place and no path is an outlier: the median is 0.100 GB/s, the MAD 0.0 % of it\n");
}

TEST_CASE("what is expected is summed up with the least of all") {
  std::vector<Result> results(3);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].point.from = 0;
    results[i].point.to = static_cast<int>(i) + 1;
    results[i].summary.samples = 1;
    results[i].summary.busbw = i == 1 ? 20 : 50;
  }
  CHECK(expectation_sentence(results).empty());
  for (Result& result : results) result.expected = Expectation{62.5, "PIX"};
  CHECK(expectation_sentence(results) == "80 % of what the links allow in the median; least: 32 % of 0 -> 2 (PIX)");
  results[1].summary.samples = 0;
  CHECK_THAT(expectation_sentence(results), ContainsSubstring("least: 80 % of 0 -> 1"));
}
