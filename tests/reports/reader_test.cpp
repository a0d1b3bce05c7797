// Result lines are read back as they were written, and anything else is refused in one sentence.
#include "reports/record/reader.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "reports/power/power_record.hpp"
#include "reports/record/record.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

// Every field differs from what it is by default, and from every other field of its type.
Result distinct_result() {
  Result result;
  result.run = "run";
  result.point = {"all_gather", "bruck", "ucx", "cuda", "int64", "max", "window", "mapped", 11,     12,     13,
                  14,           true,    1096,  137,    138,     139,   1,        2,        "here", "there"};
  result.status = Status::not_converged;
  result.reason = "the interval is wide";
  result.samples = {Seconds(0.1), Seconds(0x1p-1060), Seconds(1.0 / 3)};
  result.host_samples = {Seconds(0.7), Seconds(0.8), Seconds(0.9)};
  Summary& summary = result.summary;
  summary.samples = 3;
  summary.batch = 22;
  summary.buffers = 23;
  summary.cache = "cold";
  summary.effective_samples = 2.5;
  summary.checked = 0.25;
  summary.warm_up = 24;
  summary.min = Seconds(1.1);
  summary.median = Seconds(1.2);
  summary.ci_low = Seconds(1.3);
  summary.ci_high = Seconds(1.4);
  summary.p95 = Seconds(1.5);
  summary.p99 = Seconds(1.6);
  summary.max = Seconds(1.7);
  summary.algbw = 1.8;
  summary.busbw = 1.9;
  summary.wrong = std::numeric_limits<std::uint64_t>::max();
  result.arrival = Arrival{31, Seconds(3.1), Seconds(3.2), Seconds(3.3), 32, {33, 34}, {35, 36}};
  result.expected = Expectation{4.1, "ring: min(V, g*r) = min(?, 2*2.05)"};
  result.expected_share = 0.625;
  result.predicted = Seconds(4.2);
  result.host = {"node", "cpu", "kernel"};
  result.topology = "0123456789abcdef";
  result.environment = {{"NCCL_ALGO", "Ring"}, {"UCX_TLS", "tcp"}};
  result.environment_differs = {"UCX_TLS"};
  result.versions = {{"railgauge", "0.1.0"}, {"ucx", "1.13.1"}};
  result.settings = {{"ucx.tls", "tcp"}};
  result.library = LibraryChoice{"RING", "LL128", 16, Seconds(5.1)};
  result.kernel = KernelUse{"LL, Simple", 17, Seconds(5.2)};
  result.wire = Wire{51, {{"node", "mlx5_0/1", true, 52, 53, {{"symbol_error", 54}}}, {"other", "eth0", false, 55, 56, {}}}};
  result.power = Power{Seconds(6.1),
                       6.2,
                       true,
                       {{"node", "package-0", 6.3}, {"other", "GPU-a", 6.4}},
                       {{"node", "cores", "core", 6.5, 6.6, 6.7}, {"other", "GPU-a", "SM", 6.8, 6.9, {}}},
                       {{"node", "core 3", "heat", true, Seconds(7.1), 71, false, true},
                        {"other", "GPU-a", "idleness", false, {}, {}, true, false}},
                       {{"energy of package-1", "it is gone", {"node", "other"}}}};
  return result;
}

// Empty when the line is accepted; a refusal is one sentence that names the place.
std::string refusal(std::string_view line) {
  try {
    (void)read_result(line, "a.jsonl:7");
  } catch (const Error& error) {
    const std::string sentence = error.what();
    CHECK(error.fault() == Fault::usage);
    CHECK_THAT(sentence, ContainsSubstring("a.jsonl:7: expected a result line"));
    CHECK(sentence.size() < 400);
    CHECK(sentence.find_first_of("\n\r\x1b") == std::string::npos);
    return sentence;
  }
  return {};
}

// The line of distinct_result() with `value`, as JSON, under `key`.
std::string with(const std::string& key, const std::string& value) {
  const std::string line = result_line(distinct_result());
  const std::string start = "\"" + key + "\":";
  const std::size_t begin = line.find(start) + start.size();
  REQUIRE(begin > start.size());
  const std::string old = nlohmann::ordered_json(nlohmann::ordered_json::parse(line).at(key)).dump();
  REQUIRE(line.substr(begin, old.size()) == old);
  return line.substr(0, begin) + value + line.substr(begin + old.size());
}

}  // namespace

