// Numbers and words.
#include "bench/schedule/picture/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "base/units.hpp"

namespace railgauge::picture {

double pitch_of(std::size_t lanes) noexcept { return lanes <= 8 ? 58 : lanes <= 16 ? 36 : lanes <= 40 ? 26 : 20; }

std::string text_of(const BlockRanges& blocks, bool in_short) {
  constexpr std::size_t most_short = 2, most = 16;
  std::string text;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i == (in_short ? most_short : most)) return text + ",..";
    const auto& [first, count] = blocks[i];
    text += text.empty() ? "" : ",";
    text += count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, std::uint64_t{first} + count - 1);
  }
  return text;
}

void add_words(Picture& picture, const Request& request, Collective collective, std::size_t ranks, bool right) {
  picture.title = printable(request.name);
  picture.subtitle = request.subtitle.empty() ? fmt::format("{} of {} ranks", name(collective), ranks) : request.subtitle;
  if (!right) picture.subtitle += ": wrong";
  picture.notes = request.notes;
}

std::string share_text(double share, std::uint64_t bytes) {
  if (bytes == 0) return fmt::format("{:.4g} S", share);
  return fmt::format("{:.4g} S ({})", share,
                     format_bytes(static_cast<std::uint64_t>(std::llround(share * static_cast<double>(bytes)))));
}

void check_items(std::size_t items, const std::string& name) {
  if (items > most_items)
    throw Error(Fault::usage,
                fmt::format("{}: a picture of {} messages, steps and waits would be too large: at most {} are drawn", name, items,
                            most_items));
}

void finish_items(Picture& picture) {
  std::stable_sort(picture.items.begin(), picture.items.end(), [](const Item& a, const Item& b) { return a.sort < b.sort; });
  constexpr double beside = 3.5, most_beside = 10;
  constexpr unsigned most_words = 2;  // on what leaves one lane in one step
  std::map<std::tuple<double, double, double, double>, unsigned> same;
  std::map<std::pair<double, double>, unsigned> leaving;
  const auto is_message = [](const Item& item) { return item.sort == Sort::stored || item.sort == Sort::reduced; };
  for (const Item& item : picture.items)
    if (is_message(item)) ++leaving[{item.from.x, item.from.y}];
  for (Item& item : picture.items) {
    if (!is_message(item)) continue;
    if (leaving[{item.from.x, item.from.y}] > most_words) item.label.clear();
    const unsigned before = same[{item.from.x, item.from.y, item.to.x, item.to.y}]++;
    const double aside = beside * before < most_beside ? beside * before : most_beside;
    item.from.x += aside;
    item.to.x += aside;
  }
}

}  // namespace railgauge::picture
