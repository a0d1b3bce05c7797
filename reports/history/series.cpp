// What is read of single cases: reports/history/history.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "reports/history/database.hpp"
#include "reports/history/history.hpp"

namespace railgauge::history {
namespace {

using Whole = long long;  // of a column

Status status_of(const std::string& text) {
  return text == railgauge::name(Status::ok) ? Status::ok : Status::not_converged;  // others have no time
}

double known(double value, soci::indicator found) {
  return found == soci::i_ok ? value : std::numeric_limits<double>::quiet_NaN();
}

// Reads the points and the accepts of one series after another.
class Reader {
 public:
  explicit Reader(soci::session& sql)
      : points_((sql.prepare << "SELECT r.id, r.run, r.label, r.at_seconds, r.state, p.status, p.median, p.ci_low, p.ci_high, "
                                "p.effective_samples FROM railgauge_points p JOIN railgauge_runs r ON r.id = p.run_id "
                                "WHERE p.series_id = :series ORDER BY r.id",
                 soci::into(id_), soci::into(run_), soci::into(label_), soci::into(at_), soci::into(state_), soci::into(status_),
                 soci::into(median_, has_median_), soci::into(low_, has_low_), soci::into(high_, has_high_),
                 soci::into(effective_, has_effective_), soci::use(series_))),
        accepts_((sql.prepare << "SELECT a.from_run_id, r.run, a.reason, a.who, a.at_seconds FROM railgauge_accepts a "
                                 "JOIN railgauge_runs r ON r.id = a.from_run_id WHERE a.series_id = :series ORDER BY a.id",
                  soci::into(id_), soci::into(run_), soci::into(reason_), soci::into(who_), soci::into(at_),
                  soci::use(series_))) {}

  void read(Whole id, Series& series) {
    series_ = id;
    std::vector<Whole> runs;
    points_.execute();
    while (points_.fetch()) {
      runs.push_back(id_);
      series.points.push_back({run_,
                               id_,
                               {label_, at_},
                               state_ == name(State::counted) ? State::counted : State::refused,
                               Seconds(known(median_, has_median_)),
                               Seconds(known(low_, has_low_)),
                               Seconds(known(high_, has_high_)),
                               has_effective_ == soci::i_ok ? effective_ : 0,
                               status_of(status_)});
    }
    Whole begin = 0;
    accepts_.execute();
    while (accepts_.fetch()) {
      begin = id_;
      series.accepts.push_back({run_, reason_, who_, at_});
    }
    series.accepted_from = static_cast<std::size_t>(std::lower_bound(runs.begin(), runs.end(), begin) - runs.begin());
  }

 private:
  Whole series_ = 0, id_ = 0, at_ = 0;
  std::string run_, label_, state_, status_, reason_, who_;
  double median_ = 0, low_ = 0, high_ = 0, effective_ = 0;
  soci::indicator has_median_ = soci::i_null, has_low_ = soci::i_null, has_high_ = soci::i_null, has_effective_ = soci::i_null;
  soci::statement points_, accepts_;
};

Identity kept_identity(const std::string& text, const Database& database) {
  try {
    return identity_of(text);
  } catch (const nlohmann::json::exception&) {
    throw Error(Fault::usage, database.name() + " is damaged: a case in it cannot be read");
  }
}

}  // namespace

std::vector<std::size_t> baseline_of(const Series& series) {
  std::vector<std::size_t> members;
  for (std::size_t i = series.accepted_from; i < series.points.size() && members.size() < baseline_runs; ++i)
    if (series.points[i].state == State::counted && std::isfinite(series.points[i].median.count())) members.push_back(i);
  return members;
}

std::vector<Series> History::series(const Filter& filter) const {
  std::vector<Series> found;
  database_->read([&] {
    soci::session& sql = database_->sql();
    Whole id = 0;
    std::string text;
    std::vector<Whole> ids;
    soci::statement all = (sql.prepare << "SELECT id, identity FROM railgauge_series", soci::into(id), soci::into(text));
    all.execute();
    while (all.fetch()) {
      Identity identity = kept_identity(text, *database_);
      if (!filter.fits(identity)) continue;
      ids.push_back(id);
      found.emplace_back().identity = std::move(identity);
    }
    Reader reader(sql);
    for (std::size_t i = 0; i < ids.size(); ++i) reader.read(ids[i], found[i]);
  });
  std::stable_sort(found.begin(), found.end(), [](const Series& a, const Series& b) {
    if (a.identity.key < b.identity.key) return true;
    return !(b.identity.key < a.identity.key) && a.identity.conditions < b.identity.conditions;
  });
  return found;
}

std::vector<Series> History::series_of(std::span<const Identity> identities) const {
  std::vector<Series> found;
  database_->read([&] {
    soci::session& sql = database_->sql();
    Whole id = 0, bytes = 0, ranks = 0, from = 0, to = 0;
    soci::indicator there = soci::i_null;
    std::string text;
    soci::statement find =
        (sql.prepare << "SELECT max(id) FROM railgauge_series WHERE bytes = :bytes AND ranks = :ranks AND "
                        "from_rank = :source AND to_rank = :target AND identity = :identity",
         soci::into(id, there), soci::use(bytes), soci::use(ranks), soci::use(from), soci::use(to), soci::use(text));
    Reader reader(sql);
    for (const Identity& identity : identities) {
      const Case& point = identity.key.point;
      bytes = static_cast<Whole>(point.bytes);
      ranks = point.ranks;
      from = point.from;
      to = point.to;
      text = text_of(identity);
      find.execute(true);
      Series& one = found.emplace_back();
      one.identity = identity;
      if (there == soci::i_ok) reader.read(id, one);
    }
  });
  return found;
}

std::vector<Head> History::heads() const {
  std::vector<Head> found;
  database_->read([&] {
    soci::session& sql = database_->sql();
    std::string text, run, label;
    Whole at = 0, points = 0;
    soci::statement all =
        (sql.prepare
             << "SELECT s.identity, r.run, r.label, r.at_seconds, n.points FROM railgauge_series s JOIN (SELECT series_id, "
                "max(run_id) AS last, count(*) AS points FROM railgauge_points GROUP BY series_id) n ON n.series_id = s.id "
                "JOIN railgauge_runs r ON r.id = n.last ORDER BY n.last, s.id",
         soci::into(text), soci::into(run), soci::into(label), soci::into(at), soci::into(points));
    all.execute();
    while (all.fetch()) found.push_back({kept_identity(text, *database_), run, {label, at}, static_cast<std::size_t>(points)});
  });
  return found;
}

}  // namespace railgauge::history
