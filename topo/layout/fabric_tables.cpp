// Tables that read at any size: links between switches, hosts and rails.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "topo/layout/fabric_groups.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr std::size_t most_single = 48;  // switches on a side of a matrix that shows each; more of them are groups
constexpr std::size_t most_rows = 2000;
constexpr std::size_t most_patterns = 80;  // rows of hosts and leaves; more of them say only what differs

// One row or column of a matrix.
struct Side {
  std::string name;
  std::vector<std::uint32_t> switches;
  bool odd = false;
};

std::vector<Side> side_of(const Fabric& fabric, const Blocks& blocks, unsigned tier) {
  std::vector<std::uint32_t> here = fabric.by_tier[tier];
  std::vector<Side> sides;
  if (here.size() <= most_single) {
    std::stable_sort(here.begin(), here.end(), [&](std::uint32_t x, std::uint32_t y) {
      return natural_less(fabric.name(fabric.switches[x]), fabric.name(fabric.switches[y]));
    });
    for (const std::uint32_t it : here)
      sides.push_back({fabric.name(fabric.switches[it]), {it}, fabric.odd(fabric.switches[it])});
    return sides;
  }
  const auto add = [&](const Block& block) {
    for (const Group& group : block.groups) {
      if (group.tier != tier) continue;
      Side side;
      side.switches = group.switches;
      side.odd = group.odd;
      side.name = fabric.name(fabric.switches[group.switches.front()]);
      if (group.switches.size() > 1) side.name += fmt::format(" \u2026 ({})", group.switches.size());
      sides.push_back(std::move(side));
    }
  };
  for (const Block& block : blocks.blocks) add(block);
  add(blocks.top);
  return sides;
}

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;  // the lower place first

// Whether a link between two switches is wrong or missing.
bool trouble_between(const Fabric& fabric, const Pairs& gaps, const std::vector<std::uint32_t>& lower,
                     const std::vector<std::uint32_t>& upper) {
  if (lower.size() > 1 || upper.size() > 1) return false;
  if (gaps.contains(std::minmax(lower.front(), upper.front()))) return true;
  for (const Peer& peer : fabric.switches[lower.front()].peers)
    if (peer.other == upper.front()) return fabric.wrong(peer.links);
  return false;
}

