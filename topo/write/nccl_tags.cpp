#include "topo/write/nccl_tags.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>

#include "topo/rates.hpp"
#include "topo/read/nccl.hpp"

namespace railgauge::topo::nccl_tags {

void print(const Tag& tag, std::size_t depth, std::string& text) {
  std::string attributes = tag.attributes;
  for (char& c : attributes)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  text += fmt::format("{:{}}<{}{}{}", "", 2 * depth, tag.name, attributes.empty() ? "" : " ", attributes);
  if (tag.children.empty()) {
    text += "/>\n";
    return;
  }
  text += ">\n";
  for (const Tag& child : tag.children) print(child, depth + 1, text);
  text += fmt::format("{:{}}</{}>\n", "", 2 * depth, tag.name);
}

std::string harmless(std::string_view text) {
  std::string clean;
  for (const char c : text.substr(0, NcclLimits::characters))
    clean += static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '<' || c == '&' ? '_' : c;
  return clean;
}

std::string mask_of(std::string_view list) {
  constexpr std::size_t most = std::size_t{28} * 32;
  std::vector<std::uint32_t> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view range = list.substr(0, comma);
    std::size_t first = 0;
    const auto [dash, error] = std::from_chars(range.data(), range.data() + range.size(), first);
    std::size_t last = first;
    if (error != std::errc()) return {};
    if (dash != range.data() + range.size() &&
        (*dash != '-' || std::from_chars(dash + 1, range.data() + range.size(), last).ec != std::errc()))
      return {};
    if (last < first || last >= most) return {};
    if (words.size() <= last / 32) words.resize(last / 32 + 1);
    for (std::size_t bit = first; bit <= last; ++bit) words[bit / 32] |= 1U << (bit % 32);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  std::string text;
  for (const std::uint32_t word : words | std::views::reverse) text += fmt::format("{}{:08x}", text.empty() ? "" : ",", word);
  return text;
}

std::string turned_guid(std::string_view guid) {
  std::string turned = "0x";
  for (std::size_t at = 16; at >= 2; at -= 2) turned += guid.substr(at, 2);
  return turned;
}

Rate rate_of(const Link& link) {
  const Rate& told = link.capable.speed > 0 && link.capable.width > 0 ? link.capable : link.active;
  if (told.speed > 0 || told.width > 0 || link.bandwidth.nominal <= 0) return told;
  for (const unsigned width : {16U, 8U, 4U, 2U, 1U})
    for (unsigned generation = 1; generation <= 7; ++generation) {
      const Rate rate = pcie_rate(generation, width);
      if (std::abs(pcie_bandwidth(rate).nominal / link.bandwidth.nominal - 1) < 0.01) return rate;
    }
  return {};
}

}  // namespace railgauge::topo::nccl_tags
