// What changes a history, and what is read of whole runs: reports/history/history.hpp. series.cpp reads the rest.
#include "reports/history/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "base/statistics/ratio.hpp"
#include "reports/history/database.hpp"

namespace railgauge::history {
namespace {

using Whole = long long;  // of a column

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// A number for a column, which is NULL where it is none.
struct Value {
  double value = 0;
  soci::indicator known = soci::i_null;
  Value& operator=(double number) {
    value = number;
    known = std::isfinite(number) ? soci::i_ok : soci::i_null;
    return *this;
  }
};

Whole next_id(soci::session& sql, const char* table) {
  Whole id = 0;
  sql << "SELECT coalesce(max(id), 0) + 1 FROM " << table, soci::into(id);
  return id;
}

// The row of a run; 0 where there is none.
Whole run_id(soci::session& sql, const std::string& run) {
  Whole id = 0;
  soci::indicator found = soci::i_null;
  sql << "SELECT max(id) FROM railgauge_runs WHERE run = :run", soci::into(id, found), soci::use(run);
  return found == soci::i_ok ? id : 0;
}

void each_line(soci::session& sql, Whole run, const std::function<void(const std::string&)>& take) {
  std::string line;
  soci::statement lines = (sql.prepare << "SELECT line FROM railgauge_results WHERE run_id = :run ORDER BY position",
                           soci::into(line), soci::use(run));
  lines.execute();
  while (lines.fetch()) take(line);
}

bool same_lines(soci::session& sql, Whole run, const std::vector<const Entry*>& entries) {
  std::size_t count = 0;
  bool same = true;
  each_line(sql, run, [&](const std::string& line) {
    same = same && count < entries.size() && entries[count]->line == line;
    ++count;
  });
  return same && count == entries.size();
}

// All measurements of one case in a run: one point.
struct Together {
  const Entry* first = nullptr;
  std::vector<double> medians;
  double effective = 0;
  bool converged = true;
};

// Puts the rows of one transaction into their tables, with statements that are prepared once.
class Adder {
 public:
  explicit Adder(soci::session& sql)
      : sql_(sql),
        line_statement_((sql.prepare << "INSERT INTO railgauge_results (run_id, position, line) VALUES (:run, :position, :line)",
                         soci::use(run_), soci::use(position_), soci::use(text_))),
        find_statement_((sql.prepare << "SELECT max(id) FROM railgauge_series WHERE bytes = :bytes AND ranks = :ranks AND "
                                        "from_rank = :source AND to_rank = :target AND identity = :identity",
                         soci::into(series_, found_), soci::use(bytes_), soci::use(ranks_), soci::use(from_), soci::use(to_),
                         soci::use(text_))),
        point_statement_((sql.prepare << "INSERT INTO railgauge_points (series_id, run_id, status, median, ci_low, ci_high, "
                                         "effective_samples) VALUES (:series, :run, :status, :median, :low, :high, :effective)",
                          soci::use(series_), soci::use(run_), soci::use(status_), soci::use(median_.value, median_.known),
                          soci::use(low_.value, low_.known), soci::use(high_.value, high_.known),
                          soci::use(effective_.value, effective_.known))) {}

  void add(Whole run, const std::vector<const Entry*>& entries) {
    run_ = run;
    std::map<std::string, Together> points;  // by identity
    position_ = 0;
    for (const Entry* const entry : entries) {
      text_ = entry->line;
      line_statement_.execute(true);
      ++position_;
      if (!entry->measured) continue;
      Together& point = points[text_of(entry->identity)];
      if (point.first == nullptr) point.first = entry;
      point.medians.push_back(entry->median.count());
      if (std::isfinite(entry->effective_samples)) point.effective += entry->effective_samples;
      point.converged = point.converged && entry->status == Status::ok;
    }
    for (auto& [identity, point] : points) add_point(identity, point);
  }
  [[nodiscard]] std::size_t fresh() const { return fresh_; }

 private:
  void add_point(const std::string& identity, Together& point) {
    const Case& its = point.first->identity.key.point;
    text_ = identity;
    bytes_ = static_cast<Whole>(its.bytes);  // as a column it is for people and for the index: beyond 63 bits it wraps
    ranks_ = its.ranks;
    from_ = its.from;
    to_ = its.to;
    find_statement_.execute(true);
    if (found_ != soci::i_ok) {
      series_ = next_id(sql_, "railgauge_series");
      sql_ << "INSERT INTO railgauge_series (id, collective, algorithm, transport, device, ranks, bytes, from_rank, to_rank, "
              "identity) "
              "VALUES (:id, :collective, :algorithm, :transport, :device, :ranks, :bytes, :source, :target, :identity)",
          soci::use(series_), soci::use(its.collective), soci::use(its.algorithm), soci::use(its.transport),
          soci::use(its.device), soci::use(ranks_), soci::use(bytes_), soci::use(from_), soci::use(to_), soci::use(text_);
      ++fresh_;
    }
    const bool alone = point.medians.size() == 1;
    status_ = railgauge::name(point.converged ? Status::ok : Status::not_converged);
    median_ = compare::middle(std::move(point.medians));
    low_ = alone ? point.first->ci_low.count() : unknown;
    high_ = alone ? point.first->ci_high.count() : unknown;
    effective_ = point.effective;
    point_statement_.execute(true);
  }

