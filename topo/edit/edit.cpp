// Reads edits, and does them one after the other.
#include "topo/edit/edit.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "topo/edit/reduce.hpp"
#include "topo/edit/remove.hpp"
#include "topo/edit/select.hpp"

namespace railgauge::topo {
namespace {

constexpr std::string_view bandwidth_word = "bandwidth=";
constexpr double most = 1e9;  // GB/s, as in a graph's JSON

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

[[noreturn]] void refuse(std::string_view text, std::string_view expected) {
  throw Error(Fault::usage, fmt::format("\"{}\" is no edit: expected {}", text.substr(0, 120), expected));
}

// Takes the number behind a word; `least` and more.
double number_of(std::string_view text, std::string_view said, double least, std::string_view expected) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(number >= least && number <= most) || number <= 0)
    refuse(said, expected);
  return number;
}

Graph remove(Graph graph, std::string_view what) {
  edit::Gone gone(graph);
  {
    const View view(graph);
    const edit::Selection it = edit::select(view, what);
    if (it.node != View::none) gone.nodes[it.node] = true;
    for (const std::size_t link : it.links) gone.links[link] = true;
  }
  graph = edit::without(std::move(graph), std::move(gone));
  if (graph.nodes.empty()) throw Error(Fault::usage, fmt::format("remove {}: nothing would be left of this graph", what));
  return graph;
}

// Coding and what a good program reaches shrink with it. The rate is no longer that of the bandwidth, and unknown.
Graph set_bandwidth(Graph graph, std::string_view what, double value) {
  const std::vector<std::size_t> places = edit::select_links(View(graph), what);
  for (const std::size_t place : places) {
    Link& link = graph.links[place];
    const double before = payload(link.bandwidth);
    const double share = before > 0 ? value / before : 0;
    link.bandwidth = {link.bandwidth.line * share, value, link.bandwidth.usable * share};
    link.active = link.active_at_b = {};
    if (link.state == LinkState::low) link.state = LinkState::active;  // or it would count with what it is capable of
  }
  return graph;
}

}  // namespace

Edit parse_edit(std::string_view text) {
  const std::string_view said = trimmed(text);
  if (said.starts_with("remove ")) {
    const std::string_view what = trimmed(said.substr(7));
    return {EditKind::remove, std::string(what), 0};
  }
  if (said.starts_with("set ")) {
    const std::size_t blank = said.rfind(' ');
    const std::string_view what = trimmed(said.substr(4, blank < 4 ? 0 : blank - 4));
    const std::string_view value = said.substr(blank + 1);
    constexpr std::string_view expected = "set LINK bandwidth=GB/s, from 0.001 GB/s on";
    if (what.empty() || !value.starts_with(bandwidth_word)) refuse(said, expected);
    return {EditKind::set_bandwidth, std::string(what), number_of(value.substr(bandwidth_word.size()), said, 0.001, expected)};
  }
  if (said.starts_with("rails=")) {
    constexpr std::string_view expected = "rails=NUMBER, a whole number from 1 on";
    const double rails = number_of(said.substr(6), said, 1, expected);
    if (rails != std::floor(rails)) refuse(said, expected);
    return {EditKind::rails, {}, rails};
  }
  if (said.starts_with("oversubscribe="))
    return {EditKind::oversubscribe, {}, number_of(said.substr(14), said, 1, "oversubscribe=RATIO, from 1 on")};
  refuse(said, "remove LINK|NODE, set LINK bandwidth=GB/s, rails=NUMBER or oversubscribe=RATIO");
}

std::string to_text(const Edit& edit) {
  switch (edit.kind) {
    case EditKind::remove:
      return "remove " + edit.what;
    case EditKind::set_bandwidth:
      return fmt::format("set {} bandwidth={}", edit.what, edit.value);
    case EditKind::rails:
      return fmt::format("rails={}", edit.value);
    case EditKind::oversubscribe:
      return fmt::format("oversubscribe={}", edit.value);
  }
  return {};
}

Graph apply_edits(Graph graph, std::span<const Edit> edits) {
  for (const Edit& it : edits) {
    switch (it.kind) {
      case EditKind::remove:
        graph = remove(std::move(graph), it.what);
        break;
      case EditKind::set_bandwidth:
        graph = set_bandwidth(std::move(graph), it.what, it.value);
        break;
      case EditKind::rails:
        graph = edit::keep_rails(std::move(graph), static_cast<unsigned>(it.value));
        break;
      case EditKind::oversubscribe:
        graph = edit::oversubscribe(std::move(graph), it.value);
        break;
    }
  }
  return graph;
}

}  // namespace railgauge::topo