TEST_CASE("every field comes back") {
  const Result wrote = distinct_result();
  const Result read = read_result(result_line(wrote), "here");
  CHECK(read.run == wrote.run);
  CHECK(read.status == wrote.status);
  CHECK(read.reason == wrote.reason);
  REQUIRE(read.expected.has_value());
  CHECK(read.expected->busbw == wrote.expected->busbw);
  CHECK(read.expected->basis == wrote.expected->basis);
  CHECK(read.expected_share == wrote.expected_share);
  CHECK(read.predicted == wrote.predicted);
  CHECK(read.topology == wrote.topology);
  CHECK(read.environment == wrote.environment);
  CHECK(read.environment_differs == wrote.environment_differs);
  CHECK(read.samples == wrote.samples);
  CHECK(read.versions == wrote.versions);
  CHECK(read.settings == wrote.settings);
  REQUIRE(read.library.has_value());
  CHECK(read.library->algorithm == wrote.library->algorithm);
  CHECK(read.library->protocol == wrote.library->protocol);
  CHECK(read.library->channels == wrote.library->channels);
  CHECK(read.library->predicted == wrote.library->predicted);
  CHECK(read.kernel == wrote.kernel);
  REQUIRE(read.wire.has_value());
  CHECK(read.wire->asked == wrote.wire->asked);
  REQUIRE(read.wire->ports.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(read.wire->ports[i].node == wrote.wire->ports[i].node);
    CHECK(read.wire->ports[i].port == wrote.wire->ports[i].port);
    CHECK(read.wire->ports[i].planned == wrote.wire->ports[i].planned);
    CHECK(read.wire->ports[i].sent == wrote.wire->ports[i].sent);
    CHECK(read.wire->ports[i].received == wrote.wire->ports[i].received);
    CHECK(read.wire->ports[i].errors == wrote.wire->ports[i].errors);
  }
  REQUIRE(read.power.has_value());
  CHECK(read.power->span == wrote.power->span);
  CHECK(read.power->gigabytes == wrote.power->gigabytes);
  CHECK(read.power->tells_throttling == wrote.power->tells_throttling);
  // The lists have tests of their own.
  CHECK(power_record(*read.power) == power_record(*wrote.power));
  CHECK(read.host.name == wrote.host.name);
  CHECK(read.host.cpu == wrote.host.cpu);
  CHECK(read.host.kernel == wrote.host.kernel);
  CHECK(read.point.collective == wrote.point.collective);
  CHECK(read.point.algorithm == wrote.point.algorithm);
  CHECK(read.point.transport == wrote.point.transport);
  CHECK(read.point.device == wrote.point.device);
  CHECK(read.point.type == wrote.point.type);
  CHECK(read.point.op == wrote.point.op);
  CHECK(read.point.mode == wrote.point.mode);
  CHECK(read.point.path == wrote.point.path);
  CHECK(read.point.ranks == wrote.point.ranks);
  CHECK(read.point.nodes == wrote.point.nodes);
  CHECK(read.point.root == wrote.point.root);
  CHECK(read.point.lanes == wrote.point.lanes);
  CHECK(read.point.in_place == wrote.point.in_place);
  CHECK(read.point.bytes == wrote.point.bytes);
  CHECK(read.point.count == wrote.point.count);
  CHECK(read.point.window == wrote.point.window);
  CHECK(read.point.seed == wrote.point.seed);
  CHECK(read.point.from == wrote.point.from);
  CHECK(read.point.to == wrote.point.to);
  CHECK(read.point.from_node == wrote.point.from_node);
  CHECK(read.point.to_node == wrote.point.to_node);
  REQUIRE(read.arrival.has_value());
  CHECK(read.arrival->samples == wrote.arrival->samples);
  CHECK(read.arrival->skew == wrote.arrival->skew);
  CHECK(read.arrival->skew_max == wrote.arrival->skew_max);
  CHECK(read.arrival->clock_error == wrote.arrival->clock_error);
  CHECK(read.arrival->late_starts == wrote.arrival->late_starts);
  CHECK(read.arrival->last == wrote.arrival->last);
  CHECK(read.arrival->slowest == wrote.arrival->slowest);
  CHECK(read.summary.samples == wrote.summary.samples);
  CHECK(read.summary.batch == wrote.summary.batch);
  CHECK(read.summary.buffers == wrote.summary.buffers);
  CHECK(read.summary.cache == wrote.summary.cache);
  CHECK(read.summary.effective_samples == wrote.summary.effective_samples);
  CHECK(read.summary.checked == wrote.summary.checked);
  CHECK(read.summary.warm_up == wrote.summary.warm_up);
  CHECK(read.summary.min == wrote.summary.min);
  CHECK(read.summary.median == wrote.summary.median);
  CHECK(read.summary.ci_low == wrote.summary.ci_low);
  CHECK(read.summary.ci_high == wrote.summary.ci_high);
  CHECK(read.summary.p95 == wrote.summary.p95);
  CHECK(read.summary.p99 == wrote.summary.p99);
  CHECK(read.summary.max == wrote.summary.max);
  CHECK(read.summary.algbw == wrote.summary.algbw);
  CHECK(read.summary.busbw == wrote.summary.busbw);
  CHECK(read.summary.wrong == wrote.summary.wrong);
}

