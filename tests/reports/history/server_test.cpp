// Addresses of servers.
#include "reports/history/server.hpp"

#include "base/error.hpp"
#include "base/statistics/draws.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::history;
using namespace railgauge::test;

namespace {
constexpr const char* deadlines = "application_name='railgauge' connect_timeout='60'";
std::string connection(const char* address) { return read_server(address, Seconds(60)).connection; }
}  // namespace

TEST_CASE("what is a server and what a file") {
  CHECK(is_server("postgresql://"));
  CHECK(is_server("postgres://host/db"));
  CHECK(!is_server("postgresql:/host"));
  CHECK(!is_server("history.db"));
  CHECK(!is_server("./postgresql://x"));
}

TEST_CASE("an address is taken apart") {
  CHECK(connection("postgresql://") == std::string(deadlines) + " tcp_user_timeout='60000'");
  CHECK(connection("postgresql://ada:secret@db.example:5433/perf") ==
        std::string(deadlines) +
            " dbname='perf' host='db.example' password='secret' port='5433' tcp_user_timeout='60000' user='ada'");
  CHECK(connection("postgres:///perf?host=/run/postgresql&port=5") ==
        std::string(deadlines) + " dbname='perf' host='/run/postgresql' port='5' tcp_user_timeout='60000'");
  CHECK(connection("postgresql://a,b:2,[::1]:3/") ==
        std::string(deadlines) + " host='a,b,::1' port=',2,3' tcp_user_timeout='60000'");
  CHECK(connection("postgresql://%2Fvar%2Frun/a%20b?connect_timeout=3&tcp_user_timeout=1&application_name=x") ==
        "application_name='x' connect_timeout='3' dbname='a b' host='/var/run' tcp_user_timeout='1'");
}

TEST_CASE("a password is never shown") {
  for (const char* const address :
       {"postgresql://ada:se%41cret@db/perf", "postgresql://ada@db/perf?password=seAcret&sslmode=require"}) {
    const Server server = read_server(address, Seconds(1));
    CHECK(server.password == "seAcret");
    CHECK_THAT(server.connection, ContainsSubstring("password='seAcret'"));
    CHECK(server.shown == "postgresql://ada@db/perf");
  }
  CHECK(read_server("postgresql://h", Seconds(1)).password.empty());
}

TEST_CASE("an address that makes no sense is refused") {
  CHECK_THROWS_WITH(connection("postgresql://a%2"), ContainsSubstring("two hexadecimal digits"));
  CHECK_THROWS_WITH(connection("postgresql://a%zz"), ContainsSubstring("two hexadecimal digits"));
  CHECK_THROWS_WITH(connection("postgresql://a/?=x"), ContainsSubstring("no parameter of a connection"));
  CHECK_THROWS_WITH(connection("postgresql://a/?ho st=x"), ContainsSubstring("no parameter of a connection"));
  CHECK_THROWS_WITH(connection("postgresql://ada:it's@a"), ContainsSubstring("PGPASSWORD") && !ContainsSubstring("it's"));
  CHECK_THROWS_WITH(connection("postgresql://ada:a%5Cb@a"), ContainsSubstring("a backslash"));
  compare::Draws draws(3);
  const std::string letters = "ab:/@?&=%,[]'\\\"# 25";
  for (int round = 0; round < 5000; ++round) {
    std::string address = "postgresql://";
    for (std::size_t i = draws.below(30); i > 0; --i) address += letters[draws.below(letters.size())];
    CAPTURE(address);
    try {
      const std::string text = connection(address.c_str());
      CHECK(!text.empty());
    } catch (const Error& error) { CHECK(error.fault() == Fault::usage); }
  }
}
