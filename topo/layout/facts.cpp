// Names and values of nodes and links.
#include "topo/layout/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t longest_value = 160;  // characters

void put(std::vector<Fact>& facts, std::string name, std::string value) {
  if (value.empty()) return;
  if (value.size() > longest_value) {
    value.resize(longest_value);
    while (!value.empty() && (static_cast<unsigned char>(value.back()) & 0xc0U) == 0x80) value.pop_back();
    value += "\u2026";
  }
  facts.push_back({std::move(name), printable(value)});
}

std::string words_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

struct Show {
  std::string_view name;
  std::string operator()(std::uint64_t number) const {
    return name.ends_with("_bytes") ? rounded_bytes(number) : fmt::format("{}", number);
  }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const std::vector<std::string>& list) const {
    std::string all;
    for (const std::string& it : list) {
      all += (all.empty() ? "" : ", ") + it;
      if (all.size() > longest_value) break;
    }
    return all;
  }
};

void put(std::vector<Fact>& facts, const Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    std::string title = words_of(name);
    if (name.ends_with("_bytes")) title.resize(title.size() - 6);
    put(facts, std::move(title), std::visit(Show{name}, value));
  }
}

std::string joined(const Provenance& sources) { return Show{""}(sources); }

struct Speed {
  double gigabits;  // per second and lane
  std::string_view word;
};
// PCIe: gigatransfers per second and lane. InfiniBand: data rates, of four lanes in the trade's words.
constexpr auto generations =
    std::to_array<Speed>({{2.5, "Gen1"}, {5, "Gen2"}, {8, "Gen3"}, {16, "Gen4"}, {32, "Gen5"}, {64, "Gen6"}, {128, "Gen7"}});
constexpr auto lanes = std::to_array<Speed>({{2.5, "SDR"},
                                             {5, "DDR"},
                                             {10, "QDR"},
                                             {10.3125, "FDR10"},
                                             {14.0625, "FDR"},
                                             {25, "EDR"},
                                             {25.78125, "EDR"},
                                             {50, "HDR"},
                                             {53.125, "HDR"},
                                             {100, "NDR"},
                                             {106.25, "NDR"},
                                             {200, "XDR"},
                                             {212.5, "XDR"}});

template <std::size_t count>
std::string_view word_of(const std::array<Speed, count>& rows, double speed) {
  for (const Speed& row : rows)
    if (std::abs(row.gigabits - speed) < 0.01 * row.gigabits) return row.word;
  return {};
}

bool known(const Rate& rate) { return rate.width != 0 || rate.speed > 0; }

}  // namespace

std::string rate_words(LinkKind kind, const Rate& rate) {
  if (!known(rate)) return {};
  if (kind == LinkKind::pcie) {
    const std::string_view generation = word_of(generations, rate.speed);
    std::string text = generation.empty() && rate.speed > 0 ? fmt::format("{:.4g} GT/s", rate.speed) : std::string(generation);
    if (rate.width != 0) text += fmt::format("{}x{}", text.empty() ? "" : " ", rate.width);
    return text;
  }
  const std::string_view word = kind == LinkKind::infiniband ? word_of(lanes, rate.speed) : std::string_view();
  if (!word.empty()) return rate.width == 0 ? std::string(word) : fmt::format("{}x {}", rate.width, word);
  if (rate.speed <= 0) return fmt::format("{}x", rate.width);
  return rate.width == 0 ? fmt::format("{:.4g} Gb/s", rate.speed) : fmt::format("{} x {:.4g} Gb/s", rate.width, rate.speed);
}

double weight_of(double gigabytes_per_second) {
  if (gigabytes_per_second <= 0) return 1.5;
  return std::clamp(1 + 0.55 * std::log2(1 + gigabytes_per_second / 8), 1.0, 5.0);
}

std::vector<Fact> facts_of(const Node& node) {
  std::vector<Fact> facts;
  put(facts, "kind", std::string(row(node.kind).word));
  put(facts, "name", node.name);
  put(facts, "key", node.key);
  put(facts, node.attributes);
  put(facts, "told by", joined(node.provenance));
  return facts;
}

std::vector<Fact> facts_of(const Link& link) {
  std::vector<Fact> facts;
  const auto end = [](const std::string& key, unsigned port) { return port == 0 ? key : fmt::format("{} port {}", key, port); };
  put(facts, "kind", std::string(row(link.kind).word));
  put(facts, "from", end(link.a, link.a_port));
  put(facts, "to", end(link.b, link.b_port));
  if (link.count > 1) put(facts, "links side by side", fmt::format("{}", link.count));
  if (link.state != LinkState::unknown) put(facts, "state", std::string(row(link.state).name));
  put(facts, "runs at", rate_words(link.kind, link.active));
  put(facts, "the other end says", rate_words(link.kind, link.active_at_b));
  put(facts, "is capable of", rate_words(link.kind, link.capable));
  const auto rate = [&](const char* name, double value) {
    if (value > 0) put(facts, name, gigabytes(value) + " GB/s each direction");
  };
  rate("line rate", link.bandwidth.line);
  rate("nominal", link.bandwidth.nominal);
  rate("usable", link.bandwidth.usable);
  put(facts, link.attributes);
  for (const auto& [name, value] : link.a_counters)
    if (value != 0) put(facts, words_of(name) + " at " + link.a, fmt::format("{}", value));
  for (const auto& [name, value] : link.b_counters)
    if (value != 0) put(facts, words_of(name) + " at " + link.b, fmt::format("{}", value));
  put(facts, "told by", joined(link.provenance));
  return facts;
}

Fact fact_of(const Finding& finding) {
  std::string text = ends_of(finding) + ": " + finding.found;
  if (!finding.expected.empty()) text += "; expected " + finding.expected;
  return {std::string(word(finding.severity)), printable(text)};
}

}  // namespace railgauge::topo
