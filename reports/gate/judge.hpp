// What a pipeline is told of a run: each of its cases against the baseline that the history has of it, by the rule of
// reports/gate/rule.hpp, or beside its control (reports/gate/control.hpp). Pure functions; docs/gate.md explains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "reports/compare/side.hpp"
#include "reports/gate/rule.hpp"
#include "reports/result.hpp"

namespace railgauge::gate {

// A median of a run of the history.
struct Known {
  std::string run;
  Seconds median{};
};

// A case of the run, and what is known of it.
struct Watched {
  compare::Key key;
  Status status = Status::ok;
  std::string reason;           // where the status is not ok
  Seconds now{};                // median; no number where it was not measured
  bool known = false;           // the history has measured it; follows from the baseline where this run has, too
  std::vector<Known> baseline;  // oldest first
  std::vector<Known> since;     // the latest that counted after the baseline, oldest first
};

// What became of a case, or of the run as a whole. Those that stop a pipeline come last.
enum class Finding : std::uint8_t {
  as_before,
  skipped,    // it was not measured, and the history does not have it either
  learning,   // the baseline is too short to judge by
  cleared,    // suspected, and the re-runs say that it is as before
  faster,     // for some runs now: a new baseline would judge better
  missing,    // the baseline has it, and it was not measured
  unsure,     // it came through once, and in other launches not
  regressed,  // suspected, and confirmed
  failed,
  wrong,  // wrong data
};
[[nodiscard]] std::string_view name(Finding finding) noexcept;

struct Line {
  compare::Key key;  // of a case
  Finding finding = Finding::as_before;
  std::size_t runs = 0;                    // of the baseline; beside a control pairs of launches
  std::optional<double> expected, spread;  // the baseline's median in seconds, and its robust standard deviation as a share
  std::optional<double> now;               // seconds
  std::optional<double> change;            // of the time, as a share of the baseline: of the re-runs where there are some
  std::string reason;                      // in words; may be empty
  std::vector<double> ratios;              // beside a control: of the time in each pair; above 1 is slower
  std::optional<double> chance;            // beside a control: of that where nothing has changed
};

// The accepted build that a run was launched interleaved with.
struct Control {
  std::string name;                  // as it was given
  std::string keep;                  // command that keeps this build as the control; empty: there is one
  std::size_t first = 0, pairs = 0;  // pairs of launches: of the first look, and of those that decided
};

struct Judgement {
  std::vector<Line> lines;             // in the order of the cases
  std::optional<Line> whole;           // what all cases share; its times are not there
  std::size_t learnt = 0, needed = 0;  // runs of the longest baseline, and from how many on it judges
  std::size_t reruns = 0;              // that were made
  std::optional<Control> control;      // by which speed was judged; none: by the history
  std::vector<std::string> notes;      // sentences
  Finding finding = Finding::as_before;
  std::string sentence;
};

// The judge of one run. `rule.window` says nothing here: the baselines are what they are.
class Judge {
 public:
  Judge(std::vector<Watched> cases, const compare::GateRule& rule);
  [[nodiscard]] bool suspects_something() const { return !suspects_.empty(); }
  // So many re-runs are to be made: 0 where nothing is suspected.
  [[nodiscard]] std::size_t reruns() const { return suspects_.empty() ? 0 : rule_.reruns; }
  // One re-run; of its results those count that were measured.
  void add_rerun(std::span<const Result> results);
  // `missing`: cases that the history has in runs of the baselines or after them, and this run does not have at all.
  [[nodiscard]] Judgement judge(std::span<const compare::Key> missing) const;

 private:
  [[nodiscard]] Line line_of(std::size_t place) const;
  [[nodiscard]] double change_of(std::size_t place) const;

  std::vector<Watched> cases_;
  compare::GateRule rule_;
  compare::Gate gate_;
  std::vector<std::size_t> suspects_;
  std::vector<std::vector<double>> reruns_;  // logarithms of times, by case
};

// Of a status: whether there is a time.
[[nodiscard]] constexpr bool measured(Status status) noexcept { return status == Status::ok || status == Status::not_converged; }

// The whole, its finding and the sentence, of lines that are complete otherwise. What a case that still learns says does not
// count where others are judged.
void conclude(Judgement& judgement);

// 0 passed, 1 regressed or failed, 4 missing or unsure, or learning where that is `strict`, 6 wrong data.
[[nodiscard]] int exit_code(const Judgement& judgement, bool strict) noexcept;

// A pipeline that is stopped: the run is to be no part of a baseline.
[[nodiscard]] bool stops(const Judgement& judgement) noexcept;

}  // namespace railgauge::gate
