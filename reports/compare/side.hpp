// Results sorted for comparing: which of them are launches of the same case, and under what conditions each was measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/statistics/ratio.hpp"
#include "reports/result.hpp"

namespace railgauge::compare {

// The names of conditions that may differ all the same (--allow): "host", "versions" for all of versions, "versions.ucx" for one.
class Allowed {
 public:
  Allowed() = default;
  // Throws Error(usage) that lists what can be allowed.
  explicit Allowed(const std::vector<std::string>& names);
  [[nodiscard]] bool contains(std::string_view condition) const;

 private:
  std::set<std::string, std::less<>> names_;
};

// What is asked to be the same thing on both sides. Words that may differ (Allowed), and what is a condition, are empty.
struct Key {
  Case point;
  [[nodiscard]] bool operator<(const Key& other) const;
};

[[nodiscard]] Key key_of(const Result& result);
// Without the words that may differ.
[[nodiscard]] Key key_of(const Result& result, const Allowed& allowed);
void blank(Key& key, const Allowed& allowed);

// What must not differ between launches of a case besides its key: "cpu", "versions.ucx" and the like. Of measured results: one
// that was skipped does not know its cache or path.
[[nodiscard]] std::map<std::string, std::string> conditions_of(const Result& result);

// Names and values of a key in the order of a table's columns, those that say nothing left out: {"op", "sum"}.
using Words = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Words words_of(const Key& key);
// The same in one line: "all_reduce, 4 KiB, float32, ...".
[[nodiscard]] std::string line_of(const Key& key);

// One launch of a case as it was found.
struct Found {
  std::string run, file;
  Status status = Status::skipped;  // the worst of its results; skipped only where all are
  std::string reason;               // of that one
  std::vector<double> seconds;      // of all its samples
  double effective = 0;             // independent samples among them; 0 where it was not told
  std::map<std::string, std::string>
      conditions;  // "cpu", "versions.ucx": what must not differ between launches; of measured ones
  bool throttled = false;
  [[nodiscard]] bool measured() const { return status == Status::ok || status == Status::not_converged; }
};

// A launch of the case as the statistics take it. Nothing where no time was measured.
[[nodiscard]] std::optional<Launch> launch_of(const Found& found);

// One side of a comparison: all launches of all its cases. A launch is what has one `run`.
class Side {
 public:
  explicit Side(Allowed allowed) : allowed_(std::move(allowed)) {}
  // Throws Error(usage) where `file` repeats a run of another file of this side, and where a launch has two results of a case
  // that differ only in what is allowed to differ.
  void add(const std::string& file, const Result& result);
  [[nodiscard]] const std::map<Key, std::vector<Found>>& cases() const { return cases_; }
  [[nodiscard]] const std::map<std::string, std::string>& runs() const { return runs_; }  // each run's file

 private:
  Allowed allowed_;
  std::map<Key, std::vector<Found>> cases_;
  std::map<std::string, std::string> runs_;
};

// A condition that is not the same everywhere.
struct Difference {
  std::string field, base, next;  // the values of the first two launches that differ; empty: not told
};
// Each field once, those that are allowed to differ included. Launches of one side must agree too.
[[nodiscard]] std::vector<Difference> differences(const Side& base, const Side& next);

}  // namespace railgauge::compare