TEST_CASE("a line that is read and written again is the same line") {
  for (const Result& result : test::sample_results()) {
    const std::string line = result_line(result);
    INFO(line);
    CHECK(result_line(read_result(line, "here")) == line);
  }
  for (const Status status : {Status::ok, Status::not_converged, Status::skipped, Status::wrong, Status::failed}) {
    Result result = distinct_result();
    result.status = status;
    const std::string line = result_line(result);
    CHECK(result_line(read_result(line, "here")) == line);
  }
}

TEST_CASE("what measuring pairs again found comes back, each outcome and none") {
  Result result = distinct_result();
  for (const bool any : {true, false}) {
    result.findings.emplace();
    if (any)
      result.findings = {{2, -1, PairFinding::Outcome::slow, 1.98, 18, 17},
                         {-1, 3, PairFinding::Outcome::cleared, 1.01, 9, 2},
                         {0, 1, PairFinding::Outcome::inconclusive, 1.4, 60, 35}};
    const std::string line = result_line(result);
    const Result read = read_result(line, "here");
    REQUIRE(read.findings);
    REQUIRE(read.findings->size() == result.findings->size());
    for (std::size_t i = 0; i < read.findings->size(); ++i) {
      const PairFinding &wrote = (*result.findings)[i], &back = (*read.findings)[i];
      CHECK(back.from == wrote.from);
      CHECK(back.to == wrote.to);
      CHECK(back.outcome == wrote.outcome);
      CHECK(back.ratio == wrote.ratio);
      CHECK(back.comparisons == wrote.comparisons);
      CHECK(back.slower == wrote.slower);
    }
    CHECK(result_line(read) == line);
  }
}

