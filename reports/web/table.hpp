// A table of HTML that a screen reader can walk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::web {

class HtmlTable {
 public:
  // Numbers stand at the right: of columns from `first_number` on.
  HtmlTable(std::string_view caption, std::vector<std::string_view> columns, std::size_t first_number);
  void row(const std::vector<std::string>& cells);  // what was shown() (reports/web/inert.hpp); the first is the head of its row
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::string text(std::string_view id = {}) const;

 private:
  std::string caption_, head_, body_;
  std::size_t first_number_, rows_ = 0;
};

// A table behind a line that opens it.
[[nodiscard]] std::string folded(std::string_view summary, const std::string& inside, bool open);

}  // namespace railgauge::web
