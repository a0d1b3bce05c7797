// Counts and sentences.
#include "reports/web/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/output/text.hpp"
#include "base/units.hpp"

namespace railgauge::web {
namespace {

constexpr std::size_t most = 8;  // findings of a kind

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string listed(const std::vector<std::string>& words, std::string_view many) {
  constexpr std::size_t named = 3;
  if (words.size() > named) return counted(words.size(), many, many);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

std::string span(int least, int largest, std::string_view one, std::string_view many) {
  return least == largest ? fmt::format("{} {}", least, least == 1 ? one : many)
                          : fmt::format("{} to {} {}", least, largest, many);
}

std::string what_ran(const Contents& contents) {
  int fewest = 0, largest = 0, hosts = 0;
  const auto count = [&](int ranks) {
    fewest = largest == 0 ? ranks : std::min(fewest, ranks);
    largest = std::max(largest, ranks);
  };
  for (const Family& family : contents.families) {
    count(family.ranks);
    hosts = std::max(hosts, family.nodes);
  }
  bool ranks = !contents.families.empty();
  for (const Matrix& matrix : contents.matrices) {
    if (matrix.picture.places || matrix.picture.matrix.ranks() == 0) continue;
    ranks = true;
    count(matrix.picture.matrix.ranks());
    const std::set<std::string> names(matrix.picture.nodes.begin(), matrix.picture.nodes.end());
    hosts = std::max(hosts, static_cast<int>(names.size()));
  }
  std::string text =
      fmt::format("{} over {}", listed(contents.collectives, "operations"), listed(contents.transports, "transports"));
  if (ranks) text += ", " + span(fewest, largest, "rank", "ranks");
  if (hosts > 1) text += fmt::format(" on {} hosts", hosts);
  text += ": " + counted(contents.results, "result", "results");
  if (contents.sources.size() > 1) text += fmt::format(" of {} runs", contents.sources.size());
  return text;
}

std::string place_of(const Contents& contents, const Curve& curve, const Point& point) {
  return fmt::format("{}, {}, {}", contents.families[curve.family].name, curve.by(point), format_bytes(point.bytes));
}

// Findings of one kind, of which there may be a great many.
class Kind {
 public:
  Kind(Level level, std::string_view more) : level_(level), more_(more) {}
  void add(const std::string& text) {
    if (++count_ <= most) findings_.push_back({level_, text});
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  void give(std::vector<Finding>& all) const {
    all.insert(all.end(), findings_.begin(), findings_.end());
    if (count_ > most) all.push_back({level_, fmt::format("and {} more {}", count_ - most, more_)});
  }

 private:
  Level level_;
  std::string_view more_;
  std::size_t count_ = 0;
  std::vector<Finding> findings_;
};

struct Below {
  const Curve* curve;
  double share;
};

// Of all curves of which it is known, the lowest first.
std::vector<Below> shares_of(const Contents& contents) {
  std::vector<Below> shares;
  for (const Curve& curve : contents.curves)
    if (curve.nearest) shares.push_back({&curve, curve.points[*curve.nearest].share()});
  std::stable_sort(shares.begin(), shares.end(), [](const Below& a, const Below& b) { return a.share < b.share; });
  return shares;
}

std::string curve_name(const Contents& contents, const Curve& curve) {
  return contents.families[curve.family].name + ", " + curve.name;
}

struct Kinds {
  Kind troubles{Level::fault, "that are wrong or failed"};
  Kind short_of{Level::fault, "below what was asked for"};
  Kind below{Level::warning, "below what their links allow"};
  Kind slow{Level::warning, "that are slow"};
  Kind remarks{Level::warning, "with remarks"};
  Kind unsure{Level::good, "not converged"};
  Kind skipped{Level::good, "skipped"};
};

Kinds kinds_of(const Contents& contents, const std::vector<Below>& shares) {
  Kinds kinds;
  for (const std::string& trouble : contents.pair_troubles) kinds.troubles.add(trouble);
  for (const Curve& curve : contents.curves)
    for (const Point& point : curve.points) {
      if (point.status == Status::ok && point.remark.empty() && point.shortfall.empty()) continue;
      const std::string place = place_of(contents, curve, point);
      if (!point.shortfall.empty()) kinds.short_of.add(fmt::format("below what was asked for: {}: {}", place, point.shortfall));
      if (point.status == Status::wrong) kinds.troubles.add(fmt::format("wrong data: {}: {}", place, point.reason));
      if (point.status == Status::failed) kinds.troubles.add(fmt::format("failed: {}: {}", place, point.reason));
      if (point.status == Status::not_converged) kinds.unsure.add(fmt::format("not converged: {}: {}", place, point.reason));
      if (point.status == Status::skipped) kinds.skipped.add(fmt::format("skipped: {}: {}", place, point.reason));
      if (!point.remark.empty()) kinds.remarks.add(fmt::format("{}: {}", place, point.remark));
    }
  for (const Below& one : shares) {
    if (!(one.share < least_share)) break;
    const Point& point = one.curve->points[*one.curve->nearest];
    kinds.below.add(fmt::format("below expectation: {}: {:.0f} % of what the links allow ({})",
                                place_of(contents, *one.curve, point), 100 * one.share, point.basis));
  }
  for (const Matrix& matrix : contents.matrices)
    for (const StragglerSentence& sentence : matrix.sentences)
      if (sentence.kind == StragglerSentence::Kind::slow) kinds.slow.add(fmt::format("{} ({})", said(sentence), matrix.name));
  return kinds;
}

// The first slow outlier; empty when there is none.
std::string first_slow(const Contents& contents) {
  const auto matrix = std::find_if(contents.matrices.begin(), contents.matrices.end(), [](const Matrix& it) { return it.slow; });
  if (matrix == contents.matrices.end()) return {};
  return matrix->sentences.front().text;
}

// "all_reduce, float32 sum, 2 ranks: 4.53 GB/s at 1 MiB by ring over shm". What was measured goes before what was predicted.
std::string figures_of(const Contents& contents) {
  std::map<std::size_t, const Curve*> widest;
  const auto most_of = [](const Curve& curve) {
    const Point& point = curve.points[*curve.widest];
    return std::pair(point.measured(), point.summary.busbw);
  };
  for (const Curve& curve : contents.curves) {
    if (!curve.widest) continue;
    const Curve*& best = widest[curve.family];
    if (best == nullptr || most_of(curve) > most_of(*best)) best = &curve;
  }
  constexpr std::size_t named = 3;
  std::string text;
  std::size_t count = 0;
  for (const auto& [family, curve] : widest) {
    const Point& point = curve->points[*curve->widest];
    if (!(point.summary.busbw > 0) || ++count > named) continue;
    text += fmt::format("{}{}: {} GB/s at {} by {}", text.empty() ? "Most bus bandwidth. " : "; ", contents.families[family].name,
                        format_gigabytes(point.summary.busbw), format_bytes(point.bytes), curve->by(point));
    if (point.computed() && !point.reason.empty()) text += fmt::format(" ({})", point.reason);
  }
  if (text.empty()) return text;
  return text + (count > named ? fmt::format("; and {} more below.", count - named) : ".");
}

// Of what a busy machine does, which is no fault of a link.
std::string note_of(std::size_t unsure, std::size_t results) {
  return fmt::format(
      "{} of {} did not converge: the confidence {} wider than was asked for, as on a machine that does other "
      "work too. The medians stand; to make them narrower run again on a quiet machine or with a larger --max-time.",
      unsure, counted(results, "result", "results"), unsure == 1 ? "interval is" : "intervals are");
}

}  // namespace

PageVerdict verdict_of(const Contents& contents) {
  PageVerdict verdict;
  verdict.what = what_ran(contents);
  verdict.measured = !contents.only_predicted();
  const std::vector<Below> shares = shares_of(contents);
  const Kinds kinds = kinds_of(contents, shares);
  const auto results_that = [&](Status status) {
    const auto found = contents.statuses.find(status);
    return found == contents.statuses.end() ? std::size_t{0} : found->second;
  };
  const auto results = [](std::size_t count) { return counted(count, "result", "results"); };
  std::vector<std::string> said;
  const auto say = [&](Level level, const std::string& text) {
    verdict.level = std::max(verdict.level, level);
    said.push_back(text);
  };
  if (const std::size_t wrong = results_that(Status::wrong); wrong != 0)
    say(Level::fault, fmt::format("the data of {} was WRONG", results(wrong)));
  if (const std::size_t failed = results_that(Status::failed); failed != 0)
    say(Level::fault, fmt::format("{} failed", results(failed)));
  if (contents.below != 0)
    say(Level::fault, fmt::format("{} {} not reach the share of expected that was asked for", results(contents.below),
                                  contents.below == 1 ? "does" : "do"));
  if (contents.unknown != 0)
    say(Level::warning, fmt::format("there is no reference for {}, of which a share was asked for", results(contents.unknown)));
  if (const std::size_t below = kinds.below.count(); below != 0)
    say(Level::warning, fmt::format("{} of {} with a known ceiling {} below {:.0f} % of it, the lowest, {}, at {:.0f} %", below,
                                    counted(shares.size(), "curve", "curves"), below == 1 ? "stays" : "stay", 100 * least_share,
                                    curve_name(contents, *shares.front().curve), 100 * shares.front().share));
  if (const std::size_t slow = kinds.slow.count(); slow != 0)
    say(Level::warning, slow == 1 ? "one slow outlier: " + first_slow(contents)
                                  : fmt::format("{} slow outliers, first {}", slow, first_slow(contents)));
  if (contents.throttled != 0)
    say(Level::warning, fmt::format("clocks were throttled in {}", results(contents.throttled)));
  else if (kinds.remarks.count() != 0)
    say(Level::warning, fmt::format("ports have something to say of {}", results(kinds.remarks.count())));

  for (std::size_t i = 0; i < said.size(); ++i) verdict.sentence += (i == 0 ? "" : "; ") + said[i];
  if (said.empty()) {
    const std::size_t measured = results_that(Status::ok) + results_that(Status::not_converged);
    verdict.sentence = measured != 0       ? "Nothing is wrong: all data was right and nothing failed"
                       : !verdict.measured ? "Nothing was measured: this is what railgauge predict computes of the topology"
                                           : "Nothing was measured";
    if (measured != 0 && !shares.empty())
      verdict.sentence += fmt::format("; the lowest curve, {}, reaches {:.0f} % of what its links allow",
                                      curve_name(contents, *shares.front().curve), 100 * shares.front().share);
    if (measured == 0 && verdict.measured) verdict.level = Level::warning;
  }
  const std::size_t left_out = results_that(Status::skipped);
  if (left_out != 0)
    verdict.sentence += fmt::format("; {} skipped", left_out == 1 ? "1 result was" : fmt::format("{} results were", left_out));
  if (shares.empty() && !contents.curves.empty() && verdict.measured)
    verdict.sentence += "; whether it is fast enough is not judged, since what the links allow is not known here";
  verdict.figures = figures_of(contents);
  if (const std::size_t unsure = results_that(Status::not_converged); unsure != 0)
    verdict.notes.push_back(note_of(unsure, contents.results));
  char& first_letter = verdict.sentence.front();
  if (first_letter >= 'a' && first_letter <= 'z') first_letter = static_cast<char>(first_letter - 'a' + 'A');
  verdict.sentence += ".";

  for (const Kind* kind :
       {&kinds.troubles, &kinds.short_of, &kinds.below, &kinds.slow, &kinds.remarks, &kinds.unsure, &kinds.skipped})
    kind->give(verdict.findings);
  return verdict;
}

}  // namespace railgauge::web
