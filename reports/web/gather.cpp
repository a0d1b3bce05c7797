// Results become curves, matrices and samples.
#include "reports/web/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/units.hpp"
#include "reports/power/power.hpp"
#include "reports/record/remark.hpp"
#include "reports/record/standing.hpp"
#include "reports/web/inert.hpp"
#include "reports/web/variants.hpp"

namespace railgauge::web {
namespace {

constexpr std::size_t most_times = 400;   // of a point whose samples are kept one by one
constexpr std::size_t stretches = 200;    // of a point that has more
constexpr std::size_t most_ranks = 4096;  // that are counted one by one
constexpr std::size_t most_troubles = 8;
constexpr int most_judged_ranks = 2048;                   // of a matrix
constexpr std::size_t most_cells = std::size_t{1} << 22;  // of all matrices

std::string counted(long long count, std::string_view word) { return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s"); }

// Names of strangers may be of any length.
Case bounded(const Case& point) {
  Case result = point;
  for (std::string Case::* word : {&Case::collective, &Case::algorithm, &Case::transport, &Case::device, &Case::type, &Case::op,
                                   &Case::mode, &Case::path, &Case::from_node, &Case::to_node})
    result.*word = shown(point.*word);
  return result;
}

std::string family_name(const Case& point) {
  std::string name = point.collective;
  if (point.type != "none") name += ", " + point.type;
  if (point.op != "none") name += " " + point.op;
  name += ", " + counted(point.ranks, "rank");
  if (point.nodes > 1) name += fmt::format(" on {} hosts", point.nodes);
  if (point.device != "host") name += ", memory " + point.device;
  if (point.mode != "back-to-back") name += ", " + point.mode;
  if (point.in_place) name += ", in place";
  if (point.root > 0) name += fmt::format(", root {}", point.root);
  return name;
}

std::string curve_name(const Case& point) {
  std::string name = point.algorithm + " over " + point.transport;
  if (point.path != "exchange") name += ", " + point.path;
  if (point.lanes > 1) name += fmt::format(", {} lanes", point.lanes);
  if (point.window != 0) name += fmt::format(", window {}", point.window);
  if (point.seed) name += fmt::format(", seed {}", *point.seed);
  return name;
}

// The path is left out: some copies of one matrix may be staged.
std::string matrix_name(const Case& point) {
  std::string name =
      fmt::format("{}, {} over {}, {}", point.collective, point.algorithm, point.transport, format_bytes(point.bytes));
  name += ", " + counted(point.ranks, point.collective == "copy" ? "place" : "rank");
  if (point.device != "host") name += ", memory " + point.device;
  if (point.lanes > 1) name += fmt::format(", {} lanes", point.lanes);
  if (point.mode != "back-to-back") name += ", " + point.mode;
  return name;
}

void add_once(std::vector<std::string>& list, const std::string& word) {
  constexpr std::size_t most = 64;
  if (list.size() < most && std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

void add_counts(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& counts) {
  const std::size_t ranks = std::min(counts.size(), most_ranks);
  sums.resize(std::max(sums.size(), ranks));
  for (std::size_t rank = 0; rank < ranks; ++rank) sums[rank] += counts[rank];
}

// Nearest rank, as all quantiles of railgauge.
std::vector<double> percentiles_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::vector<double> result;
  for (std::size_t percent = 0; percent <= 100; ++percent) {
    const std::size_t rank = (times.size() * percent + 99) / 100;
    result.push_back(times[rank == 0 ? 0 : rank - 1]);
  }
  return result;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

void require_possible(const Result& result, const std::string& where) {
  const Summary& summary = result.summary;
  struct Row {
    const char* name;
    double value;
  };
  const auto refuse = [&](const char* name, double value) {
    throw Error(Fault::usage, fmt::format("{}: {} is {}, which no measurement gives", where, name, value));
  };
  for (const Row& row :
       {Row{"min", summary.min.count()}, Row{"median", summary.median.count()}, Row{"ci_low", summary.ci_low.count()},
        Row{"ci_high", summary.ci_high.count()}, Row{"p95", summary.p95.count()}, Row{"p99", summary.p99.count()},
        Row{"max", summary.max.count()}, Row{"algbw", summary.algbw}, Row{"busbw", summary.busbw},
        Row{"expected_busbw", result.expected ? result.expected->busbw : 0},
        Row{"predicted", result.predicted ? result.predicted->count() : 0}})
    if (row.value < 0) refuse(row.name, row.value);
  for (const Seconds time : result.samples)
    if (time.count() < 0) refuse("one of times", time.count());
}

void Gathering::add(const Result& result, const std::string& file) {
  if (contents_.results == most_results)
    throw Error(
        Fault::usage,
        fmt::format("these are more than {} results, which no page shows well: report fewer files at a time", most_results));
  const std::size_t serial = contents_.results++;
  ++contents_.statuses[result.status];
  const Case point = bounded(result.point);
  add_once(contents_.transports, point.transport);
  add_once(contents_.collectives, point.collective);
  const bool held_down = result.power && throttled(*result.power).value_or(false);
  if (held_down) ++contents_.throttled;
  const std::optional<Standing> standing = standing_of(result);
  if (standing == Standing::below) ++contents_.below;
  if (standing == Standing::unknown) ++contents_.unknown;
  const std::size_t source = source_of(result, file);
  if (point.from >= 0) {
    add_pair(result, point, source);
    return;
  }
  const std::size_t family = family_of(point);
  Family& of = contents_.families[family];
  if (result.arrival) {
    of.who.starts.add(result);
    add_counts(of.who.last, result.arrival->last);
    add_counts(of.who.slowest, result.arrival->slowest);
  }
  const CurveKey key{family, curve_name(point), source};
  const auto [place, fresh] = curve_places_.try_emplace(key, contents_.curves.size());
  if (fresh) {
    Curve& curve = contents_.curves.emplace_back();
    curve.family = family;
    curve.name = std::get<1>(key);
    curve.algorithm = point.algorithm;
    curve.transport = point.transport;
    curve.variants = {curve.name};
    curve.source = source;
  }
  Point& kept = contents_.curves[place->second].points.emplace_back();
  kept.serial = serial;
  kept.status = result.status;
  kept.reason = shown(result.reason);
  kept.remark = shown(remark_of(result));
  if (standing == Standing::below) kept.shortfall = shown(standing_sentence(result));
  kept.bytes = point.bytes;
  kept.summary = result.summary;
  kept.summary.cache = shown(result.summary.cache);
  if (result.expected && result.expected->busbw > 0) {
    kept.expected = result.expected->busbw;
    kept.basis = shown(result.expected->basis);
  }
  if (result.predicted) kept.predicted = result.predicted->count();
  if (result.power) kept.joules_per_gigabyte = joules_per_gigabyte(*result.power).value_or(unknown);
  kept.throttled = held_down;
  keep_samples(result, serial);
}

std::size_t Gathering::source_of(const Result& result, const std::string& file) {
  const std::string run = shown(result.run);
  const auto [place, fresh] = source_places_.try_emplace({file, run}, contents_.sources.size());
  if (fresh) {
    Source& source = contents_.sources.emplace_back();
    source.file = file;
    source.run = run;
    source.host = {shown(result.host.name), shown(result.host.cpu), shown(result.host.kernel)};
  }
  Source& source = contents_.sources[place->second];
  ++source.results;
  // A transport's library and settings stand in its results alone.
  constexpr std::size_t most = 64;
  const auto add_named = [](auto& list, const auto& more) {
    for (const auto& [name, value] : more) {
      const std::pair<std::string, std::string> one{shown(name), shown(value)};
      if (list.size() < most && std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
    }
  };
  add_named(source.versions, result.versions);
  add_named(source.settings, result.settings);
  add_named(source.environment, result.environment);
  if (source.topology.empty()) source.topology = shown(result.topology);
  return place->second;
}

std::size_t Gathering::family_of(const Case& point) {
  const auto [place, fresh] = family_places_.try_emplace(family_name(point), contents_.families.size());
  if (fresh) {
    Family& family = contents_.families.emplace_back();
    family.name = place->first;
    family.collective = point.collective;
    family.ranks = point.ranks;
    family.nodes = point.nodes;
  }
  return place->second;
}

void Gathering::add_pair(const Result& result, const Case& point, std::size_t source) {
  Result& kept = pairs_[{matrix_name(point), source}].emplace_back();
  kept.point = point;
  kept.status = result.status;
  kept.summary = result.summary;
  kept.findings = result.findings;
  if (result.expected) kept.expected = Expectation{result.expected->busbw, shown(result.expected->basis)};
  const bool measured = result.status == Status::ok || result.status == Status::not_converged;
  if (measured && point.collective != "copy" && point.from_node != point.to_node)
    contents_.between_hosts.push_back({point.from_node, point.to_node, result.summary.busbw});
  const bool trouble = result.status == Status::wrong || result.status == Status::failed;
  if (trouble && contents_.pair_troubles.size() < most_troubles)
    contents_.pair_troubles.push_back(fmt::format("{} of {}: {}", pair_name(point), matrix_name(point), shown(result.reason)));
}

void Gathering::keep_samples(const Result& result, std::size_t serial) {
  std::vector<double> times;
  times.reserve(result.samples.size());
  for (const Seconds time : result.samples)
    if (std::isfinite(time.count())) times.push_back(time.count());
  if (times.size() < 2) return;
  ++contents_.sampled;
  Samples kept;
  kept.serial = serial;
  kept.held = times.size();
  kept.step = std::max<std::uint64_t>(1, (result.summary.samples + kept.held - 1) / kept.held);
  const double tail = result.summary.p99 / result.summary.median;
  kept.tail = std::isfinite(tail) ? tail : 1;
  if (times.size() <= most_times) {
    kept.times = std::move(times);
  } else {
    for (std::size_t i = 0; i < stretches; ++i) {
      const auto begin = times.begin() + static_cast<std::ptrdiff_t>(i * times.size() / stretches);
      const auto end = times.begin() + static_cast<std::ptrdiff_t>((i + 1) * times.size() / stretches);
      const auto [low, high] = std::minmax_element(begin, end);
      kept.low.push_back(*low);
      kept.high.push_back(*high);
    }
    kept.percentiles = percentiles_of(std::move(times));
  }
  contents_.samples.push_back(std::move(kept));
  if (contents_.samples.size() == 2 * most_sampled) keep_long_tails();
}

void Gathering::keep_long_tails() {
  std::vector<Samples>& samples = contents_.samples;
  if (samples.size() <= most_sampled) return;
  std::sort(samples.begin(), samples.end(),
            [](const Samples& a, const Samples& b) { return a.tail != b.tail ? a.tail > b.tail : a.serial < b.serial; });
  samples.resize(most_sampled);
}

void Gathering::name_sources() {
  if (contents_.sources.size() < 2) return;
  std::map<std::string, std::set<std::string>> files_of_name;
  std::map<std::string, std::size_t> runs_of_file;
  for (const Source& source : contents_.sources) {
    files_of_name[file_name(source.file)].insert(source.file);
    ++runs_of_file[source.file];
  }
  for (Source& source : contents_.sources) {
    const std::string name = file_name(source.file);
    source.label = shown(files_of_name[name].size() == 1 ? name : source.file);
    if (runs_of_file[source.file] > 1) source.label += ", run " + source.run;
  }
  // Where one run alone did a thing, its name would tell nothing.
  std::map<std::size_t, std::set<std::size_t>> sources_of_family;
  for (const Curve& curve : contents_.curves) sources_of_family[curve.family].insert(curve.source);
  for (Curve& curve : contents_.curves)
    if (sources_of_family[curve.family].size() > 1) {
      curve.label = contents_.sources[curve.source].label;
      curve.name += ", " + curve.label;
    }
}

void Gathering::draw_matrices() {
  std::size_t cells_left = most_cells;
  for (const auto& [key, pairs] : pairs_) {
    const auto& [name, source] = key;
    const std::string& label = contents_.sources[source].label;
    Matrix& matrix = contents_.matrices.emplace_back();
    matrix.name = name + (label.empty() ? "" : ", " + label);
    const int ranks = pairs.front().point.ranks;
    const auto cells = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
    if (ranks > most_judged_ranks || cells > cells_left) {
      matrix.too_large = fmt::format("its {} ranks are too many for this page: bench shows them in its table", ranks);
      continue;
    }
    cells_left -= cells;
    matrix.picture = picture_of(pairs);
    matrix.sentences = straggler_sentences(matrix.picture);
    matrix.slow = std::any_of(matrix.sentences.begin(), matrix.sentences.end(),
                              [](const StragglerSentence& sentence) { return sentence.kind == StragglerSentence::Kind::slow; });
    if (std::string sentence = expectation_sentence(pairs); !sentence.empty())
      matrix.sentences.push_back({StragglerSentence::Kind::note, std::move(sentence)});
    if (ranks > most_drawn_ranks)
      matrix.too_large =
          fmt::format("a heat map of {} ranks would be too large to draw: the table has the median of each", ranks);
  }
}

void Gathering::order() {
  std::vector<Curve>& curves = contents_.curves;
  std::stable_sort(curves.begin(), curves.end(), [](const Curve& a, const Curve& b) { return a.family < b.family; });
  std::map<std::size_t, Samples*> by_serial;
  for (Samples& samples : contents_.samples) by_serial[samples.serial] = &samples;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    std::vector<Point>& points = curves[c].points;
    std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.bytes < b.bytes; });
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (const auto samples = by_serial.find(points[p].serial); samples != by_serial.end()) {
        samples->second->curve = c;
        samples->second->point = p;
      }
      if (!points[p].told()) continue;
      std::optional<std::size_t>& widest = curves[c].widest;
      std::optional<std::size_t>& nearest = curves[c].nearest;
      const double busbw = points[p].summary.busbw;
      if (std::isfinite(busbw) && (!widest || busbw > points[*widest].summary.busbw)) widest = p;
      if (points[p].measured() && std::isfinite(points[p].share()) && (!nearest || points[p].share() > points[*nearest].share()))
        nearest = p;
    }
  }
  std::sort(contents_.samples.begin(), contents_.samples.end(),
            [](const Samples& a, const Samples& b) { return a.curve != b.curve ? a.curve < b.curve : a.point < b.point; });
}

Contents Gathering::finish() {
  keep_long_tails();
  join_variants(contents_.curves);
  name_sources();
  draw_matrices();
  order();
  return std::move(contents_);
}

}  // namespace railgauge::web
