// Comma-separated values as RFC 4180 has them: quotes around cells, two quotes for one inside, lines inside of quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

// Record after record of a text, which must outlive it. Blanks around cells outside of quotes are no part of them.
class CsvRecords {
 public:
  // `line` is the number of the text's first line.
  CsvRecords(std::string_view text, char separator, std::size_t line = 1)
      : rest_(text), separator_(separator), next_line_(line) {}

  // False at the end. Throws Error(usage) that begins with `origin` and the line when a quote does not close.
  bool next(std::string_view origin);
  [[nodiscard]] const std::vector<std::string>& cells() const { return cells_; }
  [[nodiscard]] std::size_t line() const { return line_; }  // where the record begins
  // True when no cell has anything in it.
  [[nodiscard]] bool blank() const;

 private:
  std::string quoted(std::string_view origin);

  std::string_view rest_;
  char separator_;
  std::size_t line_ = 0, next_line_;
  std::vector<std::string> cells_;
};

// Lower-case letters and digits of a text: "Link Width" and "LinkWidth" are one name of a column.
[[nodiscard]] std::string column_name(std::string_view text);

}  // namespace railgauge::topo
