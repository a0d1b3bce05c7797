// A table of HTML that a screen reader can walk.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::web {

class HtmlTable {
 public:
  // Numbers stand at the right: of columns from `first_number` on.
  HtmlTable(std::string_view caption, std::vector<std::string_view> columns, std::size_t first_number);
  void row(std::vector<std::string> cells);  // what was shown() (reports/web/inert.hpp); the first is the head of its row
  void leave_out_empty() { leave_out_empty_ = true; }      // columns that have nothing, or "-", in every row
  void keep(std::size_t column) { kept_.insert(column); }  // which has a value in a row that is not here
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::string text(std::string_view id = {}) const;

 private:
  std::string caption_;
  std::vector<std::string> columns_;
  std::size_t first_number_;
  std::vector<std::vector<std::string>> rows_;
  bool leave_out_empty_ = false;
  std::set<std::size_t> kept_{0};
};

// A table behind a line that opens it.
[[nodiscard]] std::string folded(std::string_view summary, const std::string& inside, bool open);

}  // namespace railgauge::web
