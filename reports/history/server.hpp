// Where a PostgreSQL server is, as people write it and as its library reads it.
#pragma once

#include <string>
#include <string_view>

#include "base/units.hpp"

namespace railgauge::history {

[[nodiscard]] bool is_server(std::string_view where);  // postgresql://... or postgres://...

struct Server {
  std::string connection;  // "host='db' dbname='perf' ...", with deadlines where none are given
  std::string shown;       // the address without its password
  std::string password;    // empty where it stands elsewhere
};
// postgresql://[USER[:PASSWORD]@][HOST[:PORT],...][/DATABASE][?NAME=VALUE&...], parts encoded with % as in any address. Throws
// Error(usage).
[[nodiscard]] Server read_server(std::string_view address, Seconds wait);

}  // namespace railgauge::history
