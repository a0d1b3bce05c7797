// Cells one after the other; a line ends outside of quotes only.
#include "topo/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && Scan::is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && Scan::is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

// What stands between quotes; the first quote is the next character.
std::string CsvRecords::quoted(std::string_view origin) {
  std::string cell;
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '\n') ++next_line_;
    if (rest_[i] != '"') {
      cell += rest_[i];
    } else if (i + 1 < rest_.size() && rest_[i + 1] == '"') {
      cell += '"';
      ++i;
    } else {
      rest_.remove_prefix(i + 1);
      return cell;
    }
  }
  throw Error(Fault::usage, fmt::format("{}:{}: expected a closing quote (\") before the file ends", origin, line_));
}

bool CsvRecords::next(std::string_view origin) {
  cells_.clear();
  if (rest_.empty()) return false;
  line_ = next_line_;
  for (;;) {
    while (!rest_.empty() && rest_.front() != separator_ && Scan::is_blank(rest_.front())) rest_.remove_prefix(1);
    std::string cell;
    if (rest_.starts_with('"')) cell = quoted(origin);
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != separator_ && rest_[end] != '\n') ++end;
    cell += trimmed(rest_.substr(0, end));
    cells_.push_back(std::move(cell));
    const bool last = end == rest_.size() || rest_[end] == '\n';
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!last) continue;
    ++next_line_;
    return true;
  }
}

bool CsvRecords::blank() const {
  return std::all_of(cells_.begin(), cells_.end(), [](const std::string& cell) { return cell.empty(); });
}

std::string column_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') name += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) name += c;
  }
  return name;
}

}  // namespace railgauge::topo
