// The wording and drawing behind reports/pair_text.hpp.
#include "reports/pair_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "reports/text.hpp"

namespace railgauge {
namespace {

constexpr int most_numbers = 16;              // ranks whose cells have numbers
constexpr std::uint64_t most_latency = 4096;  // bytes up to which the time says more than the bandwidth

struct Shade {
  double least;  // speed, as a share of the median's
  const char* glyph;
};
constexpr std::array shades{Shade{0.9, "█"}, Shade{0.7, "▓"}, Shade{0.4, "▒"}, Shade{0.15, "░"}, Shade{0, "·"}};

const char* shade_of(double seconds, double median) {
  const double speed = seconds > 0 ? median / seconds : 1;
  for (const Shade& shade : shades)
    if (speed >= shade.least) return shade.glyph;
  return shades.back().glyph;
}

bool shows_times(const PairPicture& picture) { return picture.bytes <= most_latency; }

std::string number_of(const PairPicture& picture, double seconds) {
  if (shows_times(picture)) return fmt::format("{:.{}f}", seconds * 1e6, seconds < 1e-4 ? 2 : 0);
  return format_gigabytes(static_cast<double>(picture.bytes) / 1e9 / seconds);
}

std::string amount_of(const PairPicture& picture, double seconds) {
  return number_of(picture, seconds) + (shows_times(picture) ? " us" : " GB/s");
}

double median_of_all(const PairMatrix& matrix) {
  std::vector<double> all;
  for (int from = 0; from < matrix.ranks(); ++from)
    for (int to = 0; to < matrix.ranks(); ++to) all.push_back(matrix.at(from, to));
  return spread_of(std::move(all)).median;
}

std::string node_of(const PairPicture& picture, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return r < picture.nodes.size() ? printable(picture.nodes[r]) : std::string();
}

// "n2 (rank 2)" where the rank is alone on its node among several, else "rank 2 on n2".
std::string host_or_rank(const PairPicture& picture, int rank) {
  const std::string node = node_of(picture, rank);
  if (node.empty()) return fmt::format("rank {}", rank);
  const bool alone = std::count(picture.nodes.begin(), picture.nodes.end(), picture.nodes[static_cast<std::size_t>(rank)]) == 1;
  return alone ? fmt::format("host {} (rank {})", node, rank) : fmt::format("rank {} on {}", rank, node);
}

std::string plain_rank(const PairPicture& picture, int rank) {
  const std::string node = node_of(picture, rank);
  return fmt::format("rank {}{}", rank, node.empty() ? "" : " on " + node);
}

std::string against(const PairPicture& picture, const Distance& distance, const Spread& spread) {
  return fmt::format("{} where the median is {} ({:.1f} times as slow, {:.0f} MAD away)", amount_of(picture, distance.seconds),
                     number_of(picture, spread.median), distance.ratio, distance.mads);
}

std::string sentence_of(const PairPicture& picture, const SlowRank& slow, const Stragglers& found) {
  const std::string who = "slow: " + host_or_rank(picture, slow.rank);
  if (picture.both_ways && slow.send) return who + ", exchanges: " + against(picture, *slow.send, found.senders);
  if (slow.send && slow.receive)
    return who + ", both: sends " + against(picture, *slow.send, found.senders) + ", receives " +
           against(picture, *slow.receive, found.receivers);
  if (slow.send) return who + ", send: " + against(picture, *slow.send, found.senders);
  return who + ", receive: " + against(picture, slow.receive.value_or(Distance{}), found.receivers);
}

std::string cell_width(const std::string& text, int width) {
  const int blanks = width - static_cast<int>(text.size());
  return std::string(static_cast<std::size_t>(std::max(blanks, 0)), ' ') + text;
}

}  // namespace

PairPicture picture_of(const std::vector<Result>& pairs) {
  PairPicture picture;
  if (pairs.empty()) return picture;
  const Case& first = pairs.front().point;
  picture.matrix = PairMatrix(std::max(first.ranks, 0));
  picture.bytes = first.bytes;
  picture.both_ways = first.algorithm == "two_way";
  picture.nodes.resize(static_cast<std::size_t>(picture.matrix.ranks()));
  std::set<std::string> different;
  const auto name_node = [&](int rank, const std::string& node) {
    different.insert(node);
    picture.nodes.at(static_cast<std::size_t>(rank)) = node;
  };
  for (const Result& pair : pairs) {
    const int from = pair.point.from, to = pair.point.to;
    if (from < 0 || to < 0 || from >= picture.matrix.ranks() || to >= picture.matrix.ranks()) continue;
    if (pair.summary.samples != 0) picture.matrix.set(from, to, pair.summary.median.count());
    name_node(from, pair.point.from_node);
    name_node(to, pair.point.to_node);
  }
  if (different.size() < 2) picture.nodes.clear();  // a name that all share tells nothing
  return picture;
}

std::string heat_map(const PairPicture& picture) {
  const PairMatrix& matrix = picture.matrix;
  const double median = median_of_all(matrix);
  const bool numbers = matrix.ranks() <= most_numbers;
  constexpr int width = 7;
  std::size_t names = 0;
  for (const std::string& node : picture.nodes) names = std::max(names, printable(node).size());
  names = std::min<std::size_t>(names, 16);
  const auto label = [&](int rank) {
    const std::string node = node_of(picture, rank).substr(0, names);
    return fmt::format("{:>6} {}{}", rank, node, std::string(names - node.size(), ' '));
  };
  std::string text =
      fmt::format("{} from row to column; shade: speed against the median's, {} 90 % {} 70 % {} 40 % {} 15 % {} less\n",
                  numbers ? (shows_times(picture) ? "us" : "GB/s") : "speed", shades[0].glyph, shades[1].glyph, shades[2].glyph,
                  shades[3].glyph, shades[4].glyph);
  if (numbers) {
    text += std::string(7 + names, ' ');
    for (int to = 0; to < matrix.ranks(); ++to) text += cell_width(std::to_string(to), width) + " ";
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  for (int from = 0; from < matrix.ranks(); ++from) {
    text += label(from);
    if (!numbers) text += ' ';
    for (int to = 0; to < matrix.ranks(); ++to) {
      const double seconds = matrix.at(from, to);
      const bool known = !std::isnan(seconds);
      if (numbers) text += cell_width(known ? number_of(picture, seconds) : from == to ? "-" : "?", width);
      text += known ? shade_of(seconds, median) : numbers ? " " : from == to ? "\\" : "?";
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return text;
}

std::vector<std::string> straggler_sentences(const PairPicture& picture, std::size_t most) {
  Stragglers found = find_stragglers(picture.matrix);
  // Both ways at once, each pair is there twice.
  if (picture.both_ways) std::erase_if(found.pairs, [](const SlowPair& pair) { return pair.from > pair.to; });
  std::vector<std::string> sentences;
  const auto add_most = [&](std::size_t count, const char* what, auto&& sentence) {
    for (std::size_t i = 0; i < std::min(count, most); ++i) sentences.push_back(sentence(i));
    if (count > most) sentences.push_back(fmt::format("and {} more slow {}", count - most, what));
  };
  add_most(found.ranks.size(), "ranks", [&](std::size_t i) { return sentence_of(picture, found.ranks[i], found); });
  add_most(found.pairs.size(), "pairs", [&](std::size_t i) {
    const SlowPair& pair = found.pairs[i];
    return fmt::format("slow: pair {} {} {}: {}", plain_rank(picture, pair.from), picture.both_ways ? "<->" : "->",
                       plain_rank(picture, pair.to), against(picture, pair.distance, found.rest));
  });
  if (sentences.empty() && found.rest.median > 0)
    sentences.push_back(fmt::format("no rank and no pair stands out: the median is {}, the MAD {:.1f} % of it",
                                    amount_of(picture, found.rest.median), 100 * found.rest.mad / found.rest.median));
  return sentences;
}

}  // namespace railgauge