  soci::session& sql_;
  // What the statements are given and give.
  Whole run_ = 0, position_ = 0, series_ = 0, bytes_ = 0, ranks_ = 0, from_ = 0, to_ = 0;
  soci::indicator found_ = soci::i_null;
  std::string text_, status_;
  Value median_, low_, high_, effective_;
  soci::statement line_statement_, find_statement_, point_statement_;
  std::size_t fresh_ = 0;
};

}  // namespace

std::string_view name(State state) noexcept { return state == State::counted ? "counted" : "refused"; }

History History::open(const std::string& where, const Access& access) {
  return History(std::make_unique<Database>(where, access));
}
History::History(std::unique_ptr<Database> database) : database_(std::move(database)) {}
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;
History::~History() = default;

Added History::add(std::span<const Entry> entries, const Label& label, State state) {
  std::vector<std::string> runs;  // in the order in which they came
  std::map<std::string, std::vector<const Entry*>> by_run;
  for (const Entry& entry : entries) {
    auto& its = by_run[entry.run];
    if (its.empty()) runs.push_back(entry.run);
    its.push_back(&entry);
  }
  Added added;
  database_->write([&] {
    soci::session& sql = database_->sql();
    added = {};
    Adder adder(sql);
    const std::string text = printable(label.text), state_name(name(state));
    const Whole at = label.at, now = database_->now();
    for (const std::string& run : runs) {
      const auto& its = by_run.at(run);
      if (const Whole there = run_id(sql, run); there != 0) {
        if (!same_lines(sql, there, its))
          throw Error(Fault::usage,
                      fmt::format("{}: run {} is there already, with other results: nothing was changed. A run is added "
                                  "once, when it is complete",
                                  database_->name(), run));
        added.known.push_back(run);
        continue;
      }
      const Whole id = next_id(sql, "railgauge_runs");
      sql << "INSERT INTO railgauge_runs (id, run, label, at_seconds, state, added_seconds) VALUES (:id, :run, :label, :at, "
             ":state, :now)",
          soci::use(id), soci::use(run), soci::use(text), soci::use(at), soci::use(state_name), soci::use(now);
      adder.add(id, its);
      added.runs.push_back(run);
      added.results += its.size();
    }
    added.fresh = adder.fresh();
  });
  return added;
}

std::vector<RunRow> History::runs() const {
  std::vector<RunRow> rows;
  database_->read([&] {
    soci::session& sql = database_->sql();
    std::string run, label, state;
    Whole at = 0, results = 0, measured = 0;
    soci::statement all =
        (sql.prepare << "SELECT run, label, at_seconds, state, (SELECT count(*) FROM railgauge_results WHERE run_id = "
                        "railgauge_runs.id), (SELECT count(*) FROM railgauge_points WHERE run_id = railgauge_runs.id) "
                        "FROM railgauge_runs ORDER BY id",
         soci::into(run), soci::into(label), soci::into(at), soci::into(state), soci::into(results), soci::into(measured));
    all.execute();
    while (all.fetch())
      rows.push_back({run,
                      {label, at},
                      state == name(State::counted) ? State::counted : State::refused,
                      static_cast<std::size_t>(results),
                      static_cast<std::size_t>(measured)});
  });
  return rows;
}

std::vector<Entry> History::entries_of(const std::string& run) const {
  std::vector<Entry> entries;
  lines(run, [&](std::string_view line) {
    entries.push_back(read_entry(line, fmt::format("{}, result {} of run {}", database_->name(), entries.size() + 1, run)));
  });
  return entries;
}

void History::lines(const std::optional<std::string>& run, const std::function<void(std::string_view)>& take) const {
  database_->read([&] {
    soci::session& sql = database_->sql();
    std::vector<Whole> ids;
    if (run) {
      ids.push_back(run_id(sql, *run));
      if (ids.back() == 0)
        throw Error(Fault::usage,
                    fmt::format("{} has no run {}: railgauge history list names all", database_->name(), printable(*run)));
    } else {
      Whole id = 0;
      soci::statement all = (sql.prepare << "SELECT id FROM railgauge_runs ORDER BY id", soci::into(id));
      all.execute();
      while (all.fetch()) ids.push_back(id);
    }
    for (const Whole id : ids) each_line(sql, id, take);
  });
}

std::size_t History::accept(const Filter& filter, const std::optional<std::string>& from_run, const std::string& reason,
                            const std::string& who) {
  std::size_t moved = 0;
  database_->write([&] {
    soci::session& sql = database_->sql();
    Whole from = 0, id = 0, last = 0;
    if (from_run) {
      from = run_id(sql, *from_run);
      if (from == 0)
        throw Error(Fault::usage,
                    fmt::format("{} has no run {}: railgauge history list names all", database_->name(), printable(*from_run)));
    }
    std::vector<std::pair<Whole, Whole>> moves;  // a series, and where its baseline begins
    std::string identity;
    soci::statement all = (sql.prepare << "SELECT id, identity, (SELECT max(run_id) FROM railgauge_points WHERE series_id = "
                                          "railgauge_series.id) FROM railgauge_series ORDER BY id",
                           soci::into(id), soci::into(identity), soci::into(last));
    all.execute();
    while (all.fetch())
      if (filter.empty() || filter.fits(identity_of(identity))) moves.emplace_back(id, from_run ? from : last);
    if (moves.empty()) throw Error(Fault::usage, database_->name() + " has no case that fits: railgauge history show names all");
    const std::string why = printable(reason), by = printable(who);
    const Whole now = database_->now();
    for (const auto& [series, begin] : moves) {
      const Whole accept = next_id(sql, "railgauge_accepts");
      sql << "INSERT INTO railgauge_accepts (id, series_id, from_run_id, reason, who, at_seconds) VALUES (:id, :series, :begin, "
             ":reason, :who, :now)",
          soci::use(accept), soci::use(series), soci::use(begin), soci::use(why), soci::use(by), soci::use(now);
    }
    moved = moves.size();
  });
  return moved;
}

}  // namespace railgauge::history
