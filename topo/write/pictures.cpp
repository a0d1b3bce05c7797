// Finds, and hands what was found to those who draw.
#include "topo/check/check.hpp"
#include "topo/draw/draw.hpp"
#include "topo/write/formats.hpp"

namespace railgauge::topo {
namespace {

Diagnosis found_in(const Graph& graph, const Ratios& ratios) {
  CheckOptions options;
  options.measured = &ratios;
  return diagnose(graph, options);
}

}  // namespace

std::string picture_svg(const Graph& graph) { return picture_svg(graph, {}); }
std::string picture_svg(const Graph& graph, const Ratios& ratios) { return to_svg(graph, found_in(graph, ratios), ratios); }
std::string picture_html(const Graph& graph) { return picture_html(graph, {}); }
std::string picture_html(const Graph& graph, const Ratios& ratios) { return to_html(graph, found_in(graph, ratios), ratios); }

}  // namespace railgauge::topo
