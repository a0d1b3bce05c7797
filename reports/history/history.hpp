// The runs that a team keeps: a database of results, in a file (SQLite) or on a PostgreSQL server, sorted so that only like is
// ever compared with like. docs/history.md explains it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "reports/gate/rule.hpp"
#include "reports/history/entry.hpp"

namespace railgauge::history {

struct Label {
  std::string text;     // what was measured: a commit, a tag, a date; may be empty
  std::int64_t at = 0;  // when: seconds since 1970, UTC
};

enum class State : std::uint8_t {
  counted,
  refused,  // the gate stopped it: it is kept, and never part of a baseline
};
[[nodiscard]] std::string_view name(State state) noexcept;

// One run of a case that was measured.
struct Point {
  std::string run;
  std::int64_t number = 0;  // of the run: ascending in the order in which runs were added, the same in all series
  Label label;
  State state = State::counted;
  Seconds median{}, ci_low{}, ci_high{};  // not a number where it is not known
  double effective_samples = 0;
  Status status = Status::ok;
};

// A baseline was moved: its runs begin again with `from_run`.
struct Accept {
  std::string from_run, reason, who;
  std::int64_t at = 0;
};

// All runs of one case under the same conditions.
struct Series {
  Identity identity;
  std::vector<Point> points;      // in the order in which they were added
  std::size_t accepted_from = 0;  // the first point that the present baseline may have; points.size() where none came yet
  std::vector<Accept> accepts;    // oldest first; empty: it goes by the first runs of all
};

// The runs of a baseline: the first that counted since it was last accepted. It grows up to so many and then moves no more, so
// that a slow drift cannot take it along.
inline constexpr std::size_t baseline_runs = compare::GateRule{}.window;
[[nodiscard]] std::vector<std::size_t> baseline_of(const Series& series);  // numbers of its points, ascending

struct RunRow {
  std::string run;
  Label label;
  State state = State::counted;
  std::size_t results = 0, measured = 0;  // lines, and how many of them were measured
};

// What a user picks of a history: "all_reduce", "size=4K", "transport=shm", "versions.ucx=1.13.1". A word alone is any of the
// words of the case; all must fit. No words: everything.
class Filter {
 public:
  Filter() = default;
  explicit Filter(const std::vector<std::string>& words);  // throws Error(usage)
  [[nodiscard]] bool fits(const Identity& identity) const;
  [[nodiscard]] bool empty() const { return terms_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> terms_;  // name, value; no name: any
};

// A series without its points: to look for the one that a case had before something changed.
struct Head {
  Identity identity;
  std::string last_run;  // of its newest point
  Label last_label;
  std::size_t points = 0;
};

struct Added {
  std::vector<std::string> runs;   // that are new
  std::vector<std::string> known;  // that were there already, with the same results: nothing was done
  std::size_t results = 0;         // lines of the new ones
  std::size_t fresh = 0;           // series that began with them
};

struct Access {
  bool make = false;     // makes the history where there is none; else that is an error
  Seconds wait{60};      // for others who are writing, and for a server that is busy
  std::int64_t now = 0;  // seconds since 1970, UTC: when things are noted to have been done
};

class Database;

// Every function throws Error(usage), one sentence that names the history, when it cannot be read or written; what was not
// acknowledged by a return was not done at all.
class History {
 public:
  // `where`: the name of a file, or postgresql://... as libpq reads it. Makes the tables, and brings older ones up to date.
  static History open(const std::string& where, const Access& access);
  History(History&&) noexcept;
  History& operator=(History&&) noexcept;
  ~History();

  // All of the entries, which may be of several runs, or none. Throws also where a run is there already with other results.
  Added add(std::span<const Entry> entries, const Label& label, State state);
  // The series that fit, each with all its points: in the order of their cases.
  [[nodiscard]] std::vector<Series> series(const Filter& filter) const;
  // One series for each identity, without points where there is none yet: for a run that is not added yet.
  [[nodiscard]] std::vector<Series> series_of(std::span<const Identity> identities) const;
  [[nodiscard]] std::vector<Head> heads() const;
  [[nodiscard]] std::vector<RunRow> runs() const;  // in the order in which they were added
  // The entries of one run in their order; throws where there is no such run.
  [[nodiscard]] std::vector<Entry> entries_of(const std::string& run) const;
  // The lines of all runs, or of one, as they were added, oldest run first.
  void lines(const std::optional<std::string>& run, const std::function<void(std::string_view)>& take) const;
  // Moves the baselines of the series that fit: they begin again with `from_run`, without it with the newest run. Says how many
  // were moved. Throws also where there is no such run, or none fits.
  std::size_t accept(const Filter& filter, const std::optional<std::string>& from_run, const std::string& reason,
                     const std::string& who);

 private:
  explicit History(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace railgauge::history
