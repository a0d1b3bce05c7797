// The page: its sections, and the data of its one chart.
#include <fmt/format.h>

#include <string>

#include "reports/validation/fields.hpp"
#include "reports/validation/page.hpp"
#include "reports/validation/sections.hpp"
#include "reports/validation/words.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/data.hpp"
#include "reports/web/inert.hpp"
#include "topo/draw/web.hpp"

namespace railgauge::validation {
namespace {

template <class Items, class Text>
std::string list(const Items& items, const Text& text) {
  std::string result = "[";
  for (const auto& item : items) result += (result.size() == 1 ? "" : ",") + text(item);
  return result + "]";
}

// Of the shape that reports/web/src/data.ts declares.
std::string chart_data(const ShareMatrices& matrices) {
  const std::string names = list(matrices.names, [](const std::string& name) { return web::json_text(name); });
  const std::string all = list(matrices.matrices, [](const ShareMatrix& it) {
    return fmt::format("{{\"name\":{},\"from\":{},\"to\":{},\"share\":{}}}", web::json_text(it.name),
                       list(it.cells, [](const ShareCell& cell) { return fmt::format("{}", cell.from); }),
                       list(it.cells, [](const ShareCell& cell) { return fmt::format("{}", cell.to); }),
                       list(it.cells, [](const ShareCell& cell) { return fmt::format("{:.3f}", cell.share); }));
  });
  return fmt::format("{{\"shades\":{},\"shares\":{{\"names\":{},\"matrices\":{}}}}}", web::shade_table(), names, all);
}

}  // namespace

std::string to_html(const Validation& validation) {
  const std::vector<double> shares = shares_of(validation);
  const ShareMatrices matrices = share_matrices(validation, shares);
  web::Frame frame;
  frame.title = fmt::format("{}: railgauge validate", word_of(validation.outcome));
  frame.heading = validation.run.empty() ? "Validation of a cluster" : "Validation of a cluster: " + web::html(validation.run);
  frame.what = web::html_of_sentence(what_ran(validation));
  frame.program = "railgauge " + web::html(validation.version);
  frame.data = chart_data(matrices);
  const std::string style = fmt::format("{}{}", topo::web::picture_css, page_css);
  frame.style = style;
  return web::framed(frame, sections_of(validation, shares, matrices, web::has_charts()));
}

}  // namespace railgauge::validation
