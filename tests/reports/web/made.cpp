// The results of tests/reports/web/made.hpp.
#include "tests/reports/web/made.hpp"

namespace railgauge::test {

Result made_result(const std::string& algorithm, std::uint64_t bytes, double median, double busbw) {
  Result result;
  result.run = "run";
  result.point.collective = "all_reduce";
  result.point.algorithm = algorithm;
  result.point.transport = "ucx";
  result.point.type = "float32";
  result.point.op = "sum";
  result.point.ranks = 4;
  result.point.nodes = 2;
  result.point.bytes = bytes;
  result.point.count = bytes / 4;
  result.samples = {Seconds(median), Seconds(median / 2), Seconds(median * 2)};
  Summary& summary = result.summary;
  summary.samples = 3;
  summary.min = Seconds(median / 2);
  summary.median = Seconds(median);
  summary.ci_low = Seconds(median * 0.99);
  summary.ci_high = Seconds(median * 1.01);
  summary.p95 = summary.p99 = summary.max = Seconds(median * 2);
  summary.algbw = busbw / 1.5;
  summary.busbw = busbw;
  result.host = {"node1", "a processor", "6.1"};
  result.versions = {{"railgauge", "0.1.0"}};
  return result;
}

Result made_result(const std::string& algorithm, std::uint64_t bytes, double median, double busbw, double expected) {
  Result result = made_result(algorithm, bytes, median, busbw);
  result.expected = Expectation{expected, "ring: min(V, g*r) = min(?, 2*6)"};
  return result;
}

std::vector<Result> made_pairs(int ranks, bool slow) {
  std::vector<Result> pairs;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      if (from == to) continue;
      const double median = slow && (from == ranks - 1 || to == ranks - 1) ? 1e-3 : 1e-4;
      Result pair = made_result("one_way", 1U << 20U, median, (1U << 20U) / 1e9 / median);
      pair.point.collective = "pairs";
      pair.point.op = "none";
      pair.point.ranks = ranks;
      pair.point.nodes = ranks;
      pair.point.from = from;
      pair.point.to = to;
      pair.point.from_node = "n" + std::to_string(from);
      pair.point.to_node = "n" + std::to_string(to);
      pairs.push_back(pair);
    }
  using Outcome = PairFinding::Outcome;
  std::vector<PairFinding>& findings = pairs.back().findings.emplace();
  if (slow) findings = {{ranks - 1, -1, Outcome::slow, 10, 16, 16}, {-1, ranks - 1, Outcome::slow, 10, 16, 16}};
  return pairs;
}

std::string markup_of(const std::string& page) {
  const std::size_t end_of_footer = page.find("</footer>");
  const std::size_t end_of_scripts = page.rfind("</script>");
  if (end_of_footer == std::string::npos || end_of_scripts == std::string::npos) return page;
  return page.substr(0, end_of_footer) + "</footer>" + page.substr(end_of_scripts + 9);
}

web::Contents gathered(const std::vector<Result>& results, const std::string& file) {
  web::Gathering gathering;
  for (const Result& result : results) gathering.add(result, file);
  return gathering.finish();
}

}  // namespace railgauge::test
