// Constants from measured messages: what a fit finds again, what a prediction makes of it, and files that are none.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/predict/measured/fit.hpp"
#include "bench/predict/measured/samples.hpp"
#include "bench/predict/predict.hpp"
#include "reports/record/record.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

struct Truth {
  double latency, share, eager, handshake, capacity;
  [[nodiscard]] MessageTime of(double bytes) const {
    const double wire = bytes / capacity;
    return {bytes, latency + (bytes > eager ? handshake : 0) + wire / share, wire};
  }
};

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("railgauge-measured-" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& text) {
    std::string name = path_ / ("results-" + std::to_string(++files_) + ".jsonl");
    std::ofstream(name, std::ios::binary) << text;
    return name;
  }

 private:
  std::filesystem::path path_;
  int files_ = 0;
};

std::string line(const std::string& collective, const std::string& transport, int nodes, double bytes, double seconds) {
  Result result;
  result.point.collective = collective;
  result.point.algorithm = collective == "pairs" ? "one_way" : collective;
  result.point.transport = transport;
  result.point.type = "uint8";
  result.point.ranks = 2;
  result.point.nodes = nodes;
  result.point.bytes = result.point.count = static_cast<std::uint64_t>(bytes);
  result.samples = {Seconds(seconds)};
  result.summary.samples = 1;
  result.summary.median = result.summary.min = result.summary.max = Seconds(seconds);
  return result_line(result);
}

}  // namespace

TEST_CASE("a fit finds latency, share and handshake of messages again") {
  const unsigned seed = 4711;
  std::mt19937 random(seed);
  const auto between = [&](double least, double most) {
    return std::exp(std::uniform_real_distribution<double>(std::log(least), std::log(most))(random));
  };
  for (int round = 0; round < 200; ++round) {
    Truth truth{between(1e-6, 1e-4), between(0.5, 1), 16384, 0, between(1e7, 5e10)};
    const bool has = round % 2 == 0;
    if (has) truth.handshake = truth.latency * between(0.5, 3);
    // Seen only where the bytes of a message do not hide it.
    const bool hidden = has && truth.handshake < 0.1 * truth.of(65536).seconds;
    std::vector<MessageTime> times;
    for (double bytes = 8; bytes <= 1e9; bytes *= 4) {
      for (int i = 0; i < 3; ++i) {
        times.push_back(truth.of(bytes));
        times.back().seconds *= std::uniform_real_distribution<double>(0.999, 1.001)(random);
      }
    }
    const MessageFit fit = fit_messages(times, 1e-6);
    CAPTURE(seed, round, has, truth.latency, truth.share, truth.handshake, truth.capacity, fit.latency, fit.share, fit.handshake,
            fit.error);
    REQUIRE(fit.has_latency);
    REQUIRE(fit.has_share);
    CHECK_THAT(fit.share / truth.share, WithinAbs(1, 0.01));
    CHECK(fit.error < 0.1);
    if (hidden) continue;
    CHECK_THAT(fit.latency / truth.latency, WithinAbs(1, 0.02));
    CHECK_THAT(fit.handshake / truth.latency, WithinAbs(truth.handshake / truth.latency, 0.1));
  }
}

TEST_CASE("one size of messages tells the latency or the share, and never both") {
  const MessageTime small{8, 5e-6, 1e-9}, large{1e6, 1.25e-3, 1e-3};
  const MessageFit latency = fit_messages(std::vector{small}, 2e-6);
  CHECK((latency.has_latency && !latency.has_share));
  CHECK_THAT(latency.latency, WithinAbs(5e-6, 1e-8));
  const MessageFit share = fit_messages(std::vector{large}, 0);
  CHECK((share.has_share && !share.has_latency));
  CHECK_THAT(share.share, WithinAbs(0.8, 1e-6));
  // Of many pairs one that is slow changes nothing.
  std::vector<MessageTime> pairs(9, large);
  pairs.push_back({1e6, 12.5e-3, 1e-3});
  CHECK_THAT(fit_messages(pairs, 0).share, WithinAbs(0.8, 1e-6));
}

