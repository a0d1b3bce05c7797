// Counts and prints; bench/workload/show/show.hpp.
#include "bench/workload/show/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/units.hpp"
#include "bench/workload/show/numbers.hpp"

namespace railgauge {
namespace {

// "0 to 7", "0 to 56 by 8", "0, 3, 4, 9 ... (12)".
std::string ranks_text(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return std::to_string(ranks.front());
  const int stride = ranks[1] - ranks[0];
  bool even = stride > 0;
  for (std::size_t i = 1; i < ranks.size(); ++i) even = even && ranks[i] - ranks[i - 1] == stride;
  if (even && ranks.size() > 2)
    return fmt::format("{} to {}{}", ranks.front(), ranks.back(), stride == 1 ? "" : fmt::format(" by {}", stride));
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return ranks.size() > most ? fmt::format("{} ... ({} in all)", text, ranks.size()) : text;
}

std::string groups_text(const Workload& workload, int rank) {
  struct Kind {
    std::size_t groups = 0, least = 0, most = 0;
    const ProcessGroup* mine = nullptr;
  };
  std::map<std::string, Kind> kinds;
  std::vector<std::string> order;
  for (const ProcessGroup& group : workload.groups) {
    const std::string& key = group.label();
    if (!kinds.contains(key)) order.push_back(key);
    Kind& kind = kinds[key];
    kind.least = kind.groups == 0 ? group.ranks.size() : std::min(kind.least, group.ranks.size());
    kind.most = std::max(kind.most, group.ranks.size());
    ++kind.groups;
    if (kind.mine == nullptr && std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end()) kind.mine = &group;
  }
  std::string text;
  for (const std::string& key : order) {
    const Kind& kind = kinds[key];
    text += fmt::format("  {:<11} {} group{} of {}{}\n", key, kind.groups, kind.groups == 1 ? "" : "s",
                        kind.least == kind.most ? std::to_string(kind.most) : fmt::format("{} to {}", kind.least, kind.most),
                        kind.mine == nullptr ? fmt::format("; rank {} is in none", rank)
                                             : fmt::format("; rank {}'s: {}", rank, ranks_text(kind.mine->ranks)));
  }
  return text;
}

struct Line {
  std::size_t calls = 0;
  const WorkNode* first = nullptr;
  double seconds = 0;
};

std::string line_text(const Workload& workload, const Line& line) {
  const WorkNode& node = *line.first;
  if (node.work == WorkKind::compute)
    return fmt::format("{:>6}  {:<14} {:<11} {:<9} {:>15} {:>12}  {}: {}\n", line.calls, "compute", "", "", "",
                       format_seconds(Seconds(line.seconds / static_cast<double>(line.calls))), node.name, node.reason);
  const ProcessGroup& group = workload.groups[static_cast<std::size_t>(node.group)];
  const std::string uneven =
      node.send_counts.empty()
          ? ""
          : fmt::format(" ({} to {} elements a rank)", *std::min_element(node.send_counts.begin(), node.send_counts.end()),
                        *std::max_element(node.send_counts.begin(), node.send_counts.end()));
  return fmt::format("{:>6}  {:<14} {:<11} {:<9} {:>15} {:>12}  {}: {}{}\n", line.calls, call_name(node), group.label(),
                     name(node.type), grouped(node.elements), megabytes_text(node.bytes()), node.name, node.reason, uneven);
}

}  // namespace

std::string call_name(const WorkNode& node) {
  return std::string(node.work == WorkKind::collective ? name(node.collective) : work_names[static_cast<std::size_t>(node.work)]);
}

std::string to_text(const Workload& workload, int rank, bool each) {
  std::string text =
      fmt::format("{}: {}\n{} rank{}", workload.name, workload.source, workload.ranks, workload.ranks == 1 ? "" : "s");
  if (workload.items_per_step > 0)
    text += fmt::format(", {} {}s a step", grouped(static_cast<std::uint64_t>(workload.items_per_step)), workload.item);
  text += "\n";
  for (const std::string& note : workload.notes) text += "note: " + note + "\n";
  text += "\ngroups\n" + groups_text(workload, rank);
  text += fmt::format("\ncalls of rank {}\n{:>6}  {:<14} {:<11} {:<9} {:>15} {:>12}  {}\n", rank, "number", "call", "group",
                      "type", "elements", "S or time", "name: formula");
  using Key = std::tuple<WorkKind, Collective, int, Type, std::uint64_t, int, std::string, std::size_t>;
  std::map<Key, std::size_t> places;
  std::vector<Line> lines;
  const std::vector<WorkNode>& nodes = workload.nodes[static_cast<std::size_t>(rank)];
  std::uint64_t calls = 0, bytes = 0;
  double computing = 0, flops = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const WorkNode& node = nodes[i];
    if (node.work == WorkKind::marker) continue;
    const Key key{node.work,   node.collective, node.group,
                  node.type,   node.elements,   node.work == WorkKind::compute ? 0 : node.peer,
                  node.reason, each ? i + 1 : 0};
    const auto [place, is_new] = places.emplace(key, lines.size());
    if (is_new) lines.push_back({0, &node, 0});
    Line& line = lines[place->second];
    ++line.calls;
    line.seconds += node.duration.count();
    if (node.communicates()) {
      ++calls;
      bytes += node.bytes();
    } else {
      computing += node.duration.count();
      flops += node.flops;
    }
  }
  for (const Line& line : lines) text += line_text(workload, line);
  text += fmt::format("\ntotal: {} calls, S together {} bytes; computations {}", grouped(calls), grouped(bytes),
                      format_seconds(Seconds(computing)));
  if (flops > 0) text += fmt::format(" ({:.4g} TFLOP)", flops / 1e12);
  return text + "\n";
}

}  // namespace railgauge
