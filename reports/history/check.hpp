// A run beside what a history holds of its cases, without measuring anything again: what is suspected, what is missing, what has
// no baseline, and where change points are. Pure functions; docs/history.md explains them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/gate/rule.hpp"
#include "reports/history/history.hpp"

namespace railgauge::history {

// Its present runs, at most, are looked at for steps: the time that takes grows with their square.
inline constexpr std::size_t most_drift_runs = 300;

struct Judged {
  Identity identity;
  Seconds time{}, baseline{};  // median of the run, and of the runs of the baseline
  std::size_t runs = 0;        // of the baseline
  bool suspected = false;      // by what it is off beside what all cases of the run are off, where there are enough
};

// A case without enough runs for a baseline.
struct Young {
  Identity identity;
  std::size_t runs = 0;
  // The last series of the same case that differs in one condition only: why there is no baseline yet.
  std::optional<Head> before;
  std::string field, was, is;  // that condition; empty: it had none
};

// A case that was measured before, and not in this run.
struct Lost {
  compare::Key key;
  std::string why;      // "not there", "failed: ..."
  bool failed = false;  // or its data was wrong
};

// A change point of a case.
struct Drift {
  std::optional<Identity> identity;  // empty: all cases together
  std::string run;                   // the first one of the new level
  Label label;
  double change = 0;  // of times: 0.05 is 5 % slower
  // Cases in whose present baseline it lies: what is off is hidden then, and accept() parts the two levels.
  std::size_t within_baselines = 0;
};

struct Check {
  std::string run;
  std::vector<Judged> cases;    // with a baseline
  std::optional<double> whole;  // by how much the run is off in all cases: 0.05 is 5 % slower. Where there are enough cases
  bool whole_suspected = false;
  std::vector<Young> young;
  std::vector<Lost> lost;
  std::vector<Drift> drifts;  // all cases together first, then in the order of the cases
  int exit_code = 0;          // docs/exit-codes.md
  std::string because;        // a sentence
};

// What check() is told.
struct Asked {
  std::string run;
  std::span<const Entry> entries;   // of the run
  std::span<const Series> series;   // of its measured entries, each once, in any order; with or without the run itself
  std::span<const Entry> previous;  // of the run that counted before it and has cases in common; may be empty
  std::span<const Head> heads;      // of all series
};

// The identities of what was measured, each once.
[[nodiscard]] std::vector<Identity> identities_of(std::span<const Entry> entries);
// The newest run before `run` that counted and has one of the series; empty where there is none.
[[nodiscard]] std::string previous_run(std::span<const Series> series, const std::string& run);

[[nodiscard]] Check check(const Asked& asked, const compare::GateRule& rule = {});

// All of it from a history.
[[nodiscard]] Check check_run(const History& history, const std::string& run, const Filter& filter);

}  // namespace railgauge::history