TEST_CASE("a prediction of the messages that its constants are from gives their times") {
  Folder folder;
  const topo::Graph graph = cluster_graph({.machines = 4, .gpus = 0, .leaf_machines = 4, .cable = 0.0125});
  const Truth truth{80e-6, 0.95, 1 << 14, 150e-6, 12.5e6};
  std::string text;
  for (double bytes = 8; bytes <= (1 << 23); bytes *= 4)
    text += line("ping_pong", "ucx", 2, bytes, truth.of(bytes).seconds * (bytes > 8 ? 1 : 1.0001));
  text += line("stream", "ucx", 2, 8, 3e-6) + line("all_reduce", "ucx", 2, 8, 3e-6);
  const std::vector<std::string> files = {folder.file(text)};
  Question question;
  question.collective = Collective::ping_pong;
  question.sizes = {8, 4096, 1 << 15, 1 << 23};
  question.measured = read_measured(files, "");
  const Answer answer = predict::predict(graph, question);
  for (const Prediction& it : answer.columns.front().predictions) {
    CAPTURE(it.bytes);
    CHECK_THAT(it.seconds / truth.of(static_cast<double>(it.bytes)).seconds, WithinAbs(1, 1e-3));
  }
  CHECK_THAT(answer.costs.gap, WithinAbs(3e-6, 1e-9));
  const auto says = [](const Answer& it, const std::string& words) {
    return std::any_of(it.assumed.begin(), it.assumed.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  CAPTURE(answer.assumed);
  CHECK(says(answer, "of the bandwidth that the topology has; all sizes within 0."));
  // What the user says wins.
  question.given.latency = 1e-3;
  question.given.gap = 1e-6;
  const Answer said = predict::predict(graph, question);
  CHECK_THAT(said.columns.front().predictions.front().seconds, WithinAbs(1e-3, 1e-5));
  CHECK_THAT(said.costs.gap, WithinAbs(1e-6, 1e-12));
  CHECK_FALSE(says(said, "all sizes within"));
}

TEST_CASE("the gap is that of the smallest messages of a stream, and of small ones alone") {
  Folder folder;
  const auto stream = [](double bytes, double seconds) { return line("stream", "ucx", 2, bytes, seconds); };
  const std::string several = folder.file(stream(1024, 1e-6) + stream(64, 3e-6) + stream(64, 2e-6) + stream(1 << 20, 1e-7));
  const std::vector<Measured> read = read_measured({{several}}, "");
  REQUIRE(read.size() == 1);
  CHECK_THAT(read.front().gap, WithinAbs(2e-6, 1e-12));
  const std::string large = folder.file(stream(1 << 20, 1e-3));
  CHECK_THROWS_WITH(read_measured({{large}}, ""), ContainsSubstring("has no time of a message"));
}

TEST_CASE("results that tell no constants are refused with one sentence") {
  Folder folder;
  const auto refusal = [&](const std::vector<std::string>& files, const std::string& transport = "") -> std::string {
    try {
      (void)read_measured(files, transport);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
      return error.what();
    }
    return "";
  };
  const std::string ping = line("ping_pong", "ucx", 2, 8, 1e-5);
  CHECK(refusal({"/no/such/file"}).find("/no/such/file") != std::string::npos);
  CHECK(refusal({"/dev/zero"}) == "/dev/zero: not a regular file");
  for (const std::string& text :
       {std::string("garbage"), std::string("{}"), ping.substr(0, ping.size() / 2), std::string(100'000, '['),
        std::string("{\"format\": \"railgauge-validation\", \"version\": 2, \"pairs\": 7}"), std::string(),
        line("all_reduce", "ucx", 2, 8, 1e-5), line("ping_pong", "ucx", 2, 8, 0)})
    CHECK_FALSE(refusal({folder.file(text)}).empty());
  const std::string both = folder.file(ping + line("ping_pong", "verbs", 2, 8, 1e-5));
  CHECK(refusal({both}).find("--transport") != std::string::npos);
  CHECK(refusal({both}, "ucx").empty());
  CHECK(refusal({both}, "shm").find("shm") != std::string::npos);
  // Random damage throws nothing else, and constants stay finite.
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text = ping + line("stream", "ucx", 2, 8, 1e-6);
    for (auto changes = random() % 3 + 1; changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random() % 128);
    try {
      const std::string path = folder.file(text);
      for (const Measured& it : read_measured({{path}}, ""))
        for (const Sample& sample : it.samples) CHECK((std::isfinite(sample.seconds) && sample.seconds > 0));
    } catch (const Error&) {}
  }
}

TEST_CASE("messages that are faster than the links of the topology are those of others") {
  Folder folder;
  const topo::Graph graph = cluster_graph({.machines = 2, .gpus = 0, .leaf_machines = 2, .cable = 1});
  Question question;
  question.collective = Collective::ping_pong;
  question.sizes = {1 << 20};
  const std::string fast = folder.file(line("ping_pong", "ucx", 2, 1e9, 0.1));
  question.measured = read_measured({{fast}}, "");
  CHECK_THROWS_AS(predict::predict(graph, question), Error);
  const std::string inside = folder.file(line("ping_pong", "shm", 1, 8, 1e-6));
  question.measured = read_measured({{inside}}, "");
  CHECK_THROWS_AS(predict::predict(graph, question), Error);
}

}  // namespace railgauge::test
