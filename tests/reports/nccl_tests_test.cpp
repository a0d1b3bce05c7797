// The output of nccl-tests: its table against the published sample, its numbers, its JSON, and what programs that read it look
// for.
#include "reports/formats/nccl_tests.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::matches_golden;
using railgauge::test::WithinAbs;

namespace {

namespace nt = railgauge::nccl_tests;

Result result_of(double microseconds, double algbw, double busbw, std::uint64_t wrong = 0) {
  Result result;
  result.point.collective = "all_reduce";
  result.point.type = "float32";
  result.point.op = "sum";
  result.point.ranks = 8;
  result.point.bytes = 1 << 20;
  result.point.count = 1 << 18;
  result.summary.samples = 1;
  result.summary.median = Seconds(microseconds * 1e-6);
  result.summary.algbw = algbw;
  result.summary.busbw = busbw;
  result.summary.wrong = wrong;
  return result;
}

nt::Heading heading_of() {
  nt::Heading heading;
  heading.program = "all_reduce_perf";
  heading.gpus = 8;
  heading.min_bytes = 8;
  heading.max_bytes = 134217728;
  heading.step_factor = 2;
  heading.step_bytes = 1 << 20;
  heading.warm_up = 1;
  heading.iterations = 20;
  heading.devices = {{0, 0, 12345, "node1", 0, "0000:1b:00", "NVIDIA H100 80GB HBM3"}};
  heading.start_time = "2026-01-02 03:04:05";
  heading.arguments = {"build/all_reduce_perf", "-b", "8"};
  heading.environment = {"NCCL_ALGO=Ring"};
  return heading;
}

nt::TableRow sample_row() { return {result_of(36.12, 29.03, 50.80), result_of(35.90, 29.21, 51.11), "2026-01-02 03:04:06"}; }

std::string text_of(const nt::Heading& heading, const std::vector<nt::TableRow>& rows) {
  std::string text = heading_text(heading);
  nt::Totals totals;
  for (const nt::TableRow& row : rows) {
    text += row_text(heading, row);
    totals.add(row);
  }
  return text + footing_text(heading, totals, {});
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// How programs that judge a machine by nccl-tests read it, put in our words from several that are public: the table lies between
// the line that says "out-of-place" and the one that says "Out of bounds values"; the titles are the words of the line below the
// first, without its hash sign, and a title that stands there twice means out of place first and in place second; lines that
// begin with a hash sign are skipped; every other line has as many words as there are titles. The mean is the last word of the
// line with "Avg bus bandwidth". A run is good where the line with "Out of bounds values" ends in OK.
struct Read {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
  std::string mean, verdict;
};
Read read_as_others_do(const std::string& text) {
  Read read;
  std::istringstream lines(text);
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (line.find("out-of-place") != std::string::npos) {
      in_table = true;
    } else if (line.find("Out of bounds values") != std::string::npos) {
      in_table = false;
      read.verdict = words.back();
    } else if (line.find("Avg bus bandwidth") != std::string::npos) {
      read.mean = words.back();
    } else if (in_table && read.titles.empty()) {
      read.titles.assign(words.begin() + 1, words.end());
    } else if (in_table && words.front() != "#") {
      read.rows.push_back(words);
    }
  }
  return read;
}

}  // namespace

TEST_CASE("the table is that of the published sample, byte for byte") {
  CHECK(matches_golden("nccl_tests.txt", text_of(heading_of(), {sample_row()})));
}

TEST_CASE("the table with every further line and column") {
  nt::Heading heading = heading_of();
  heading.step_factor = 0;
  heading.blocking = 1;
  heading.per_iteration = heading.parallel_init = heading.launch_time = heading.timestamps = true;
  heading.reduced_to = 67108864;
  heading.skipped_iterations = 1;
  heading.least_bandwidth = 60;
  heading.notes = {"a note\nof two lines"};
  nt::TableRow row = sample_row();
  for (Result* result : {&row.out_of_place, &row.in_place})
    for (int rank = 0; rank < 8; ++rank)
      result->by_rank.push_back({Seconds(1), Seconds(30e-6), Seconds((31 + rank) * 1e-6), Seconds(30e-6)});
  row.in_place.summary.wrong = 17;
  CHECK(matches_golden("nccl_tests_all.txt", text_of(heading, {row})));
}

TEST_CASE("what cannot work in place, and what was not checked, has no number of wrong elements") {
  nt::Heading heading = heading_of();
  nt::TableRow row = sample_row();
  for (Result* result : {&row.out_of_place, &row.in_place}) result->point.collective = "all_to_all";
  CHECK_THAT(row_text(heading, row), ContainsSubstring("   50.80       0  "));
  CHECK(row_text(heading, row).ends_with("   51.11    N/A\n"));
  CHECK_THAT(row_text(heading, row), ContainsSubstring("     1048576         32768     float"));  // a rank's share
  heading.checks = 0;
  CHECK_THAT(row_text(heading, row), ContainsSubstring("   50.80    N/A  "));
}

