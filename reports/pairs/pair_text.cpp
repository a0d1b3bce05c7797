// The wording and drawing behind reports/pairs/pair_text.hpp.
#include "reports/pairs/pair_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "base/output/text.hpp"
#include "reports/pairs/shades.hpp"

namespace railgauge {
namespace {

constexpr int most_numbers = 16;              // ranks whose cells have numbers
constexpr std::uint64_t most_latency = 4096;  // bytes up to which the time says more than the bandwidth

bool shows_times(const PairPicture& picture) { return picture.bytes <= most_latency; }

const char* unit_of(const PairPicture& picture) { return picture.loads ? "ns" : shows_times(picture) ? "us" : "GB/s"; }

std::string number_of(const PairPicture& picture, double seconds) {
  if (picture.loads) return fmt::format("{:.{}f}", seconds * 1e9, seconds < 1e-8 ? 2 : seconds < 1e-5 ? 1 : 0);
  if (shows_times(picture)) return fmt::format("{:.{}f}", seconds * 1e6, seconds < 1e-4 ? 2 : 0);
  return format_gigabytes(picture.sum * static_cast<double>(picture.bytes) / 1e9 / seconds);
}

std::string amount_of(const PairPicture& picture, double seconds) { return number_of(picture, seconds) + " " + unit_of(picture); }

std::string node_of(const PairPicture& picture, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return r < picture.nodes.size() ? printable(picture.nodes[r]) : std::string();
}

// "n2 (rank 2)" where the rank is alone on its node among several, else "rank 2 on n2".
std::string host_or_rank(const PairPicture& picture, int rank) {
  std::string node = node_of(picture, rank);
  if (picture.places) return node;
  if (node.empty()) return fmt::format("rank {}", rank);
  const bool alone = std::count(picture.nodes.begin(), picture.nodes.end(), picture.nodes[static_cast<std::size_t>(rank)]) == 1;
  return alone ? fmt::format("host {} (rank {})", node, rank) : fmt::format("rank {} on {}", rank, node);
}

std::string plain_rank(const PairPicture& picture, int rank) {
  std::string node = node_of(picture, rank);
  if (picture.places) return node;
  return fmt::format("rank {}{}", rank, node.empty() ? "" : " on " + node);
}

std::string against(const PairPicture& picture, const Distance& distance, const MedianMad& spread) {
  return fmt::format("{} where the median is {} ({:.1f} times as slow, {:.0f} MAD away)", amount_of(picture, distance.seconds),
                     number_of(picture, spread.median), distance.ratio, distance.mads);
}

// An outlier is slow once measuring again has confirmed it; copies have a stopping rule of their own.
StragglerSentence::Kind kind_of(const PairPicture& picture) {
  return picture.places || picture.findings ? StragglerSentence::Kind::slow : StragglerSentence::Kind::suspected;
}

const PairFinding* finding_of(const PairPicture& picture, int from, int to) {
  if (!picture.findings) return nullptr;
  const auto found = std::find_if(picture.findings->begin(), picture.findings->end(),
                                  [&](const PairFinding& finding) { return finding.from == from && finding.to == to; });
  return found == picture.findings->end() ? nullptr : &*found;
}

bool confirmed(const PairPicture& picture, int from, int to) {
  const PairFinding* const finding = finding_of(picture, from, to);
  return finding != nullptr && finding->outcome == PairFinding::Outcome::slow;
}

// "; measured again 18 times, it was 2.0 times as slow as others"; empty where nothing was.
std::string again(const PairPicture& picture, int from, int to) {
  const PairFinding* const finding = finding_of(picture, from, to);
  if (finding == nullptr) return {};
  return fmt::format("; measured again {} times, it was {:.1f} times as slow as others", finding->comparisons, finding->ratio);
}

// Leaves what measuring again has confirmed.
void keep_confirmed(const PairPicture& picture, Stragglers& found) {
  if (!picture.findings) return;
  for (SlowRank& slow : found.ranks) {
    if (!confirmed(picture, slow.rank, -1)) slow.send.reset();
    if (!confirmed(picture, picture.both_ways ? slow.rank : -1, picture.both_ways ? -1 : slow.rank)) slow.receive.reset();
  }
  std::erase_if(found.ranks, [](const SlowRank& slow) { return !slow.send && !slow.receive; });
  std::erase_if(found.pairs, [&](const SlowPair& slow) { return !confirmed(picture, slow.from, slow.to); });
}

// "rank 2, send", "pair rank 0 -> rank 1"
std::string subject_of(const PairPicture& picture, const PairFinding& finding) {
  if (finding.from >= 0 && finding.to >= 0)
    return fmt::format("pair {} {} {}", plain_rank(picture, finding.from), picture.both_ways ? "<->" : "->",
                       plain_rank(picture, finding.to));
  return fmt::format("{}, {}", host_or_rank(picture, std::max(finding.from, finding.to)),
                     picture.both_ways ? "exchanges"
                     : finding.to < 0  ? "send"
                                       : "receive");
}

// "rank 2, send: an outlier; measured again 60 times, it was slow in 35 of them"
std::string doubt_of(const PairPicture& picture, const PairFinding& finding) {
  const std::string who = subject_of(picture, finding);
  if (finding.comparisons == 0) return fmt::format("{}: an outlier, which could not be measured again", who);
  return fmt::format("{}: an outlier; measured again {} times, it was slow in {} of them", who, finding.comparisons,
                     finding.slower);
}

// Whether the matrix alone, by the rule for all matrices, shows it too: where ranks share cores less is needed to be measured
// again.
bool shown(const Stragglers& found, const PairFinding& finding) {
  if (finding.from >= 0 && finding.to >= 0)
    return std::any_of(found.pairs.begin(), found.pairs.end(),
                       [&](const SlowPair& pair) { return pair.from == finding.from && pair.to == finding.to; });
  return std::any_of(found.ranks.begin(), found.ranks.end(), [&](const SlowRank& slow) {
    return slow.rank == std::max(finding.from, finding.to) && (finding.to < 0 ? slow.send : slow.receive);
  });
}

std::string sentence_of(const PairPicture& picture, const SlowRank& slow, const Stragglers& found) {
  const std::string who = host_or_rank(picture, slow.rank);
  const std::string sending = again(picture, slow.rank, -1), receiving = again(picture, -1, slow.rank);
  if (picture.both_ways && slow.send) return who + ", exchanges: " + against(picture, *slow.send, found.senders) + sending;
  if (slow.send && slow.receive)
    return who + ", both: sends " + against(picture, *slow.send, found.senders) + sending + ", receives " +
           against(picture, *slow.receive, found.receivers) + receiving;
  if (slow.send) return who + ", send: " + against(picture, *slow.send, found.senders) + sending;
  return who + ", receive: " + against(picture, slow.receive.value_or(Distance{}), found.receivers) + receiving;
}

std::string cell_width(const std::string& text, int width) {
  const int blanks = width - static_cast<int>(text.size());
  return std::string(static_cast<std::size_t>(std::max(blanks, 0)), ' ') + text;
}

std::vector<int> all_of(int ranks) {
  std::vector<int> numbers(static_cast<std::size_t>(ranks));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Each place that has a cell, in the order of their numbers. With both directions between places of one kind, a cell stands for
// its mirror image too: what lies where is told by "pinned+cuda" and the like, of several kinds.
void show_places(PairPicture& picture, const std::vector<Result>& pairs) {
  const bool mirrored = picture.both_ways && pairs.front().point.device.find('+') == std::string::npos;
  std::set<int> rows, columns;
  for (const Result& pair : pairs) {
    const int from = pair.point.from, to = pair.point.to;
    if (from < 0 || to < 0 || from >= picture.matrix.ranks() || to >= picture.matrix.ranks()) continue;
    rows.insert(from);
    columns.insert(to);
    if (from == to && pair.summary.samples != 0) picture.matrix.set_within(from, pair.summary.median.count());
    if (!mirrored) continue;
    rows.insert(to);
    columns.insert(from);
    picture.matrix.set(to, from, picture.matrix.at(from, to));
  }
  picture.rows.assign(rows.begin(), rows.end());
  picture.columns.assign(columns.begin(), columns.end());
}

}  // namespace

bool same_matrix(const Case& one, const Case& other) {
  const auto key = [](const Case& point) {
    return std::tie(point.collective, point.algorithm, point.transport, point.device, point.type, point.bytes, point.ranks);
  };
  return key(one) == key(other);
}

std::string pair_name(const Case& point) {
  const bool copy = point.collective == "copy";
  return fmt::format("{} {} {}", copy ? printable(point.from_node) : std::to_string(point.from),
                     copy && point.algorithm == "two_way" ? "<->" : "->",
                     copy ? printable(point.to_node) : std::to_string(point.to));
}

PairPicture picture_of(const std::vector<Result>& pairs) {
  PairPicture picture;
  if (pairs.empty()) return picture;
  const Case& first = pairs.front().point;
  picture.matrix = PairMatrix(std::max(first.ranks, 0));
  picture.bytes = first.bytes;
  picture.both_ways = first.algorithm == "two_way";
  picture.places = first.collective == "copy";
  picture.loads = picture.places && first.algorithm == "chase";
  if (picture.places && picture.both_ways) picture.sum = 2;
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
    if (pair.findings) picture.findings = pair.findings;
    name_node(from, pair.point.from_node);
    name_node(to, pair.point.to_node);
  }
  if (picture.places)
    show_places(picture, pairs);
  else if (different.size() < 2)
    picture.nodes.clear();  // a name that all share tells nothing
  return picture;
}

std::string heat_map(const PairPicture& picture) {
  const PairMatrix& matrix = picture.matrix;
  const double median = median_between(matrix), inside = median_within(matrix);
  const std::vector<int> rows = picture.rows.empty() ? all_of(matrix.ranks()) : picture.rows;
  const std::vector<int> columns = picture.columns.empty() ? all_of(matrix.ranks()) : picture.columns;
  const bool numbers = columns.size() <= most_numbers;
  constexpr int width = 7;
  std::size_t names = 0;
  for (const std::string& node : picture.nodes) names = std::max(names, printable(node).size());
  names = std::min<std::size_t>(names, 16);
  const auto label = [&](int rank) {
    const std::string node = node_of(picture, rank).substr(0, names);
    if (picture.places) return fmt::format("  {}{}", node, std::string(names - node.size(), ' '));
    return fmt::format("{:>6} {}{}", rank, node, std::string(names - node.size(), ' '));
  };
  const std::string what = numbers ? unit_of(picture) : "speed";
  std::string text = fmt::format("{} {}; shade: speed against the median's, {} 90 % {} 70 % {} 40 % {} 15 % {} less\n", what,
                                 picture.loads     ? "of a load from the row's memory by the column"
                                 : picture.sum > 1 ? "between row and column, both directions together"
                                                   : "from row to column",
                                 shades[0].glyph, shades[1].glyph, shades[2].glyph, shades[3].glyph, shades[4].glyph);
  if (numbers) {
    text += std::string((picture.places ? 2 : 7) + names, ' ');
    for (const int to : columns) text += cell_width(picture.places ? node_of(picture, to) : std::to_string(to), width) + " ";
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  for (const int from : rows) {
    text += label(from);
    if (!numbers) text += ' ';
    for (const int to : columns) {
      const double seconds = from == to ? matrix.within(from) : matrix.at(from, to);
      const bool known = !std::isnan(seconds);
      if (numbers) text += cell_width(known ? number_of(picture, seconds) : from == to ? "-" : "?", width);
      text += known ? shades[shade_of(seconds, from == to ? inside : median)].glyph : numbers ? " " : from == to ? "\\" : "?";
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return text;
}

std::string said(const StragglerSentence& sentence) {
  switch (sentence.kind) {
    case StragglerSentence::Kind::slow:
      return "slow: " + sentence.text;
    case StragglerSentence::Kind::suspected:
      return "suspected: " + sentence.text;
    case StragglerSentence::Kind::inconclusive:
      return "inconclusive: " + sentence.text;
    case StragglerSentence::Kind::note:
      break;
  }
  return sentence.text;
}

std::vector<StragglerSentence> straggler_sentences(const PairPicture& picture, std::size_t most) {
  Stragglers found = find_stragglers(picture.matrix);
  // With both directions at once each pair is there twice.
  if (picture.both_ways) std::erase_if(found.pairs, [](const SlowPair& pair) { return pair.from > pair.to; });
  keep_confirmed(picture, found);
  using Kind = StragglerSentence::Kind;
  std::vector<StragglerSentence> sentences;
  const auto add_most = [&](Kind kind, std::size_t count, const char* what, auto&& sentence) {
    for (std::size_t i = 0; i < std::min(count, most); ++i) sentences.push_back({kind, sentence(i)});
    if (count > most) sentences.push_back({Kind::note, fmt::format("and {} more {}", count - most, what)});
  };
  add_most(kind_of(picture), found.ranks.size(), "slow ranks",
           [&](std::size_t i) { return sentence_of(picture, found.ranks[i], found); });
  add_most(kind_of(picture), found.pairs.size(), "slow pairs", [&](std::size_t i) {
    const SlowPair& pair = found.pairs[i];
    return fmt::format("{}{} {} {}: {}{}", picture.places ? "" : "pair ", plain_rank(picture, pair.from),
                       picture.both_ways ? "<->" : "->", plain_rank(picture, pair.to),
                       against(picture, pair.distance, found.rest), again(picture, pair.from, pair.to));
  });
  add_most(kind_of(picture), found.within.size(), "slow places", [&](std::size_t i) {
    const SlowPair& place = found.within[i];
    return fmt::format("within {}: {}", plain_rank(picture, place.from), against(picture, place.distance, found.inside));
  });
  std::vector<const PairFinding*> doubtful, unseen;
  std::size_t cleared = 0;
  if (picture.findings)
    for (const PairFinding& finding : *picture.findings) {
      if (finding.outcome == PairFinding::Outcome::slow && !shown(found, finding)) unseen.push_back(&finding);
      if (finding.outcome == PairFinding::Outcome::inconclusive) doubtful.push_back(&finding);
      if (finding.outcome == PairFinding::Outcome::cleared) ++cleared;
    }
  add_most(Kind::slow, unseen.size(), "slow ones", [&](std::size_t i) {
    return fmt::format("{}: measured again {} times, it was {:.1f} times as slow as others", subject_of(picture, *unseen[i]),
                       unseen[i]->comparisons, unseen[i]->ratio);
  });
  const bool nobody = sentences.empty() && doubtful.empty();
  add_most(Kind::inconclusive, doubtful.size(), "inconclusive ones",
           [&](std::size_t i) { return doubt_of(picture, *doubtful[i]); });
  if (nobody && found.rest.median > 0 && (!picture.places || picture.matrix.known() > 1))
    sentences.push_back(
        {Kind::note, fmt::format("no {} is an outlier: the median is {}, the MAD {:.1f} % of it",
                                 picture.places ? "place and no path" : "rank and no pair", amount_of(picture, found.rest.median),
                                 100 * found.rest.mad / found.rest.median)});
  if (cleared != 0)
    sentences.push_back({Kind::note, fmt::format("{} cleared: as fast as others when measured again",
                                                 cleared == 1 ? "1 outlier was" : fmt::format("{} outliers were", cleared))});
  return sentences;
}

std::string expectation_sentence(const std::vector<Result>& pairs) {
  std::vector<double> shares;
  const Result* least = nullptr;
  const auto share_of = [](const Result& pair) { return pair.summary.busbw / pair.expected->busbw; };
  for (const Result& pair : pairs) {
    if (!pair.expected || pair.summary.samples == 0 || !(pair.expected->busbw > 0)) continue;
    shares.push_back(share_of(pair));
    if (least == nullptr || share_of(pair) < share_of(*least)) least = &pair;
  }
  if (least == nullptr) return {};
  return fmt::format("{:.0f} % of what the links allow in the median; least: {:.0f} % of {} ({})",
                     100 * median_mad_of(shares).median, 100 * share_of(*least), pair_name(least->point),
                     printable(least->expected->basis));
}

}  // namespace railgauge
