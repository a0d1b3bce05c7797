// The tables behind reports/history/schema.hpp: only SQL that SQLite and PostgreSQL both know. Numbers of rows are given by the
// one who writes, since nobody else does meanwhile.
#include "reports/history/schema.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "reports/history/database.hpp"

namespace railgauge::history {
namespace {

const std::vector<Migration>& all_versions() {
  static const std::vector<Migration> all{
      {
          "CREATE TABLE railgauge_schema (version BIGINT NOT NULL)",
          "INSERT INTO railgauge_schema (version) VALUES (0)",
          // id: the order in which they were added. at: when it ran, or what its label is of, in seconds since 1970.
          "CREATE TABLE railgauge_runs (id BIGINT PRIMARY KEY, run TEXT NOT NULL UNIQUE, label TEXT NOT NULL, at_seconds BIGINT "
          "NOT NULL, "
          "state TEXT NOT NULL CHECK (state IN ('counted', 'refused')), added_seconds BIGINT NOT NULL)",
          "CREATE TABLE railgauge_results (run_id BIGINT NOT NULL REFERENCES railgauge_runs (id), position BIGINT NOT NULL, "
          "line TEXT NOT NULL, PRIMARY KEY (run_id, position))",
          // identity is what it is told apart by (entry.hpp); the columns are for people, and for finding it.
          "CREATE TABLE railgauge_series (id BIGINT PRIMARY KEY, collective TEXT NOT NULL, algorithm TEXT NOT NULL, transport "
          "TEXT NOT "
          "NULL, device TEXT NOT NULL, ranks BIGINT NOT NULL, bytes BIGINT NOT NULL, from_rank BIGINT NOT NULL, to_rank BIGINT "
          "NOT "
          "NULL, identity TEXT NOT NULL)",
          "CREATE INDEX railgauge_series_places ON railgauge_series (bytes, ranks, from_rank, to_rank)",
          // Seconds; NULL where it is not known.
          "CREATE TABLE railgauge_points (series_id BIGINT NOT NULL REFERENCES railgauge_series (id), run_id BIGINT NOT NULL "
          "REFERENCES "
          "railgauge_runs (id), status TEXT NOT NULL, median DOUBLE PRECISION, ci_low DOUBLE PRECISION, ci_high DOUBLE "
          "PRECISION, "
          "effective_samples DOUBLE PRECISION, PRIMARY KEY (series_id, run_id))",
          "CREATE INDEX railgauge_points_run ON railgauge_points (run_id)",
          "CREATE TABLE railgauge_accepts (id BIGINT PRIMARY KEY, series_id BIGINT NOT NULL REFERENCES railgauge_series (id), "
          "from_run_id "
          "BIGINT NOT NULL REFERENCES railgauge_runs (id), reason TEXT NOT NULL, who TEXT NOT NULL, at_seconds BIGINT NOT NULL)",
          "CREATE INDEX railgauge_accepts_series ON railgauge_accepts (series_id)",
      },
  };
  return all;
}

// 0 where there are no tables.
long long version_of(Database& database) {
  long long tables = 0, version = 0;
  database.sql() << database.dialect().has_schema, soci::into(tables);
  if (tables > 0) database.sql() << "SELECT version FROM railgauge_schema", soci::into(version);
  return version;
}

}  // namespace

std::span<const Migration> versions() { return all_versions(); }

void bring_up_to_date(Database& database, bool make, std::span<const Migration> known) {
  const auto newest = static_cast<long long>(known.size());
  const auto look = [&] {
    const long long version = version_of(database);
    long long others = 0;
    if (version == 0 && *database.dialect().others != '\0') database.sql() << database.dialect().others, soci::into(others);
    if (others > 0) throw Error(Fault::usage, database.name() + " is a database of something else, and no history");
    if (version == 0 && !make)
      throw Error(Fault::usage, "there is no history in " + database.name() + " yet: railgauge history add FILE makes one");
    if (version > newest)
      throw Error(Fault::usage, fmt::format("{} was written by a newer railgauge: its schema is {}, and this one knows up to {}: "
                                            "take the newer one",
                                            database.name(), version, newest));
    return version;
  };
  bool current = false;
  database.read([&] { current = look() == newest; });
  if (current) return;
  database.write([&] {
    for (long long version = look(); version < newest; ++version)  // another may have been first
      for (const char* const statement : known[static_cast<std::size_t>(version)]) database.sql() << statement;
    database.sql() << "UPDATE railgauge_schema SET version = :version", soci::use(newest);
  });
}

}  // namespace railgauge::history
