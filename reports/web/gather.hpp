// What a page of results shows, gathered result by result: plain records without what is large.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/pairs/pair_text.hpp"
#include "reports/record/starts.hpp"
#include "reports/result.hpp"

namespace railgauge::web {

inline constexpr std::size_t most_results = 200'000;  // of one page
inline constexpr std::size_t most_sampled = 240;      // points whose samples are kept: those with the longest tails
inline constexpr int most_drawn_ranks = 512;          // of a heat map
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// One run of one file: what it ran on.
struct Source {
  std::string file, run;
  std::string label;  // what tells it from the others; empty where it is the only one
  Host host;
  std::string topology;
  std::vector<std::pair<std::string, std::string>> versions, settings, environment;
  std::size_t results = 0;
};

struct Point {
  std::size_t serial = 0;  // of all results, in the order in which they were added
  Status status = Status::ok;
  std::string reason, remark;
  std::string shortfall;  // below the share of expected that was asked for: a sentence; else empty
  std::string basis;      // of expected
  std::uint64_t bytes = 0;
  std::size_t variant = 0;  // its place in Curve::variants
  Summary summary;          // its times and bandwidths are no numbers where nothing was measured
  double expected = unknown;
  double predicted = unknown;  // seconds
  double joules_per_gigabyte = unknown;
  bool throttled = false;

  [[nodiscard]] bool measured() const { return summary.samples != 0; }
  [[nodiscard]] bool computed() const { return status == Status::predicted; }
  [[nodiscard]] bool told() const { return measured() || computed(); }  // it has a bandwidth and a time
  [[nodiscard]] Seconds time() const { return computed() ? Seconds(predicted) : summary.median; }
  [[nodiscard]] double share() const { return summary.busbw / expected; }  // of expected; no number where one is missing
};

// One thing done over one transport, from the smallest size on: by one algorithm, or by that which was chosen for each size.
struct Curve {
  std::size_t family = 0;
  std::string name;  // "ring over ucx"; of several variants "ucx, algorithm by size"
  std::string algorithm, transport;
  std::string label;                  // of its source, where another did the same; empty elsewhere. It ends the name
  std::vector<std::string> variants;  // "ring over ucx, mapped": each algorithm and transport that a point was run by
  std::size_t source = 0;
  std::vector<Point> points;
  std::optional<std::size_t> widest;   // the point of most bus bandwidth, measured or predicted
  std::optional<std::size_t> nearest;  // that of the largest share; measured ones

  // How one of its points was run: "ring over ucx".
  [[nodiscard]] std::string by(const Point& point) const {
    return variants.at(point.variant) + (label.empty() ? "" : ", " + label);
  }
};

// Who started last and who took longest, over all points of a family.
struct Ranks {
  Starts starts;
  std::vector<std::uint64_t> last, slowest;  // samples, by rank
};

// What can be compared in one picture: "all_reduce, float32 sum, 4 ranks".
struct Family {
  std::string name;
  std::string collective;
  int ranks = 0, nodes = 0;
  Ranks who;
};

// The samples of one point. Up to 400 are in `times`, in order; of more there are percentiles, and of equal stretches of time the
// smallest and largest.
struct Samples {
  std::size_t serial = 0;            // of its point
  std::size_t curve = 0, point = 0;  // its places in Contents
  std::uint64_t step = 1;            // the file holds every step-th sample
  std::uint64_t held = 0;            // samples that the file holds
  std::vector<double> times;
  std::vector<double> percentiles;  // 0 to 100
  std::vector<double> low, high;
  double tail = 0;  // p99 over median
};

// All pairs of one size.
struct Matrix {
  std::string name;
  PairPicture picture;
  std::vector<StragglerSentence> sentences;  // the outliers, and how the matrix compares with what is expected
  bool slow = false;                         // it has a slow outlier
  std::string too_large;                     // why it cannot be drawn; empty where it can
};

// One cell that was measured between two hosts; `bandwidth` in 1e9 bytes a second.
struct HostBandwidth {
  std::string from, to;
  double bandwidth = 0;
};

struct Contents {
  std::vector<Source> sources;
  std::vector<Family> families;
  std::vector<Curve> curves;  // those of a family stand together
  std::vector<Samples> samples;
  std::size_t sampled = 0;  // points that had samples, kept or not
  std::vector<Matrix> matrices;
  std::vector<HostBandwidth> between_hosts;
  std::vector<std::string> transports, collectives;  // each once
  std::map<Status, std::size_t> statuses;            // of all results, pairs too
  std::size_t results = 0, throttled = 0;
  std::size_t below = 0, unknown = 0;  // of all results: what was asked for is not reached, or it is unknown
  // Something is predicted, and nobody tried to measure anything.
  [[nodiscard]] bool only_predicted() const {
    return statuses.contains(Status::predicted) &&
           std::all_of(statuses.begin(), statuses.end(), [](const auto& it) { return !was_tried(it.first); });
  }
  std::vector<std::string> pair_troubles;  // of pairs that are wrong or failed: the first eight
};

// Throws Error(usage) that names `where` when a number of the result is one that no measurement gives, as a negative time.
void require_possible(const Result& result, const std::string& where);

class Gathering {
 public:
  // Throws Error(usage) when there are more than most_results.
  void add(const Result& result, const std::string& file);
  [[nodiscard]] Contents finish();  // once; what was added is gone then

 private:
  using CurveKey = std::tuple<std::size_t, std::string, std::size_t>;  // family, name, source
  using MatrixKey = std::tuple<std::string, std::size_t>;              // name, source
  std::size_t source_of(const Result& result, const std::string& file);
  std::size_t family_of(const Case& point);
  void add_pair(const Result& result, const Case& point, std::size_t source);
  void keep_samples(const Result& result, std::size_t serial);
  void keep_long_tails();
  void name_sources();
  void draw_matrices();
  void order();

  Contents contents_;
  std::map<std::pair<std::string, std::string>, std::size_t> source_places_;
  std::map<std::string, std::size_t> family_places_;
  std::map<CurveKey, std::size_t> curve_places_;
  std::map<MatrixKey, std::vector<Result>> pairs_;
};

}  // namespace railgauge::web
