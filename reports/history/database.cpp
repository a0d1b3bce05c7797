// Opens a history and keeps its transactions whole: reports/history/database.hpp.
#include "reports/history/database.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <soci/version.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "reports/history/schema.hpp"
#include "reports/history/server.hpp"

namespace railgauge::history {
namespace {

namespace fs = std::filesystem;

// The rollback journal, not the log (WAL): that needs memory which all writers share, and network file systems have none.
constexpr Dialect sqlite{"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'railgauge_schema'",
                         "SELECT count(*) FROM sqlite_master", "BEGIN IMMEDIATE", "", "BEGIN"};
// The number is any that nobody else locks in this database.
constexpr Dialect postgresql{
    "SELECT count(*) FROM information_schema.tables WHERE table_name = 'railgauge_schema' AND table_schema = current_schema()",
    "", "BEGIN", "SELECT pg_advisory_xact_lock(7163384644223034467)",
    "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"};

// What SOCI and its libraries say, without the statement that it was about.
std::string one_line(std::string text) {
  text.resize(std::min(text.size(), text.find("\nLINE ")));
  for (const std::string_view start :
       {"Cannot execute query. ", "Fatal error. ", "Cannot establish connection to the database.\n",
        "sqlite3_statement_backend::loadOne: ", "sqlite3_statement_backend::prepare: "})
    if (text.substr(0, start.size()) == start) text.erase(0, start.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return printable(text);
}

void expect_place(const std::string& path, bool make) {
  std::error_code ignored;
  const fs::path file(path);
  if (fs::is_directory(file, ignored))
    throw Error(Fault::usage, path + " is a folder: give the name of a file, such as " + path + "/history.db");
  if (fs::exists(file, ignored)) return;
  if (!make) throw Error(Fault::usage, "there is no history " + path + ": railgauge history add FILE makes one");
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  if (!fs::is_directory(folder, ignored))
    throw Error(Fault::usage, path + " cannot be made: there is no folder " + folder.string());
}

std::unique_ptr<soci::session> open_file(const std::string& path, const Access& access) {
  if (path.empty() || path.find('"') != std::string::npos || path.find('\0') != std::string::npos)
    throw Error(Fault::usage, fmt::format("'{}' cannot be the name of a history: choose one without quotes", printable(path)));
  expect_place(path, access.make);
  auto session = std::make_unique<soci::session>(*soci::factory_sqlite3(), "db=\"" + fs::absolute(path).string() + "\"");
  const double milliseconds = std::clamp(access.wait.count() * 1000, 1.0, 1e9);
  *session << fmt::format("PRAGMA busy_timeout = {:.0f}", std::ceil(milliseconds));
  *session << "PRAGMA synchronous = EXTRA";  // what was acknowledged outlives a loss of power
  *session << "PRAGMA foreign_keys = ON";
  return session;
}

// SOCI's own search would take a library of the folder that one happens to be in.
const soci::backend_factory& postgresql_backend(const std::string& shown) {
  const std::string version = fmt::format("{}.{}", SOCI_VERSION / 100000, SOCI_VERSION / 100 % 1000);
  const std::string library = "libsoci_postgresql.so." + version;
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = handle == nullptr ? nullptr : dlsym(handle, "factory_postgresql");
  if (symbol == nullptr) {
    const char* const cause = dlerror();
    throw Error(Fault::usage, fmt::format("{} needs SOCI's library for PostgreSQL, the package libsoci-postgresql{}: {}", shown,
                                          version, cause == nullptr ? "it is another library" : cause));
  }
  return *reinterpret_cast<const soci::backend_factory* (*)()>(symbol)();
}

// What a server says when it will have room soon.
bool passes(std::string_view message) {
  constexpr std::string_view signs[] = {"too many clients", "remaining connection slots", "the database system is starting up",
                                        "too many connections"};
  return std::any_of(std::begin(signs), std::end(signs),
                     [&](std::string_view sign) { return message.find(sign) != std::string_view::npos; });
}

std::unique_ptr<soci::session> open_server(const Server& server, const Access& access) {
  const soci::backend_factory& backend = postgresql_backend(server.shown);
  const auto until = std::chrono::steady_clock::now() + access.wait;
  for (auto pause = std::chrono::milliseconds(5);; pause = std::min(2 * pause, std::chrono::milliseconds(200))) try {
      auto session = std::make_unique<soci::session>(backend, server.connection);
      const long milliseconds = static_cast<long>(std::clamp(std::ceil(access.wait.count() * 1000), 1.0, 2e9));
      *session << fmt::format("SET lock_timeout = {}", milliseconds);
      *session << "SET client_min_messages = warning";
      return session;
    } catch (const soci::soci_error& error) {
      if (!passes(error.what()) || std::chrono::steady_clock::now() + pause > until) throw;
      std::this_thread::sleep_for(pause);
    }
}

}  // namespace

Database::Database(const std::string& where, const Access& access)
    : name_(printable(where)), wait_(access.wait), now_(access.now) {
  try {
    if (is_server(where)) {
      const Server server = read_server(where, access.wait);
      name_ = printable(server.shown);
      password_ = server.password;
      dialect_ = &postgresql;
      session_ = open_server(server, access);
    } else {
      dialect_ = &sqlite;
      session_ = open_file(where, access);
    }
  } catch (const soci::soci_error& error) { refuse(error, Phase::reading); }
  bring_up_to_date(*this, access.make, versions());
}

void Database::write(const std::function<void()>& work) { transact(true, work); }
void Database::read(const std::function<void()>& work) { transact(false, work); }

void Database::transact(bool writing, const std::function<void()>& work) {
  const auto undo = [this] {
    try {
      *session_ << "ROLLBACK";
    } catch (const soci::soci_error&) {
      // It never began, or its connection is gone, and with that it is undone.
    }
  };
  Phase phase = writing ? Phase::writing : Phase::reading;
  try {
    *session_ << (writing ? dialect_->begin_write : dialect_->begin_read);
    if (writing && *dialect_->begin_write2 != '\0') *session_ << dialect_->begin_write2;
    work();
    if (writing) phase = Phase::ending;
    *session_ << "COMMIT";
  } catch (const soci::soci_error& error) {
    undo();
    refuse(error, phase);
  } catch (...) {
    undo();
    throw;
  }
}

void Database::refuse(const soci::soci_error& error, Phase phase) const {
  const bool writing = phase != Phase::reading;
  const char* const nothing = writing ? ": nothing was changed" : "";
  std::string cause = one_line(error.get_error_message());  // what() adds the values of the statement, which are whole results
  if (const auto* const lite = dynamic_cast<const soci::sqlite3_soci_error*>(&error)) {
    switch (lite->result()) {
      case SQLITE_NOTADB:
        throw Error(Fault::usage, name_ + " is no history: it is no SQLite database");
      case SQLITE_CANTOPEN:
        throw Error(Fault::usage, name_ + " cannot be opened: may it be read, and files be made beside it?");
      case SQLITE_READONLY:
        throw Error(Fault::usage,
                    fmt::format("{} cannot be written: it, or the folder that it is in, is read-only{}", name_, nothing));
      case SQLITE_FULL:
        throw Error(Fault::usage, fmt::format("the disk of {} is full{}", name_, nothing));
      case SQLITE_IOERR:
        throw Error(Fault::usage, fmt::format("{} cannot be {}, the disk may be full or fail: {}{}", name_,
                                              writing ? "written" : "read", cause, nothing));
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        throw Error(Fault::usage,
                    fmt::format("{}: others were writing for {:.3g} s{}; --wait waits longer", name_, wait_.count(), nothing));
      case SQLITE_CORRUPT:
        throw Error(Fault::usage, name_ + " is damaged (sqlite3 FILE .recover may save what is left): restore a copy of it");
      default:
        break;
    }
  }
  if (!password_.empty())
    for (std::size_t at = 0; (at = cause.find(password_, at)) != std::string::npos; at += 3)
      cause.replace(at, password_.size(), "...");
  const bool undecided = phase == Phase::ending && dialect_ == &postgresql;
  throw Error(Fault::usage,
              fmt::format("{}: {}{}", name_, cause,
                          undecided ? ": whether it was done is not known; adding again does nothing where it was" : nothing));
}

}  // namespace railgauge::history
