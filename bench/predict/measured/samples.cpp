// Picks the messages out of files of results: bench/predict/measured/samples.hpp.
#include "bench/predict/measured/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "reports/record/reader.hpp"
#include "reports/validation/validation.hpp"
#include "reports/validation/writers.hpp"

namespace railgauge::predict {
namespace {

constexpr double gigabyte = 1e9;  // the size that the rate of a validated pair is told for: its latency hardly counts there
constexpr std::uint64_t most_of_gap = 1024;  // bytes of a message that is small

bool is_time(Seconds it) { return std::isfinite(it.count()) && it.count() > 0; }

class Reader {
 public:
  explicit Reader(const std::string& transport) : transport_(transport) {}

  void read(const std::string& path) {
    // Its beginning is read twice, which a pipe does not allow.
    if (std::error_code unknown; std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
      throw Error(Fault::usage, path + ": not a regular file");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(Fault::usage, path + ": " + std::generic_category().message(errno));
    std::array<char, 256> beginning{};
    file.read(beginning.data(), beginning.size());
    const std::string_view head(beginning.data(), static_cast<std::size_t>(file.gcount()));
    file.clear();
    file.seekg(0);
    const std::size_t before = taken_;
    if (validation::is_validation(head)) {
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (file.bad()) throw Error(Fault::usage, path + " cannot be read");
      take(validation::from_json(text, path), path);
    } else {
      each_result(file, path, [&](const Result& result) { take(result, path); });
    }
    if (taken_ != before) return;
    throw Error(Fault::usage, fmt::format("{} has no time of a message{}: railgauge bench ping_pong, pairs and stream measure it",
                                          path, transport_.empty() ? "" : " by " + printable(transport_)));
  }

  std::vector<Measured> finish() {
    std::vector<Measured> all;
    for (const bool between : {true, false}) {
      std::vector<std::string> transports;
      for (const auto& [key, it] : found_)
        if (key.first == between) transports.push_back(key.second);
      if (transports.size() > 1)
        throw Error(Fault::usage, fmt::format("messages {} machines were measured by {}: choose one with --transport",
                                              between ? "between" : "inside", fmt::join(transports, " and ")));
      if (transports.size() == 1) all.push_back(std::move(found_.at({between, transports.front()})));
    }
    return all;
  }

 private:
  Measured& entry(bool between, const std::string& transport, std::string_view what, const std::string& path) {
    Measured& it = found_[{between, printable(transport)}];
    it.between_machines = between;
    it.transport = printable(transport);
    std::string source = fmt::format("{} of {}", what, printable(path));
    if (std::find(it.sources.begin(), it.sources.end(), source) == it.sources.end()) it.sources.push_back(std::move(source));
    ++taken_;
    return it;
  }

  [[nodiscard]] bool wanted(const std::string& transport) const { return transport_.empty() || transport == transport_; }

  void take(const Result& result, const std::string& path) {
    const Case& point = result.point;
    if (result.status != Status::ok && result.status != Status::not_converged) return;
    if (!is_time(result.summary.median) || point.bytes == 0 || !wanted(point.transport)) return;
    const auto bytes = static_cast<double>(point.bytes);
    const double seconds = result.summary.median.count();
    if (point.collective == "ping_pong") {
      entry(point.nodes > 1, point.transport, "ping_pong", path).samples.push_back({{}, {}, bytes, seconds});
    } else if (point.collective == "pairs" && point.algorithm == "one_way" && point.from >= 0) {
      entry(point.from_node != point.to_node, point.transport, "pairs", path)
          .samples.push_back({point.from_node, point.to_node, bytes, seconds});
    } else if (point.collective == "stream" && point.bytes <= most_of_gap) {
      Measured& it = entry(point.nodes > 1, point.transport, "stream", path);
      // Of the smallest size, since larger messages take longer than what lies between them.
      if (it.gap != 0 && (bytes > it.gap_bytes || (bytes == it.gap_bytes && seconds >= it.gap))) return;
      it.gap = seconds;
      it.gap_bytes = bytes;
    }
  }

  void take(const validation::Validation& found, const std::string& path) {
    if (!wanted(found.transport)) return;
    const auto pairs = measured_pairs(found, {});
    if (!pairs) return;
    std::vector<Sample>& samples = entry(true, found.transport, "pairs", path).samples;
    samples.insert(samples.end(), pairs->samples.begin(), pairs->samples.end());
  }

  const std::string& transport_;
  std::map<std::pair<bool, std::string>, Measured> found_;
  std::size_t taken_ = 0;
};

}  // namespace

std::optional<Measured> measured_pairs(const validation::Validation& found, const std::string& source) {
  Measured measured;
  measured.transport = printable(found.transport);
  measured.sources = {source};
  for (const validation::PairFigure& pair : found.pairs) {
    if (pair.confirming || pair.from >= found.hosts.size() || pair.to >= found.hosts.size()) continue;
    const std::string &from = found.hosts[pair.from].name, &to = found.hosts[pair.to].name;
    if (std::isfinite(pair.gigabytes_per_second) && pair.gigabytes_per_second > 0)
      measured.samples.push_back({from, to, gigabyte, 1 / pair.gigabytes_per_second});
    if (is_time(pair.latency)) measured.samples.push_back({from, to, 1, pair.latency.count()});
  }
  if (measured.samples.empty()) return std::nullopt;
  return measured;
}

std::vector<Measured> read_measured(std::span<const std::string> files, const std::string& transport) {
  Reader reader(transport);
  for (const std::string& path : files) reader.read(path);
  return reader.finish();
}

}  // namespace railgauge::predict
