// Names of links: "A - B", with ports and a kind where they are given, or one port.
#include "topo/edit/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"

namespace railgauge::topo::edit {
namespace {

constexpr std::string_view between = " - ";

struct End {
  std::size_t node = View::none;
  unsigned port = 0;  // 0: any
};

// Switches and machines have names of their own, and are asked for most: they are found without the names of all other nodes.
std::optional<std::size_t> by_name(const View& view, std::string_view said) {
  if (const std::size_t place = view.place(said); place != View::none) return place;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < view.graph().nodes.size(); ++i) {
    const Node& node = view.node(i);
    if ((node.kind != Kind::fabric_switch && node.kind != Kind::machine) || node.name != said) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::size_t node_of(const View& view, std::string_view said) {
  if (const auto found = by_name(view, said)) return *found;
  return view.place(find_node(view.graph(), said));
}

// The name before ":PORT"; empty where no port is behind it.
std::string_view before_port(std::string_view said, unsigned& port) {
  const std::size_t colon = said.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const char* const end = said.data() + said.size();
  const auto read = std::from_chars(said.data() + colon + 1, end, port);
  return read.ec == std::errc() && read.ptr == end && port != 0 ? said.substr(0, colon) : std::string_view();
}

// A whole name goes before one with a port: keys of PCIe hold colons.
End end_of(const View& view, std::string_view said) {
  if (const auto found = by_name(view, said)) return {*found, 0};
  unsigned port = 0;
  const std::string_view name = before_port(said, port);
  if (name.empty()) return {node_of(view, said), 0};
  if (const auto found = by_name(view, name)) return {*found, port};
  try {
    return {node_of(view, said), 0};
  } catch (const Error&) {  // no such name, as for nearly all texts with a port
    return {node_of(view, name), port};
  }
}

bool contains(const View& view, std::size_t outer, std::size_t node) {
  while (node != View::none && node != outer) node = view.parent(node);
  return node == outer;
}

// Whether that end of a link is the one meant; `inside`: also where it is a part of the node.
bool is_at(const View& view, const End& end, std::size_t node, unsigned port, bool inside) {
  if (end.port != 0 && end.port != port) return false;
  return node == end.node || (inside && node != View::none && contains(view, end.node, node));
}

std::vector<std::size_t> links_at(const View& view, const End& a, const End& b, const LinkKindRow* kind) {
  const bool apart = !contains(view, a.node, b.node) && !contains(view, b.node, a.node);
  std::vector<std::size_t> found;
  for (const bool inside : {false, true}) {
    if (!found.empty() || (inside && !apart)) break;
    for (std::size_t i = 0; i < view.graph().links.size(); ++i) {
      const Link& link = view.link(i);
      if (kind != nullptr && link.kind != kind->kind) continue;
      const auto joins = [&](const End& x, const End& y) {
        return is_at(view, x, view.a(i), link.a_port, inside) && is_at(view, y, view.b(i), link.b_port, inside);
      };
      if (joins(a, b) || joins(b, a)) found.push_back(i);
    }
  }
  return found;
}

std::vector<std::size_t> two_ends(const View& view, std::string_view said, std::size_t middle) {
  const std::string_view first = said.substr(0, middle);
  std::string_view second = said.substr(middle + between.size());
  const LinkKindRow* kind = nullptr;
  if (const std::size_t blank = second.rfind(' '); blank != std::string_view::npos)
    for (const LinkKindRow& row : link_kinds())
      if (row.name == second.substr(blank + 1)) kind = &row;
  if (kind != nullptr) second = second.substr(0, second.rfind(' '));
  std::vector<std::size_t> found = links_at(view, end_of(view, first), end_of(view, second), kind);
  if (found.empty())
    throw Error(Fault::usage, fmt::format("there is no {}link between {} and {} in this graph",
                                          kind == nullptr ? "" : std::string(kind->word) + " ", first, second));
  return found;
}

std::vector<std::size_t> at_port(const View& view, const End& end) {
  std::vector<std::size_t> found;
  for (const std::size_t i : view.links(end.node)) {
    const Link& link = view.link(i);
    if (end.port == 0 ? is_cable(link.kind)
                      : is_at(view, end, view.a(i), link.a_port, false) || is_at(view, end, view.b(i), link.b_port, false))
      found.push_back(i);
  }
  return found;
}

}  // namespace

Selection select(const View& view, std::string_view said) {
  if (const std::size_t middle = said.find(between); middle != std::string_view::npos)
    return {View::none, two_ends(view, said, middle)};
  const End end = end_of(view, said);
  if (end.port == 0) return {end.node, {}};
  std::vector<std::size_t> found = at_port(view, end);
  if (found.empty()) throw Error(Fault::usage, fmt::format("no link is in {}", view.spoken(end.node, end.port)));
  return {View::none, std::move(found)};
}

std::vector<std::size_t> select_links(const View& view, std::string_view said) {
  Selection it = select(view, said);
  if (it.node == View::none) return std::move(it.links);
  if (view.node(it.node).kind == Kind::port) it.links = at_port(view, {it.node, 0});
  if (it.links.empty())
    throw Error(Fault::usage, fmt::format("{} names a node, and a link is needed: write \"A - B\", or A:PORT of a switch", said));
  return std::move(it.links);
}

}  // namespace railgauge::topo::edit
