// The addresses behind reports/history/server.hpp. SOCI 4.0 hands its text to libpq as it is, and 4.1 takes it apart into names
// and values first, which an address is not: so it is taken apart here.
#include "reports/history/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/output/text.hpp"

namespace railgauge::history {
namespace {

constexpr std::string_view schemes[] = {"postgresql://", "postgres://"};

std::string_view scheme_of(std::string_view where) {
  for (const std::string_view scheme : schemes)
    if (where.substr(0, scheme.size()) == scheme) return scheme;
  return {};
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1, low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      throw Error(Fault::usage, "the address of the server has a % that is not followed by two hexadecimal digits");
    plain += static_cast<char>(16 * high + low);
    i += 2;
  }
  return plain;
}

// Cuts at the first `mark`; what is behind it goes to `rest`, which is empty where there is none.
std::string_view cut(std::string_view text, char mark, std::string_view& rest) {
  const std::size_t at = text.find(mark);
  rest = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return text.substr(0, at);
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(cut(text, mark, text));
  return parts;
}

}  // namespace

bool is_server(std::string_view where) { return !scheme_of(where).empty(); }

Server read_server(std::string_view address, Seconds wait) {
  const std::string_view scheme = scheme_of(address);
  std::string_view query, database, password;
  const std::string_view place = cut(address.substr(scheme.size()), '?', query);
  std::string_view authority = cut(place, '/', database);
  std::map<std::string, std::string> values;
  const std::size_t at = authority.rfind('@');
  Server server;
  server.shown = scheme;
  if (at != std::string_view::npos) {
    const std::string_view user = cut(authority.substr(0, at), ':', password);
    if (!user.empty()) values["user"] = decoded(user);
    server.shown += std::string(user) + "@";
    authority = authority.substr(at + 1);
  }
  server.shown += std::string(authority) + (database.empty() ? "" : "/" + std::string(database));
  std::string hosts, ports;
  bool first = true;
  for (const std::string_view one : split(authority, ',')) {
    // [::1]:5432 has colons of its own.
    const std::size_t end = one.substr(0, 1) == "[" ? one.find(']') : 0;
    const std::size_t colon = end == std::string_view::npos ? end : one.find(':', end);
    std::string_view host = one.substr(0, colon);
    if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    hosts += (first ? "" : ",") + decoded(host);
    ports += (first ? "" : ",") + std::string(colon == std::string_view::npos ? std::string_view() : one.substr(colon + 1));
    first = false;
  }
  if (!hosts.empty()) values["host"] = hosts;
  if (ports.find_first_not_of(',') != std::string::npos) values["port"] = ports;
  if (!database.empty()) values["dbname"] = decoded(database);
  if (!password.empty()) values["password"] = decoded(password);
  for (const std::string_view pair : split(query, '&')) {
    std::string_view value;
    const std::string name = decoded(cut(pair, '=', value));
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos)
      throw Error(Fault::usage,
                  fmt::format("{}: '{}' is no parameter of a connection", printable(server.shown), printable(name)));
    values[name] = decoded(value);
  }
  server.password = values["password"];
  if (server.password.empty()) values.erase("password");
  // A server that does not answer is given up.
  const auto seconds = static_cast<long>(std::clamp(std::ceil(wait.count()), 2.0, 1e6));
  values.try_emplace("connect_timeout", std::to_string(seconds));
  values.try_emplace("tcp_user_timeout", std::to_string(1000 * seconds));
  values.try_emplace("application_name", "railgauge");
  for (const auto& [name, value] : values) {
    if (value.find_first_of("'\"\\") != std::string::npos || value.find('\0') != std::string::npos)
      throw Error(Fault::usage,
                  fmt::format("{}: the {} has a quote or a backslash, which cannot be passed on: give it by PG{}, or by a "
                              "file that PGPASSFILE or PGSERVICEFILE names",
                              printable(server.shown), name,
                              name == "dbname"     ? "DATABASE"
                              : name == "password" ? "PASSWORD"
                                                   : "USER and the like"));
    server.connection += (server.connection.empty() ? "" : " ") + name + "='" + value + "'";
  }
  return server;
}

}  // namespace railgauge::history
