// One line of results as a history keeps it: what it is a measurement of, what it says, and the line itself.
#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/compare/side.hpp"
#include "reports/result.hpp"

namespace railgauge::history {

using Conditions = std::map<std::string, std::string>;

// What keeps unlike things apart. Two measurements are of the same series where both parts are equal.
struct Identity {
  compare::Key key;
  // "topology", "cpu", "kernel", "path", "cache", "nodes", "versions.ucx", "settings.ucx.tls" and the like. Not the host's name,
  // which differs from job to job on machines that are alike, and not what the topology was said to allow.
  Conditions conditions;
};
[[nodiscard]] bool operator==(const Identity& a, const Identity& b);

// Text that is equal where identities are, and its inverse, which throws std::exception on other text. JSON in one line.
[[nodiscard]] std::string text_of(const Identity& identity);
[[nodiscard]] Identity identity_of(std::string_view text);

struct Entry {
  std::string line;  // without its newline
  std::string run;
  Identity identity;      // of what was not measured: without conditions
  bool measured = false;  // it has a median
  Status status = Status::ok;
  std::string reason;
  Seconds median{}, ci_low{}, ci_high{};
  double effective_samples = 0;
};

// Throws Error(usage) as read_result() does; `where` is a file and line.
[[nodiscard]] Entry read_entry(std::string_view line, const std::string& where);
// Of a result that was just measured.
[[nodiscard]] Entry entry_of(const Result& result);
// All of a file of them. Throws as read_entry() does, and when the file cannot be read.
[[nodiscard]] std::vector<Entry> read_entries(std::istream& file, const std::string& path);

}  // namespace railgauge::history