TEST_CASE("the heading says how iterations block, and what times them") {
  nt::Heading heading = heading_of();
  CHECK_THAT(heading_text(heading), !ContainsSubstring("Blocking"));
  heading.blocking = 1;
  CHECK_THAT(heading_text(heading), ContainsSubstring("# Blocking Enabled: wait and barrier after each inner iteration (-m) \n"));
  heading.blocking = 2;
  CHECK_THAT(heading_text(heading), ContainsSubstring("# Blocking Enabled: wait after each inner iteration (-m), no barrier \n"));
  heading.blocking = 3;
  CHECK_THAT(heading_text(heading),
             ContainsSubstring("# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes barrier \n"));
  heading.per_iteration = heading.events = true;
  CHECK_THAT(heading_text(heading),
             ContainsSubstring("# Per-Iteration Report: CUDA event timing; i_* uses max over process rows \n"));
  heading.skipped_iterations = 3;
  CHECK_THAT(heading_text(heading), ContainsSubstring("process rows; summary skips first 3 iterations \n"));
}

TEST_CASE("the version of NCCL is its number, and 0 where it does not run") {
  CHECK(nt::nccl_version_of("NCCL 2.28.9") == 22809);
  CHECK(nt::nccl_version_of("NCCL 2.9.6") == 20906);
  for (const char* other : {"", "NCCL", "NCCL 2", "NCCL 2.28", "UCC 1.2.3", "NCCL x.y.z", "NCCL 2.28."})
    CHECK(nt::nccl_version_of(other) == 0);
  nt::Heading heading = heading_of();
  heading.nccl_version = 22809;
  CHECK(heading_text(heading).starts_with("# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809\n"));
  CHECK(nlohmann::json::parse(json(heading, {}, {}, ""))["nccl_version"] == 22809);
}

TEST_CASE("hypercube has no word in the column redop, and a row may say its count") {
  nt::TableRow row = sample_row();
  for (Result* result : {&row.out_of_place, &row.in_place}) result->point.collective = "hypercube";
  CHECK_THAT(row_text(heading_of(), row), ContainsSubstring("       32768     float              -1    36.12"));
  CHECK(nlohmann::json::parse(json(heading_of(), {row}, {}, ""))["results"][0]["redop"] == "");
  row.count = 7;
  CHECK_THAT(row_text(heading_of(), row), ContainsSubstring("1048576             7     float"));
  CHECK(nlohmann::json::parse(json(heading_of(), {row}, {}, ""))["results"][0]["count"] == 7);
}

TEST_CASE("others read the table") {
  nt::TableRow second = sample_row();
  second.out_of_place.point.bytes = 1 << 21;
  second.out_of_place.summary.wrong = 3;
  const Read read = read_as_others_do(text_of(heading_of(), {sample_row(), second}));
  CHECK(read.titles == std::vector<std::string>{"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong",
                                                "time", "algbw", "busbw", "#wrong"});
  REQUIRE(read.rows.size() == 2);
  for (const auto& row : read.rows) CHECK(row.size() == read.titles.size());
  CHECK(read.rows[1][0] == "2097152");
  CHECK(read.rows[1][8] == "3");
  CHECK(read.mean == "50.955");
  CHECK(read.verdict == "FAILED");
  CHECK(read_as_others_do(text_of(heading_of(), {sample_row()})).verdict == "OK");
}

TEST_CASE("a mean that must be reached is judged at nine tenths") {
  nt::Totals totals;
  totals.add(sample_row());
  nt::Heading heading = heading_of();
  heading.least_bandwidth = 56.6;
  CHECK_THAT(footing_text(heading, totals, {}), ContainsSubstring(": 50.955 OK\n"));
  heading.least_bandwidth = 56.7;
  CHECK_THAT(footing_text(heading, totals, {}), ContainsSubstring(": 50.955 FAILED\n"));
  CHECK(nt::Totals{}.mean_busbw() == 0);
}

TEST_CASE("an error stands in the place of the empty line") {
  const std::string text = footing_text(heading_of(), {}, {"it ended\nearly"});
  CHECK(text.ends_with("# Collective test concluded: all_reduce_perf\n#\n# error: it ended early\n"));
}

TEST_CASE("numbers keep two digits after the point while they fit") {
  CHECK(nt::number(0, 6) == "0.00");
  CHECK(nt::number(999.99, 6) == "999.99");
  CHECK(nt::number(1000, 6) == "1000.0");
  CHECK(nt::number(123456, 6) == "123456");
  CHECK(nt::number(1234567, 6) == "1e+06");
  CHECK(nt::number(9999.994, 7) == "9999.99");
  CHECK(nt::number(12469.9, 7) == "12469.9");
  CHECK(nt::number(1234567, 7) == "1234567");
  CHECK(nt::number(12345678, 7) == "1.2e+07");
}

TEST_CASE("whatever a number is, it fits and is near") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-12, 60);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10, exponent(random));
    for (const std::size_t width : {std::size_t{6}, std::size_t{7}}) {
      const std::string text = nt::number(value, width);
      INFO(text);
      CHECK(text.size() <= width);
      const double read = std::strtod(text.c_str(), nullptr);
      CHECK(std::abs(read - value) <= std::max(0.5 * value, 0.00501));
    }
  }
}

