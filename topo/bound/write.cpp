// Says a bound with the cut that causes it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topo/bound/bound.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown = 6;  // links of a cut; JSON has all

// "0-3, 8, 10"
std::string ranges(const std::vector<std::int32_t>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    parts.push_back(end == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[end]));
    i = end + 1;
  }
  if (parts.size() > 2 * shown) {
    parts.resize(2 * shown);
    parts.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string link_words(const View& view, std::size_t at) {
  const Link& link = view.link(at);
  return fmt::format("{} from {} to {}: {:.4g} GB/s", row(link.kind).word, view.spoken(view.a(at), link.a_port),
                     view.spoken(view.b(at), link.b_port), payload(link.bandwidth));
}

// "from ranks 0-3 to the other 5, 200 GB/s over 4 links"
std::string side_words(const Bound& bound) {
  const Cut& cut = bound.cut;
  const std::size_t others = bound.ranks - cut.ranks.size();
  const std::string few = fmt::format("rank{} {}", cut.ranks.size() == 1 ? "" : "s", ranges(cut.ranks));
  const std::string many = fmt::format("the other {}{}", others, cut.ranks.size() == others ? ", as many" : "");
  return fmt::format("from {} to {}, {:.4g} GB/s over {} link{}", cut.into ? many : few, cut.into ? few : many,
                     static_cast<double>(cut.capacity) / 1000, cut.links.size(), cut.links.size() == 1 ? "" : "s");
}

std::string cut_words(const View& view, const Bound& bound) {
  const Cut& cut = bound.cut;
  std::string text = fmt::format("  the cut that causes it: {}\n", side_words(bound));
  for (std::size_t i = 0; i < std::min(shown, cut.links.size()); ++i)
    text += fmt::format("  - {}\n", link_words(view, cut.links[i]));
  if (cut.links.size() > shown) text += fmt::format("  - and {} more\n", cut.links.size() - shown);
  return text;
}

}  // namespace

std::string to_text(const Graph& graph, const Bound& bound) {
  const View view(graph);
  std::string text = fmt::format("{:<13} busbw at most {:.4g} GB/s (algbw {:.4g}), whatever the algorithm", "bound",
                                 bound.busbw(), bound.algbw());
  if (!bound.reached)
    text += "; what can be reached is unknown\n";
  else if (*bound.reached == bound.time)
    text += "; pipelined trees reach it\n";
  else
    text += fmt::format(
        "; trees of a reduce_scatter and then an all_gather reach {:.4g} (algbw {:.4g}), and the gap between is open\n",
        bound.reached_busbw(), bound.reached_algbw());
  return text + cut_words(view, bound);
}

std::string to_line(const Graph& graph, const Bound& bound) {
  const View view(graph);
  std::string text = fmt::format("busbw at most {:.4g} GB/s, whatever the algorithm", bound.busbw());
  if (bound.reached && *bound.reached != bound.time) text += fmt::format(" (trees reach {:.4g})", bound.reached_busbw());
  text += ": " + side_words(bound);
  if (bound.cut.links.empty()) return text;
  const std::size_t further = bound.cut.links.size() - 1;
  return text + fmt::format(" ({}{})", link_words(view, bound.cut.links.front()),
                            further == 0 ? "" : fmt::format(", and {} more", further));
}

std::string to_json(const Graph& graph, const Bound& bound) {
  const View view(graph);
  Json links = Json::array();
  for (const std::size_t at : bound.cut.links) {
    const Link& link = view.link(at);
    const auto end = [&](std::size_t node, unsigned port) {
      Json json = {{"key", view.node(node).key}, {"name", view.spoken(node, port)}};
      if (port != 0) json["port"] = port;
      return json;
    };
    links.push_back({{"kind", row(link.kind).name},
                     {"a", end(view.a(at), link.a_port)},
                     {"b", end(view.b(at), link.b_port)},
                     {"gigabytes_per_second", payload(link.bandwidth)}});
  }
  Json json = {{"bus_gigabytes_per_second", bound.busbw()},
               {"algorithm_gigabytes_per_second", bound.algbw()},
               {"seconds_per_megabyte", {bound.time.numerator, bound.time.denominator}}};
  if (bound.reached)
    json["reached"] = {{"bus_gigabytes_per_second", bound.reached_busbw()},
                       {"algorithm_gigabytes_per_second", bound.reached_algbw()},
                       {"seconds_per_megabyte", {bound.reached->numerator, bound.reached->denominator}}};
  json["cut"] = {{"ranks", bound.cut.ranks},
                 {"direction", bound.cut.into ? "to these ranks" : "from these ranks"},
                 {"gigabytes_per_second", static_cast<double>(bound.cut.capacity) / 1000},
                 {"links", std::move(links)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge::topo