Table links(const Fabric& fabric, const Blocks& blocks, const Pairs& gaps, unsigned tier) {
  constexpr std::string_view words[] = {"", "Leaves", "spines", "cores"};
  const auto word = [&](unsigned it) { return it < 4 ? std::string(words[it]) : fmt::format("tier {}", it); };
  const std::vector<Side> rows = side_of(fabric, blocks, tier);
  const std::vector<Side> columns = side_of(fabric, blocks, tier + 1);
  std::unordered_map<std::uint32_t, std::uint32_t> column_of;  // of each switch of the upper tier
  for (std::uint32_t c = 0; c < columns.size(); ++c)
    for (const std::uint32_t it : columns[c].switches) column_of[it] = c;
  Table table;
  table.id = fmt::format("links{}", tier);
  table.title = fmt::format("{} \u00d7 {}: links", tier == 2 ? "Spines" : word(tier), word(tier + 1));
  table.note = "Links from one switch of the row to all switches of the column; two numbers where switches differ.";
  table.matrix = true;
  table.columns.emplace_back("");
  for (const Side& it : columns) table.columns.push_back(it.name);
  for (const Side& row : rows) {
    std::vector<std::uint64_t> least(columns.size(), ~std::uint64_t{0});
    std::vector<std::uint64_t> most(columns.size());
    for (const std::uint32_t it : row.switches) {
      std::map<std::uint32_t, std::uint64_t> here;
      for (const Peer& peer : fabric.switches[it].peers)
        if (const auto column = column_of.find(peer.other); column != column_of.end()) here[column->second] += peer.count();
      for (std::uint32_t c = 0; c < columns.size(); ++c) {
        const auto found = here.find(c);
        const std::uint64_t count = found == here.end() ? 0 : found->second;
        least[c] = std::min(least[c], count);
        most[c] = std::max(most[c], count);
      }
    }
    std::vector<Cell> cells{{row.name, row.odd, false}};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool wrong = row.odd && columns[c].odd && trouble_between(fabric, gaps, row.switches, columns[c].switches);
      if (most[c] == 0)
        cells.push_back({wrong ? "0" : "\u00b7", wrong, !wrong});
      else
        cells.push_back(
            {least[c] == most[c] ? fmt::format("{}", most[c]) : fmt::format("{}\u2013{}", least[c], most[c]), wrong, false});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string hosts_words(const Fabric& fabric, const std::vector<std::uint32_t>& hosts) {
  std::string first = fabric.name(fabric.hosts[hosts.front()]);
  if (hosts.size() == 1) return first;
  return fmt::format("{} \u2026 {} ({})", first, fabric.name(fabric.hosts[hosts.back()]), hosts.size());
}

Table rails(const Fabric& fabric) {
  Table table;
  table.id = "rails";
  table.title = "Hosts \u00d7 rails";
  table.columns.emplace_back("hosts");
  for (std::uint32_t k = 0; k < fabric.rails; ++k) table.columns.push_back(fmt::format("rail {}", k));
  std::vector<std::uint32_t> order(fabric.hosts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return natural_less(fabric.node(fabric.hosts[x]).name, fabric.node(fabric.hosts[y]).name);
  });
  using Pattern = std::vector<Cell>;
  const auto pattern_of = [&](const Host& host, bool names) {
    Pattern pattern(fabric.rails);
    for (Cell& cell : pattern) cell = {"none", fabric.odd(host), false};
    const bool whole = host.uplinks.size() == fabric.rails;
    for (std::size_t k = 0; k < host.uplinks.size(); ++k) {
      const Uplink& up = host.uplinks[k];
      const Switch& leaf = fabric.switches[up.to];
      const std::size_t column = whole ? k : leaf.rail;
      if (column >= fabric.rails) continue;
      Cell& cell = pattern[column];
      cell.warning = fabric.wrong(up);
      cell.text = names ? fabric.name(leaf) : "its leaf";
      if (fabric.wrong(up))
        cell.text =
            leaf.rail != column ? fmt::format("{} of rail {}", fabric.name(leaf), leaf.rail) : fabric.name(leaf) + ", wrong";
    }
    return pattern;
  };
  const auto folded = [&](bool names) {
    std::map<std::string, std::size_t> places;
    std::vector<std::pair<Pattern, std::vector<std::uint32_t>>> rows;
    for (const std::uint32_t it : order) {
      Pattern pattern = pattern_of(fabric.hosts[it], names);
      std::string key;
      for (const Cell& cell : pattern) key += cell.text + (cell.warning ? "!" : "") + '\n';
      const auto [at, fresh] = places.try_emplace(key, rows.size());
      if (fresh) rows.emplace_back(std::move(pattern), std::vector<std::uint32_t>());
      rows[at->second].second.push_back(it);
    }
    return rows;
  };
  const bool names = fabric.hosts.size() <= 4096;
  auto rows = folded(names);
  if (names && rows.size() > most_patterns) rows = folded(false);
  const auto odd = [](const auto& it) {
    return std::any_of(it.first.begin(), it.first.end(), [](const Cell& cell) { return cell.warning; });
  };
  std::stable_partition(rows.begin(), rows.end(), odd);
  table.note = "Which leaf each host's NICs are on; hosts that say the same are one row.";
  for (auto& [pattern, hosts] : rows) {
    if (table.rows.size() == most_rows) break;
    std::vector<Cell> cells{{hosts_words(fabric, hosts), false, false}};
    for (Cell& cell : pattern) {
      cell.same = !cell.warning && cell.text == "its leaf";
      cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// Links between groups of a dragonfly.
Table groups(const Fabric& fabric) {
  const fabric::GroupLinks between = fabric::links_of_groups(fabric);
  Pairs lacking;
  for (const Gap& gap : fabric.gaps) lacking.insert(std::minmax(fabric.groups[gap.from], fabric.groups[gap.to]));
  Table table;
  table.id = "groups";
  table.title = "Groups \u00d7 groups: links";
  table.matrix = true;
  table.note = fmt::format("Most pairs have {}.", between.usual);
  table.columns.emplace_back("");
  for (std::uint32_t j = 0; j < between.groups; ++j) table.columns.push_back(fmt::format("{}", j));
  for (std::uint32_t i = 0; i < between.groups; ++i) {
    std::vector<Cell> cells{{fmt::format("group {}", i), false, false}};
    for (std::uint32_t j = 0; j < between.groups; ++j) {
      const std::uint32_t links = between.count(i, j);
      cells.push_back(
          {i == j ? "\u00b7" : fmt::format("{}", links), lacking.contains(std::minmax(i, j)), i == j || links == between.usual});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

void add_fabric_tables(Picture& picture, const Fabric& fabric) {
  if (fabric.rails != 0) picture.tables.push_back(rails(fabric));
  if (fabric.shape == Shape::dragonfly) picture.tables.push_back(groups(fabric));
  if (!fabric.tiered()) return;
  const Blocks blocks = group(fabric);
  Pairs gaps;
  for (const Gap& gap : fabric.gaps) gaps.insert(std::minmax(gap.from, gap.to));
  for (unsigned tier = 1; tier < fabric.tiers; ++tier) picture.tables.push_back(links(fabric, blocks, gaps, tier));
}

}  // namespace railgauge::topo::layout
