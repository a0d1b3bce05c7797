// Says what differs: in sentences for people, in JSON for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "topo/diff/diff.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;

// The first lines of each kind of difference, and how many more there are.
class Lines {
 public:
  explicit Lines(std::size_t most) : most_(most) {}

  template <class List, class Sentence>
  void add(const List& list, std::string_view word, const Sentence& sentence) {
    std::size_t written = 0;
    std::size_t parts = 0;
    std::size_t all = 0;
    for (const auto& it : list) {
      if constexpr (requires { it.part; }) {
        if (it.part) {
          ++parts;
          continue;
        }
      }
      ++all;
      if (written == most_) continue;
      ++written;
      text += fmt::format("{}: {}\n", word, sentence(it));
    }
    if (all > written) text += fmt::format("{}: {} more\n", word, all - written);
    if (parts > 0) text += fmt::format("{}: {} parts and links of these\n", word, parts);
  }

  std::string text;

 private:
  std::size_t most_;
};

std::string sentence_of(const LinkMoved& move) {
  if (move.kind == LinkKind::pcie)
    return fmt::format("{} was under {}, and is under {}", move.end.name, move.from.name, move.to.name);
  return fmt::format("the {} cable of {} was in {}, and is in {}", row(move.kind).word, move.end.name, move.from.name,
                     move.to.name);
}

std::string sentence_of(const LinksSwapped& swap) {
  return fmt::format("the cables of {} and {} changed places: the first was in {}, and is in {}", swap.first.end.name,
                     swap.second.end.name, swap.first.from.name, swap.first.to.name);
}

std::string list_of(const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes) {
    if (!text.empty()) text += "; ";
    if (change.from.empty())
      text += fmt::format("{} is {}, and was not known", change.attribute, change.to);
    else if (change.to.empty())
      text += fmt::format("{} was {}, and is not known now", change.attribute, change.from);
    else
      text += fmt::format("{} was {}, is {}", change.attribute, change.from, change.to);
  }
  return text;
}

template <class LinkLike>
std::string link_of(const LinkLike& link) {
  return fmt::format("the {} link between {} and {}", row(link.kind).word, link.a.name, link.b.name);
}

std::string node_of(const NodeOnce& node) { return node.node.name; }

template <class List>
std::size_t whole(const List& list) {
  std::size_t count = 0;
  for (const auto& it : list) count += it.part ? 0 : 1;
  return count;
}

std::string summary(const Difference& difference) {
  const std::size_t count = difference.count();
  if (count == 0) return "No difference.\n";
  std::string parts;
  const auto add = [&](std::size_t number, std::string_view word) {
    if (number != 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", number, word);
  };
  add(difference.links_swapped.size(), "swapped");
  add(difference.links_moved.size(), "moved");
  add(whole(difference.nodes_vanished) + whole(difference.links_vanished), "gone");
  add(whole(difference.nodes_appeared) + whole(difference.links_appeared), "new");
  add(difference.nodes_changed.size() + difference.links_changed.size(), "changed");
  return fmt::format("{} difference{}: {}.\n", count, count == 1 ? "" : "s", parts);
}

Json json_of(const NodePort& end) {
  Json json = {{"key", end.key}, {"name", end.name}};
  if (end.port != 0) json["port"] = end.port;
  return json;
}

Json json_of(const std::vector<Change>& changes) {
  Json list = Json::array();
  const auto value = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  for (const Change& change : changes)
    list.push_back({{"attribute", change.attribute}, {"from", value(change.from)}, {"to", value(change.to)}});
  return list;
}

Json json_of(const NodeOnce& it) { return {{"node", json_of(it.node)}, {"kind", row(it.kind).name}, {"part", it.part}}; }
Json json_of(const NodeChanged& it) { return {{"node", json_of(it.node)}, {"changes", json_of(it.changes)}}; }
Json json_of(const LinkOnce& it) {
  return {{"a", json_of(it.a)}, {"b", json_of(it.b)}, {"kind", row(it.kind).name}, {"part", it.part}};
}
Json json_of(const LinkChanged& it) {
  return {{"a", json_of(it.a)}, {"b", json_of(it.b)}, {"kind", row(it.kind).name}, {"changes", json_of(it.changes)}};
}
Json json_of(const LinkMoved& it) {
  return {{"end", json_of(it.end)}, {"kind", row(it.kind).name}, {"from", json_of(it.from)}, {"to", json_of(it.to)}};
}
Json json_of(const LinksSwapped& it) { return {{"first", json_of(it.first)}, {"second", json_of(it.second)}}; }

template <class T>
Json list(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(json_of(item));
  return json;
}

}  // namespace

std::string to_text(const Difference& difference, std::size_t most) {
  Lines lines(most);
  lines.add(difference.links_swapped, "swapped", [](const LinksSwapped& it) { return sentence_of(it); });
  lines.add(difference.links_moved, "moved", [](const LinkMoved& it) { return sentence_of(it); });
  lines.add(difference.nodes_vanished, "gone", node_of);
  lines.add(difference.links_vanished, "gone", link_of<LinkOnce>);
  lines.add(difference.nodes_appeared, "new", node_of);
  lines.add(difference.links_appeared, "new", link_of<LinkOnce>);
  lines.add(difference.nodes_changed, "changed",
            [](const NodeChanged& it) { return fmt::format("{}: {}", it.node.name, list_of(it.changes)); });
  lines.add(difference.links_changed, "changed",
            [](const LinkChanged& it) { return fmt::format("{}: {}", link_of(it), list_of(it.changes)); });
  if (!difference.caution.empty() && difference.count() > 0) lines.text += difference.caution + "\n";
  return lines.text + summary(difference);
}

std::string to_json(const Difference& difference) {
  Json json = {{"schema", "railgauge.topology-diff/1"},
               {"differences", difference.count()},
               {"caution", difference.caution},
               {"links_swapped", list(difference.links_swapped)},
               {"links_moved", list(difference.links_moved)},
               {"nodes_vanished", list(difference.nodes_vanished)},
               {"nodes_appeared", list(difference.nodes_appeared)},
               {"nodes_changed", list(difference.nodes_changed)},
               {"links_vanished", list(difference.links_vanished)},
               {"links_appeared", list(difference.links_appeared)},
               {"links_changed", list(difference.links_changed)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge::topo
