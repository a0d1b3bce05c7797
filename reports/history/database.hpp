// The one connection of a history, to a file or a server, and its transactions: all of SOCI that others see.
#pragma once

#include <soci/soci.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/units.hpp"
#include "reports/history/history.hpp"

namespace railgauge::history {

// What differs between the kinds of databases, besides how they are found. All else is SQL that both know.
struct Dialect {
  const char* has_schema;    // a query that counts the table of the schema's version
  const char* others;        // counts tables that are not ours, where they must not be; may be empty
  const char* begin_write;   // from here to the end of the transaction nobody else writes
  const char* begin_write2;  // a second statement, or empty
  const char* begin_read;    // what is read until the end of it is of one moment
};

class Database {
 public:
  // Throws Error(usage), as all do: one sentence that names the history, without a password.
  Database(const std::string& where, const Access& access);

  [[nodiscard]] soci::session& sql() { return *session_; }
  [[nodiscard]] const Dialect& dialect() const { return *dialect_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t now() const { return now_; }

  // All of what `work` does is done when this returns, and nothing of it when it throws; unless the connection to a server breaks
  // while it is done, and then the sentence says that it is unknown.
  void write(const std::function<void()>& work);
  void read(const std::function<void()>& work);

 private:
  void transact(bool writing, const std::function<void()>& work);
  enum class Phase : std::uint8_t { reading, writing, ending };  // ending: of what was written
  [[noreturn]] void refuse(const soci::soci_error& error, Phase phase) const;

  std::string name_, password_;
  Seconds wait_;
  std::int64_t now_;
  const Dialect* dialect_;
  std::unique_ptr<soci::session> session_;
};

}  // namespace railgauge::history
