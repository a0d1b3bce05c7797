// How tables of older versions become today's.
#include "reports/history/schema.hpp"

#include <soci/sqlite3/soci-sqlite3.h>

#include "base/error.hpp"
#include "reports/history/database.hpp"
#include "tests/reports/history/runs.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::history;
using namespace railgauge::test;

namespace {
long long version_in(Database& database) {
  long long version = 0;
  database.read([&] { database.sql() << "SELECT version FROM railgauge_schema", soci::into(version); });
  return version;
}
}  // namespace

TEST_CASE("a history of an older version is brought up to date, and keeps what it has") {
  const Folder folder;
  compare::Draws draws(1);
  const auto today = static_cast<long long>(versions().size());
  (void)History::open(folder.file("h.db"), making()).add(make_run("run", 1e-6, draws), {"label", 3}, State::counted);
  std::vector<Migration> later(versions().begin(), versions().end());
  later.push_back({"ALTER TABLE railgauge_runs ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'"});
  later.push_back({"UPDATE railgauge_runs SET colour = 'red'", "CREATE TABLE railgauge_more (id BIGINT PRIMARY KEY)"});
  {
    Database database(folder.file("h.db"), reading());
    CHECK(version_in(database) == today);
    bring_up_to_date(database, false, later);
    CHECK(version_in(database) == today + 2);
    std::string run, colour;
    database.sql() << "SELECT run, colour FROM railgauge_runs", soci::into(run), soci::into(colour);
    CHECK(run == "run");
    CHECK(colour == "red");
    bring_up_to_date(database, false, later);  // again is nothing
    CHECK(version_in(database) == today + 2);
  }
  CHECK_THROWS_WITH(History::open(folder.file("h.db"), making()),
                    ContainsSubstring("was written by a newer railgauge: its schema is"));
}

TEST_CASE("a step that fails leaves the older version") {
  const Folder folder;
  (void)History::open(folder.file("h.db"), making());
  Database database(folder.file("h.db"), reading());
  const long long before = version_in(database);
  std::vector<Migration> later(versions().begin(), versions().end());
  later.push_back({"CREATE TABLE railgauge_more (id BIGINT PRIMARY KEY)"});
  later.push_back({"this is no SQL"});
  CHECK_THROWS_WITH(bring_up_to_date(database, false, later), ContainsSubstring("nothing was changed"));
  CHECK(version_in(database) == before);
  long long tables = 1;
  database.sql() << "SELECT count(*) FROM sqlite_master WHERE name = 'railgauge_more'", soci::into(tables);
  CHECK(tables == 0);
}

TEST_CASE("a database of something else is left alone") {
  const Folder folder;
  {
    soci::session other(*soci::factory_sqlite3(), folder.file("other.db"));
    other << "CREATE TABLE things (id INTEGER)";
  }
  CHECK_THROWS_WITH(History::open(folder.file("other.db"), making()), ContainsSubstring("is a database of something else"));
}
