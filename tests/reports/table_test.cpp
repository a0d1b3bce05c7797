// The table against golden files: piped, and on a terminal whose clock the test moves.
#include <cmath>
#include <sstream>

#include "reports/formats/writer.hpp"
#include "reports/record/beside_native.hpp"
#include "reports/record/result_text.hpp"
#include "reports/record/title.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::matches_golden;

namespace {

std::string table_of(const Terminal& terminal, const std::vector<Result>& results = test::sample_results()) {
  std::string text;
  double now = 100;
  const auto writer = make_table([&](std::string_view piece) { text += piece; }, terminal, [&] { return Seconds(now); });
  writer->begin({.id = "run", .points = results.size(), .notes = {"4 ranks on node1"}});
  for (const Result& result : results) {
    now += 40;
    writer->add(result);
  }
  writer->finish();
  return text;
}

// Columns that a line takes on the screen: characters, since none here is wide and none is an escape sequence.
std::size_t width(const std::string& line) {
  std::size_t columns = 0;
  for (const char byte : line) columns += (static_cast<unsigned char>(byte) & 0xc0U) != 0x80 ? 1 : 0;
  return columns;
}

}  // namespace

TEST_CASE("a piped table is plain lines of at most 120 columns") {
  const std::string text = table_of({});
  CHECK(matches_golden("table_piped.txt", text));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // As long as their reasons.
    const bool sentence = line.find("skipped: ") != std::string::npos || line.find("throttled") != std::string::npos ||
                          line.find("not all ranks") != std::string::npos || line.find(" points in ") != std::string::npos;
    INFO(line);
    const bool more = line.ends_with("J/GB") || line.find("16 MiB") != std::string::npos ||
                      line.find("of exp.") != std::string::npos || line.ends_with("92%") || line.ends_with("predicted") ||
                      line.ends_with("1.91 us") || line.ends_with("7.63 us");
    const bool kernel = line.ends_with("busbw/SM") || line.find("LL128") != std::string::npos;
    CHECK((sentence || width(line) <= (more ? 149U : 120U) + (kernel ? 24U : 0U)));
  }
}

TEST_CASE("the fastest algorithm stands beside the library's own") {
  const auto measured = [](const char* algorithm, const char* transport, std::uint64_t bytes, double seconds) {
    Result result = test::sample_results().front();
    result.point.algorithm = algorithm;
    result.point.transport = transport;
    result.point.bytes = bytes;
    result.summary.median = Seconds(seconds);
    const bool native = result.point.algorithm == "native";
    result.kernel = KernelUse{native ? "LL128" : "Simple", native ? 16 : 24};
    return result;
  };
  std::vector<Result> results;
  for (const std::uint64_t bytes : {1024U, 4096U}) {
    results.push_back(measured("ring", "cuda_ipc", bytes, 4e-6));
    results.push_back(measured("one_shot", "cuda_ipc", bytes, 2e-6));
    results.push_back(measured("native", "nccl", bytes, 3e-6));
  }
  results.back().status = Status::failed;  // no row of that size
  results[2].library = LibraryChoice{"TREE", "LL128", 16, {}};
  BesideNatives natives;
  for (const Result& result : results) natives.add(result);
  REQUIRE(natives.rows().size() == 1);
  const BesideNative row = natives.rows().front();
  CHECK(row.point.bytes == 1024);
  CHECK(row.ours.algorithm == "one_shot");
  CHECK(std::abs(row.ratio() - 1.5) < 1e-9);
  CHECK(natives.text() ==
        "\nall_reduce: the fastest of railgauge's algorithms beside the library's own; ratio: of their bandwidths\n"
        "     size  type        railgauge                    protocol    SMs    time library                      protocol    "
        "SMs    time   ratio\n"
        "    1 KiB  float32     one_shot over cuda_ipc       Simple       24 2.00 us TREE over nccl               LL128        "
        "16 3.00 us     1.5\n");
  CHECK(natives.markdown().find(
            "| all_reduce | 1 KiB | float32 | one_shot over cuda_ipc | Simple | 24 | 2.00 us | TREE over nccl | LL128 | 16 | "
            "3.00 us | 1.5 |\n") != std::string::npos);
}

TEST_CASE("a table on a terminal has colour and a progress line with the time left") {
  const std::string text = table_of({.interactive = true, .colour = true, .columns = 120});
  CHECK(matches_golden("table_terminal.txt", text));
  CHECK_THAT(text, ContainsSubstring("0/8 points"));
  CHECK_THAT(text, ContainsSubstring("1/8 points, about 4:40 left"));
  CHECK_THAT(text, ContainsSubstring("7/8 points, about 40 s left"));
}

TEST_CASE("a terminal without colour is still erased and rewritten, and nothing else") {
  const std::string text = table_of({.interactive = true, .colour = false, .columns = 20});
  CHECK(text.find("\x1b[1m") == std::string::npos);
  CHECK_THAT(text, ContainsSubstring("\r\x1b[K"));
  CHECK(text.find("points, about 4:00 left") == std::string::npos);  // cut to the width, so that it never wraps
}