TEST_CASE("thinned times stay thinned", "[long]") {
  for (const std::size_t samples : {std::size_t{100'000}, std::size_t{100'001}, std::size_t{250'000}}) {
    Result result = distinct_result();
    result.samples.assign(samples, Seconds(1));
    result.summary.samples = samples;
    const std::string line = result_line(result);
    const auto record = nlohmann::json::parse(line);
    CHECK(record.at("times").size() <= 100'000);
    CHECK(record.at("times_step") == (samples + 99'999) / 100'000);
    CHECK(result_line(read_result(line, "here")) == line);
  }
}

TEST_CASE("lines of older versions are read, and what they did not know is not known") {
  // What each version wrote of sample_results(), which grew with them.
  for (const char* const version : {"1", "2", "3", "4", "5", "6"}) {
    INFO(version);
    const std::string path = std::string(RAILGAUGE_SOURCE_DIR) + "/tests/reports/golden/older/" + version + ".jsonl";
    const std::string text = test::read_file(path);
    const std::vector<Result> results = read_results(text, path);
    REQUIRE(results.size() == 7);
    std::istringstream lines(text);
    for (const Result& result : results) {
      std::string line;
      std::getline(lines, line);
      const auto record = nlohmann::json::parse(line);
      CHECK(result.run == record.at("run").get<std::string>());
      CHECK(result.point.algorithm == record.at("algorithm").get<std::string>());
      CHECK(result.samples.size() == record.at("times").size());
      CHECK(name(result.status) == record.at("status").get<std::string>());
      CHECK(result.topology.empty());
      CHECK(result.environment.empty());
      CHECK_FALSE(result.expected_share);
      // Written again it is a line of today, which says nothing more.
      const std::string again = result_line(result);
      const auto today = nlohmann::json::parse(again);
      CHECK(result_line(read_result(again, "here")) == again);
      for (const auto& [key, value] : record.items()) {
        INFO(key);
        REQUIRE(today.contains(key));
        if (key != "remark") CHECK(today.at(key) == value);  // a sentence, which is made anew
      }
      for (const char* const unknown : {"topology", "expected_share", "verdict"}) CHECK(today.at(unknown).is_null());
    }
  }
}

TEST_CASE("the times of each rank come back where there are some, and are lists of numbers") {
  Result result = distinct_result();
  CHECK(result_line(result).find("\"by_rank\"") == std::string::npos);
  result.by_rank = {{Seconds(0.1), Seconds(1.0 / 3)}, {}, {Seconds(0x1p-1060)}};
  const Result read = read_result(result_line(result), "here");
  CHECK(read.by_rank == result.by_rank);
  CHECK(result_line(read) == result_line(result));
  for (const char* bad : {"3", "[3]", R"({"a":[1]})", R"([["x"]])", "[[[1]]]", "null"}) {
    nlohmann::json record = nlohmann::json::parse(result_line(result));
    record["by_rank"] = nlohmann::json::parse(bad);
    CHECK_FALSE(refusal(record.dump()).empty());
  }
}

TEST_CASE("a line that was cut short is refused at every length") {
  std::string line = result_line(test::sample_results()[3]);  // text with traps
  line.pop_back();
  CHECK(refusal(line).empty());
  for (std::size_t length = 0; length < line.size(); ++length) {
    INFO("length " << length);
    CHECK_FALSE(refusal(std::string_view(line).substr(0, length)).empty());
  }
}

TEST_CASE("every key is needed and has its kind") {
  const auto whole = nlohmann::ordered_json::parse(result_line(distinct_result()));
  for (const auto& [key, value] : whole.items()) {
    if (key == "times_step") continue;  // follows from the number of samples
    INFO(key);
    auto record = whole;
    record.erase(key);
    // Which older files lack.
    const std::vector<std::string> newer{"expected_busbw",
                                         "settings",
                                         "wire_sent",
                                         "wire_errors",
                                         "joules",
                                         "joules_per_gigabyte",
                                         "throttled",
                                         "power_absent",
                                         "power",
                                         "remark",
                                         "wire_ports",
                                         "library_algorithm",
                                         "library_protocol",
                                         "library_channels",
                                         "library_predicted",
                                         "protocol",
                                         "multiprocessors",
                                         "launch",
                                         "host_times",
                                         "expected_share",
                                         "verdict",
                                         "predicted",
                                         "topology",
                                         "environment",
                                         "environment_differs",
                                         "window",
                                         "seed",
                                         "from",
                                         "skew_samples"};
    CHECK(refusal(record.dump()).empty() == (std::find(newer.begin(), newer.end(), key) != newer.end()));
    record[key] = value.is_object() ? nlohmann::ordered_json("text") : nlohmann::ordered_json::object({{"a", 1}});
    CHECK_FALSE(refusal(record.dump()).empty());
    record[key] = value.is_string() ? nlohmann::ordered_json(1) : nlohmann::ordered_json("text");
    CHECK_FALSE(refusal(record.dump()).empty());
  }
}

TEST_CASE("numbers that do not fit are refused") {
  for (const char* key : {"ranks", "nodes", "root", "lanes"})
    for (const char* value :
         {"-1", "1.5", "2147483648", "4294967297", "18446744073709551615", "18446744073709551616", "1e300", "true"}) {
      INFO(key << " " << value);
      CHECK_FALSE(refusal(with(key, value)).empty());
    }
  for (const char* key : {"bytes", "count", "samples", "batch", "buffers", "warm_up", "wrong"})
    for (const char* value : {"-1", "1.5", "18446744073709551616", "1e300", "-1e300", "null", "false"}) {
      INFO(key << " " << value);
      CHECK_FALSE(refusal(with(key, value)).empty());
    }
  CHECK_FALSE(refusal(with("median", "1e400")).empty());
  CHECK_FALSE(refusal(with("median", "NaN")).empty());
  CHECK_FALSE(refusal(with("median", std::string(10'000, '9') + ".5")).empty());
  CHECK(read_result(with("bytes", "18446744073709551615"), "here").point.bytes == std::numeric_limits<std::uint64_t>::max());
  CHECK(read_result(with("ranks", "2147483647"), "here").point.ranks == std::numeric_limits<int>::max());
}

TEST_CASE("another schema, another status and no JSON are refused") {
  CHECK_THAT(refusal(with("schema", "\"railgauge.result/2\"")), ContainsSubstring("schema"));
  CHECK_THAT(refusal(with("schema", "\"\\u001b[31m\\n\"")), ContainsSubstring("schema"));
  CHECK_THAT(refusal(with("status", "\"fine\"")), ContainsSubstring("status"));
  CHECK_FALSE(refusal(with("times", "[[1]]")).empty());
  CHECK_FALSE(refusal(with("versions", "{\"ucx\":1}")).empty());
  for (const char* text : {"", " ", "null", "1", "[]", "{}", "\"\"", "{\"schema\":1}", "\x1b[2J", "\xff\xfe", "!0 a sentence",
                           "{\"schema\":\"railgauge.result/1\"}"}) {
    INFO(text);
    CHECK_FALSE(refusal(text).empty());
  }
  CHECK_FALSE(refusal(result_line(distinct_result()) + result_line(distinct_result())).empty());
  CHECK_FALSE(refusal(std::string(200'000, '[')).empty());
}

TEST_CASE("a line with damaged bytes is refused or read, never more") {
  constexpr std::uint64_t seed = 7;
  std::mt19937_64 random(seed);
  const std::string line = result_line(test::sample_results()[3]);
  for (int turn = 0; turn < 3000; ++turn) {
    std::string damaged = line;
    for (std::size_t strikes = 1 + random() % 4; strikes != 0; --strikes)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    INFO("seed " << seed << " turn " << turn);
    (void)refusal(damaged);  // checks that a refusal is one sentence
  }
}