TEST_CASE("statistics of iterations leave out the first, and take the slowest rank of each") {
  Result result = result_of(1, 1, 1);
  result.by_rank = {{Seconds(9e-6), Seconds(1e-6), Seconds(2e-6), Seconds(3e-6)},
                    {Seconds(9e-6), Seconds(4e-6), Seconds(1e-6), Seconds(1e-6)}};
  const auto found = nt::iterations_of(result, 1, 1);
  REQUIRE(found);
  REQUIRE(found->times.size() == 4);  // all of them: only the statistics leave some out
  CHECK_THAT(found->times[0], WithinAbs(9, 1e-9));
  CHECK_THAT(found->times[1], WithinAbs(4, 1e-9));
  CHECK_THAT(found->min, WithinAbs(2, 1e-9));
  CHECK_THAT(found->max, WithinAbs(4, 1e-9));
  CHECK_THAT(found->mean, WithinAbs(3, 1e-9));
  CHECK_THAT(found->p50, WithinAbs(3, 1e-9));
  CHECK_THAT(found->p99, WithinAbs(4, 1e-9));
  CHECK_THAT(found->deviation, WithinAbs(std::sqrt(2.0 / 3), 1e-9));
  REQUIRE(found->by_process.size() == 2);
  REQUIRE(found->by_process[1].size() == 4);
  CHECK_THAT(found->by_process[1][1], WithinAbs(4, 1e-9));
  CHECK(nt::iterations_of(result, 1, 2)->by_process.size() == 1);
  CHECK_FALSE(nt::iterations_of(result, 4, 1));
  CHECK_FALSE(nt::iterations_of(result_of(1, 1, 1), 0, 1));
}

TEST_CASE("the JSON has its keys in order, truth as words and roots as they are printed") {
  nt::Heading heading = heading_of();
  heading.per_iteration = true;
  nt::TableRow row = sample_row();
  row.out_of_place.by_rank = row.in_place.by_rank = {{Seconds(1e-6), Seconds(2e-6)}, {Seconds(2e-6), Seconds(1e-6)}};
  heading.gpus = 1;
  const std::string text = json(heading, {row}, {}, "2026-01-02 03:04:07");
  CHECK(matches_golden("nccl_tests.json", text));
  const auto read = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, value] : read.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"version", "start_time", "args", "env", "nccl_version", "config", "results",
                                         "out_of_bounds", "average_bus_bandwidth", "errors", "end_time"});
  CHECK(read["results"][0]["root"] == "    -1");
  CHECK(read["out_of_bounds"]["okay"] == "true");
  CHECK(read["average_bus_bandwidth"]["okay"] == "unchecked");
  CHECK(read["results"][0]["out_of_place_per_iter"]["per_process_max_times_us"].size() == 2);
}

TEST_CASE("the JSON stays JSON, whatever a name or a number is") {
  nt::Heading heading = heading_of();
  heading.devices[0].description = "caf\xc3\xa9 and more";
  heading.arguments = {"a\"b\\c/d\te\nf", std::string("\x01") + "gone", ""};
  heading.checks = 0;
  nt::TableRow row = sample_row();
  row.out_of_place.summary.algbw = std::numeric_limits<double>::quiet_NaN();
  row.in_place.summary.busbw = std::numeric_limits<double>::infinity();
  const auto read = nlohmann::json::parse(json(heading, {row, row}, {"an \"error\""}, ""));
  CHECK(read["args"] == nlohmann::json{"a\"b\\c/d\te\nf", "", ""});
  CHECK(read["config"]["devices"][0]["device_info"] == "caf");
  CHECK(read["results"][0]["out_of_place"]["alg_bw"] == "nan");
  CHECK(read["results"][0]["in_place"]["bus_bw"].is_null());
  CHECK(read["results"][1]["in_place"]["nwrong"].is_null());
  CHECK(read["errors"][0] == "an \"error\"");
}

TEST_CASE("only variables that choose how ranks communicate are shown") {
  for (const char* shown : {"NCCL_ALGO", "UCX_TLS", "CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID"}) CHECK(nt::may_be_shown(shown));
  for (const char* hidden : {"", "HOME", "PATH", "AWS_SECRET_ACCESS_KEY", "NCCL_TOKEN", "UCX_PASSWORD", "NCCL_AUTH_FILE",
                             "CUDA_VISIBLE_DEVICES_", "GITHUB_TOKEN", "SLURM_JOB_IDS"})
    CHECK_FALSE(nt::may_be_shown(hidden));
}

TEST_CASE("each type and operation has a word, and back") {
  for (const TypeRow& row : types()) CHECK(nt::find_type(nt::word(row.type)) == row.type);
  for (const OpRow& row : ops()) CHECK(nt::find_op(nt::word(row.op)) == row.op);
  CHECK(nt::word(Op::none) == "none");
  CHECK_FALSE(nt::find_op("none"));
  CHECK_FALSE(nt::find_type("float32"));
}
