// Elements and their attributes.
#include "reports/web/table.hpp"

#include <fmt/format.h>

#include "reports/web/inert.hpp"

namespace railgauge::web {

HtmlTable::HtmlTable(std::string_view caption, std::vector<std::string_view> columns, std::size_t first_number)
    : caption_(html_of_sentence(caption)), first_number_(first_number) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    head_ +=
        fmt::format("<th scope=\"col\"{}>{}</th>", i >= first_number_ ? " class=\"number\"" : "", html_of_sentence(columns[i]));
}

void HtmlTable::row(const std::vector<std::string>& cells) {
  body_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    body_ += fmt::format("<{0}{1}{2}>{3}</{0}>", i == 0 ? "th" : "td", i == 0 ? " scope=\"row\"" : "",
                         i >= first_number_ ? " class=\"number\"" : "", html_of_sentence(cells[i]));
  body_ += "</tr>\n";
  ++rows_;
}

std::string HtmlTable::text(std::string_view id) const {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table{1}><caption>{0}</caption><thead><tr>{2}</tr></thead>"
      "<tbody>\n{3}</tbody></table></div>\n",
      caption_, id.empty() ? std::string() : fmt::format(" id=\"{}\"", id), head_, body_);
}

std::string folded(std::string_view summary, const std::string& inside, bool open) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "", html_of_sentence(summary), inside);
}

}  // namespace railgauge::web
