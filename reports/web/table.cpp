// Elements and their attributes.
#include "reports/web/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/web/inert.hpp"

namespace railgauge::web {

HtmlTable::HtmlTable(std::string_view caption, std::vector<std::string_view> columns, std::size_t first_number)
    : caption_(html_of_sentence(caption)), columns_(columns.begin(), columns.end()), first_number_(first_number) {}

void HtmlTable::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string HtmlTable::text(std::string_view id) const {
  const auto is_shown = [&](std::size_t column) {
    return !leave_out_empty_ || kept_.contains(column) || std::any_of(rows_.begin(), rows_.end(), [&](const auto& cells) {
      return cells.at(column) != "-" && !cells.at(column).empty();
    });
  };
  std::vector<std::size_t> shown_columns;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (is_shown(i)) shown_columns.push_back(i);
  const auto style = [&](std::size_t column) { return column >= first_number_ ? " class=\"number\"" : ""; };
  std::string head, body;
  for (const std::size_t i : shown_columns)
    head += fmt::format("<th scope=\"col\"{}>{}</th>", style(i), html_of_sentence(columns_[i]));
  for (const auto& cells : rows_) {
    body += "<tr>";
    for (const std::size_t i : shown_columns)
      body += fmt::format("<{0}{1}{2}>{3}</{0}>", i == 0 ? "th" : "td", i == 0 ? " scope=\"row\"" : "", style(i),
                          html_of_sentence(cells.at(i)));
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Table: {0}\"><table{1}><caption>{0}</caption><thead><tr>{2}</tr></thead>"
      "<tbody>\n{3}</tbody></table></div>\n",
      caption_, id.empty() ? std::string() : fmt::format(" id=\"{}\"", id), head, body);
}

std::string folded(std::string_view summary, const std::string& inside, bool open) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "", html_of_sentence(summary), inside);
}

}  // namespace railgauge::web