TEST_CASE("an interval of many medians is a multiple that fits its column") {
  Summary summary;
  summary.median = Seconds(1);
  const auto text = [&](double half) {
    summary.ci_low = Seconds(0);
    summary.ci_high = Seconds(2 * half);
    return interval_text(summary);
  };
  CHECK(text(0.015) == "1.5%");
  CHECK(text(9.99) == "999%");
  CHECK(text(9.996) == "10x");
  CHECK(text(12.3) == "12x");
  CHECK(text(999.4) == "999x");
  CHECK(text(54321) == "wide");
  summary.median = Seconds(0);
  CHECK(text(1) == "-");
}

TEST_CASE("the heading says cold or warm, anew where that changes, and not for points that were skipped between") {
  std::vector<Result> results(4, test::sample_results().front());
  for (std::size_t i = 0; i < results.size(); ++i) results[i].point.bytes = 4096 * (i + 1);
  results[1].status = Status::skipped;
  results[1].summary = {};
  results[3].summary.cache = "cold";
  const std::string text = table_of({}, results);
  const std::string warm = "all_reduce: 4 ranks, host memory, back-to-back, warm (data may be in caches)\n";
  const std::string cold = "all_reduce: 4 ranks, host memory, back-to-back, cold (data comes from memory)\n";
  REQUIRE(text.find(warm) != std::string::npos);
  CHECK(text.find(warm, text.find(warm) + 1) == std::string::npos);
  CHECK(text.find(cold) > text.find("12 KiB"));
  CHECK(text.find(cold) < text.find("16 KiB"));
}

TEST_CASE("the heading of a rooted collective says what its time is") {
  Result result = test::sample_results().front();
  result.point.collective = "broadcast";
  result.point.op = "none";
  result.point.root = 1;
  CHECK_THAT(title_of(result), ContainsSubstring("back-to-back, root 1 (iterations overlap, ranks run ahead), warm"));
  result.point.mode = "isolated";
  CHECK_THAT(title_of(result), ContainsSubstring("isolated, root 1 (iterations start together), warm"));
  result.point.collective = "incast";
  CHECK(title_of(result).find('(') == title_of(result).find("(data may be"));
  CHECK(heading_of(result.point).find('(') == std::string::npos);
}

TEST_CASE("columns without a value are left out") {
  Result result = test::sample_results().front();
  result.point.collective = "barrier";
  result.point.op = "none";
  const std::string barrier = table_of({}, {result});
  for (const char* const column : {"size", "type", " op ", "algbw", "busbw", "0 B"})
    CHECK(barrier.find(column) == std::string::npos);
  result.point.collective = "all_gather";
  const std::string gather = table_of({}, {result});
  CHECK_THAT(gather, ContainsSubstring("size  type        algorithm"));
  CHECK_THAT(gather, ContainsSubstring("algbw GB/s busbw GB/s"));
}

TEST_CASE("points that are skipped for one reason are a row and a count") {
  std::vector<Result> results;
  for (const char* const transport : {"verbs", "ucx"})
    for (std::size_t i = 0; i < 3; ++i) {
      results.push_back(test::sample_results().front());
      results.back().point.transport = transport;
      results.back().point.bytes = 8U << i;
      if (transport == std::string("ucx")) continue;
      results.back().status = Status::skipped;
      results.back().reason = "no RDMA device";
      results.back().summary = {};
    }
  const std::string text = table_of({}, results);
  CHECK_THAT(text, ContainsSubstring("verbs     skipped: no RDMA device\n            and 2 more sizes, for the same reason\n"));
  CHECK(text.find("no RDMA device") == text.rfind("no RDMA device"));
  CHECK_THAT(text, ContainsSubstring("6 points in 4:00, 3 skipped"));
  results.resize(3);  // also where nothing follows
  CHECK_THAT(table_of({}, results), ContainsSubstring("and 2 more sizes, for the same reason\n\n3 points"));
}

TEST_CASE("chases are a matrix of nanoseconds") {
  std::vector<Result> results;
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to) {
      Result result = test::copy_results().front();
      result.expected.reset();
      result.point.algorithm = "chase";
      result.point.transport = "kernel_read";
      result.point.device = "host";
      result.point.ranks = 3;
      result.point.from = from;
      result.point.to = to;
      result.point.from_node = "numa" + std::to_string(from);
      result.point.to_node = "numa" + std::to_string(to);
      result.summary.median = Seconds(from == to ? 9.876e-9 : from + to == 3 ? 12'340e-9 : 140.21e-9);
      results.push_back(result);
    }
  const std::string text = table_of({}, results);
  CHECK_THAT(text, ContainsSubstring("copy: 3 places, host memory, back-to-back, 256 MiB by chase over kernel_read\n"
                                     "ns of a load from the row's memory by the column; shade: "));
  CHECK_THAT(text, ContainsSubstring("  numa0   9.88█  140.2█  140.2█\n"));
  CHECK_THAT(text, ContainsSubstring("  numa1  140.2█   9.88█  12340·\n"));
  CHECK_THAT(text, ContainsSubstring("slow: numa1 -> numa2: 12340 ns where the median is 140.2 (88.0 times as slow"));
  CHECK(text.find("GB/s") == std::string::npos);
}

TEST_CASE("copies are matrices of places, with who is slow, skipped or staged, and how they stand to what is expected") {
  CHECK(matches_golden("copies.txt", table_of({}, test::copy_results())));
}
