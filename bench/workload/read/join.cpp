// Ranks, groups and calls of several traces under one numbering.
#include "bench/workload/read/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "bench/workload/agree.hpp"

namespace railgauge {
namespace {

Error refusal(const RankTrace& trace, const std::string& what) {
  return {Fault::usage, fmt::format("{}: {}", trace.origin, what)};
}

// The largest group of communicators is the job: a rank's position there is its rank.
void take_positions(std::vector<RankTrace>& traces) {
  for (RankTrace& trace : traces) {
    int largest = 0;
    for (const TraceGroup& group : trace.groups)
      if (!group.id.empty() && group.position >= 0 && group.size > largest && group.size >= trace.ranks) {
        largest = group.size;
        if (!trace.rank || trace.ranks < largest) trace.rank = group.position;
        trace.ranks = largest;
      }
  }
}

// By rank.
std::map<int, RankTrace> by_rank(std::vector<RankTrace> traces) {
  std::map<int, RankTrace> ranked;
  const std::size_t number = traces.size();
  for (RankTrace& trace : traces) {
    if (!trace.rank) {
      trace.rank = rank_in_name(trace.origin);
      if (trace.rank) trace.notes.insert("ranks are those in the names of the files");
    }
    if (!trace.rank && number == 1) {
      trace.rank = 0;
      trace.notes.insert("it does not say which rank it is of: taken for rank 0");
    }
    if (!trace.rank)
      throw refusal(trace,
                    "neither the trace nor its name says which rank it is of: name the files NAME.RANK.et or rank-RANK.json");
    const int rank = *trace.rank;
    if (const auto there = ranked.find(rank); there != ranked.end())
      throw refusal(trace, fmt::format("it is of rank {}, as {} is", rank, there->second.origin));
    ranked.emplace(rank, std::move(trace));
  }
  return ranked;
}

int number_of_ranks(const std::map<int, RankTrace>& traces, int given) {
  int declared = 0, seen = 0;
  for (const auto& [rank, trace] : traces) {
    declared = std::max(declared, trace.ranks);
    seen = std::max(seen, rank + 1);
    for (const TraceGroup& group : trace.groups) {
      seen = std::max(seen, group.size);
      for (const int member : group.ranks) seen = std::max(seen, member + 1);
    }
    // Where nothing says how many ranks there are, messages name some.
    for (const std::uint32_t at : trace.global) seen = std::max({seen, trace.nodes[at].root + 1, trace.nodes[at].peer + 1});
  }
  const RankTrace& first = traces.begin()->second;
  if (declared != 0 && given > declared)
    throw refusal(first, fmt::format("it is of {} ranks, and {} are asked for", declared, given));
  if (declared == 0) seen = std::max(seen, given);
  if (declared != 0 && seen > declared)
    throw refusal(first, fmt::format("there are {} ranks, and rank {} or a group of {} is named", declared, seen - 1, seen));
  if (seen > most_trace_ranks) throw refusal(first, fmt::format("there are more than {} ranks", most_trace_ranks));
  return std::max(declared, seen);
}

class Groups {
 public:
  Groups(const std::map<int, RankTrace>& traces, int ranks) : ranks_(ranks) {
    for (const auto& [rank, trace] : traces)
      for (const TraceGroup& group : trace.groups)
        if (!group.id.empty() && group.position >= 0) {
          const auto [member, is_new] = by_id_[group.id].try_emplace(group.position, rank);
          if (!is_new && member->second != rank) ambiguous_.insert(group.id);
        }
  }

  // Its position in the workload.
  int add(const RankTrace& trace, const TraceGroup& group) {
    ProcessGroup made{printable(group.name), group.kind, ranks_of(trace, group)};
    if (made.name.empty()) made.name = "all";
    members_ += made.ranks.size();
    if (members_ > most_members) throw refusal(trace, fmt::format("its groups have more than {} members together", most_members));
    const auto [place, is_new] =
        places_.try_emplace({group.id.empty() ? made.name : group.id, made.ranks}, static_cast<int>(all_.size()));
    if (is_new) {
      // Names of process groups may be those of another group on another rank.
      std::string unique = made.name;
      for (int i = 2; !names_.insert(unique).second; ++i)
        unique = i == 2 ? fmt::format("{} of {}", made.name, text_of_ranks(made.ranks)) : fmt::format("{} #{}", made.name, i);
      made.name = unique;
      all_.push_back(std::move(made));
    }
    return place->second;
  }
  std::vector<ProcessGroup> take() { return std::move(all_); }

 private:
  [[nodiscard]] std::vector<int> ranks_of(const RankTrace& trace, const TraceGroup& group) const {
    if (!group.ranks.empty()) {
      std::vector<int> sorted = group.ranks;
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        throw refusal(trace, fmt::format("group {} names a rank twice", printable(group.name)));
      if (sorted.front() < 0 || sorted.back() >= ranks_)
        throw refusal(trace, fmt::format("group {} names rank {}, and there are {} ranks", printable(group.name),
                                         sorted.front() < 0 ? sorted.front() : sorted.back(), ranks_));
      if (group.size != 0 && sorted.size() != static_cast<std::size_t>(group.size))
        throw refusal(trace,
                      fmt::format("group {} is of {} ranks, and {} are named", printable(group.name), group.size, sorted.size()));
      return group.ranks;
    }
    if (group.size == 0 || group.size == ranks_) {
      std::vector<int> all(static_cast<std::size_t>(ranks_));
      for (int rank = 0; rank < ranks_; ++rank) all[static_cast<std::size_t>(rank)] = rank;
      return all;
    }
    const auto known = by_id_.find(group.id);
    if (group.id.empty() || known == by_id_.end() || ambiguous_.contains(group.id))
      throw refusal(
          trace, fmt::format("group {} has {} of {} ranks, and nothing says which", printable(group.name), group.size, ranks_));
    std::vector<int> members;
    for (int position = 0; position < group.size; ++position) {
      const auto member = known->second.find(position);
      if (member == known->second.end())
        throw refusal(trace, fmt::format("rank {} of group {} is in no file: give the files of all {} of its ranks", position,
                                         printable(group.name), group.size));
      members.push_back(member->second);
    }
    return members;
  }

  int ranks_;
  std::size_t members_ = 0;
  std::map<std::string, std::map<int, int>> by_id_;  // position in the group -> rank
  std::set<std::string> ambiguous_;                  // communicators that only their size tells
  std::map<std::pair<std::string, std::vector<int>>, int> places_;
  std::set<std::string> names_;
  std::vector<ProcessGroup> all_;
};

// Where ranks stand in groups.
class Positions {
 public:
  explicit Positions(const std::vector<ProcessGroup>& groups) : groups_(groups) {}
  // -1: not in the group.
  int find(int group, int rank) {
    const auto [there, is_new] = sorted_.try_emplace(group);
    if (is_new) {
      const std::vector<int>& ranks = groups_[static_cast<std::size_t>(group)].ranks;
      for (std::size_t i = 0; i < ranks.size(); ++i) there->second.emplace_back(ranks[i], static_cast<int>(i));
      std::sort(there->second.begin(), there->second.end());
    }
    const auto found = std::lower_bound(there->second.begin(), there->second.end(), std::pair(rank, -1));
    return found != there->second.end() && found->first == rank ? found->second : -1;
  }

 private:
  const std::vector<ProcessGroup>& groups_;
  std::map<int, std::vector<std::pair<int, int>>> sorted_;  // rank and position, by group
};

// The nodes of one rank under the workload's numbering of groups.
void place_nodes(RankTrace& trace, const std::vector<int>& places, const std::vector<ProcessGroup>& groups,
                 Positions& positions) {
  const int rank = *trace.rank;
  for (const std::uint32_t at : trace.shares) {
    WorkNode& node = trace.nodes[at];
    const std::uint64_t size = groups[static_cast<std::size_t>(places[static_cast<std::size_t>(node.group)])].ranks.size();
    node.elements = node.elements > most_elements / size ? most_elements + 1 : node.elements * size;
  }
  std::map<int, int> mine;  // this rank's position, by group
  std::optional<Seconds> begin;
  for (const WorkNode& node : trace.nodes)
    if (node.start && (!begin || *node.start < *begin)) begin = node.start;
  for (std::size_t at = 0; at < trace.nodes.size(); ++at) {
    WorkNode& node = trace.nodes[at];
    if (node.start) node.start = *node.start - *begin;
    if (!node.communicates()) continue;
    node.group = places[static_cast<std::size_t>(node.group)];
    const ProcessGroup& group = groups[static_cast<std::size_t>(node.group)];
    const std::string where = node.reason.empty() ? node.name : node.reason;
    const auto position = [&](int member) { return positions.find(node.group, member); };
    const auto [me, is_new] = mine.try_emplace(node.group, -1);
    if (is_new) me->second = position(rank);
    if (me->second < 0) throw refusal(trace, fmt::format("{}: rank {} is not in group {}", where, rank, group.name));
    int& other = node.work == WorkKind::collective ? node.root : node.peer;
    if (trace.global.contains(static_cast<std::uint32_t>(at))) {
      const int named = other;
      other = position(named);
      if (other < 0) throw refusal(trace, fmt::format("{}: rank {} is not in group {}", where, named, group.name));
    }
    if (other < 0 || static_cast<std::size_t>(other) >= group.ranks.size())
      throw refusal(trace,
                    fmt::format("{}: it names rank {} of group {}, which has {}", where, other, group.name, group.ranks.size()));
    if (node.elements > most_elements) throw refusal(trace, fmt::format("{}: more elements than any memory holds", where));
    if (node.collective == Collective::all_to_all_v && node.work == WorkKind::collective &&
        (node.send_counts.size() != group.ranks.size() || node.receive_counts.size() != group.ranks.size()))
      throw refusal(trace, fmt::format("{}: it has {} counts, and group {} has {} ranks", where, node.send_counts.size(),
                                       group.name, group.ranks.size()));
    if (node.work == WorkKind::collective && node.collective == Collective::all_to_all &&
        node.elements % group.ranks.size() != 0) {
      node.elements -= node.elements % group.ranks.size();
      trace.notes.insert("all_to_all of sizes that the ranks do not divide are rounded down");
    }
    if (node.work != WorkKind::collective && other == me->second) {
      node.work = WorkKind::marker;
      trace.notes.insert("messages of a rank to itself are left out");
    }
  }
  if (!trace.nodes.empty()) return;
  WorkNode nothing;
  nothing.name = "nothing";
  trace.nodes.push_back(std::move(nothing));
}

// The n-th call of a group has one name on all ranks: that of the collective where the traces differ.
void unite_names(Workload& workload) {
  std::map<std::pair<int, std::size_t>, std::string> names;
  std::set<std::pair<int, std::size_t>> differ;
  const auto each = [&](const auto& visit) {
    for (std::vector<WorkNode>& nodes : workload.nodes) {
      std::map<int, std::size_t> calls;
      for (WorkNode& node : nodes)
        if (node.work == WorkKind::collective) visit(std::pair(node.group, calls[node.group]++), node);
    }
  };
  each([&](const auto& call, const WorkNode& node) {
    if (const auto [known, is_new] = names.try_emplace(call, node.name); !is_new && known->second != node.name)
      differ.insert(call);
  });
  if (differ.empty()) return;
  each([&](const auto& call, WorkNode& node) {
    if (differ.contains(call)) node.name = name(node.collective);
  });
}

}  // namespace

Workload join(std::vector<RankTrace> traces, const std::string& name, const std::string& format, int ranks) {
  Workload workload;
  workload.name = name;
  workload.source = format;
  take_positions(traces);
  std::map<int, RankTrace> ranked = by_rank(std::move(traces));
  workload.ranks = number_of_ranks(ranked, ranks);
  workload.nodes.resize(static_cast<std::size_t>(workload.ranks));
  Groups groups(ranked, workload.ranks);
  std::map<int, std::vector<int>> places;
  for (const auto& [rank, trace] : ranked) {
    std::set<int> used;
    for (const WorkNode& node : trace.nodes)
      if (node.communicates()) used.insert(node.group);
    // Of a group without calls it does not matter whether its ranks are known.
    for (std::size_t g = 0; g < trace.groups.size(); ++g)
      places[rank].push_back(
          used.contains(static_cast<int>(g)) || !trace.groups[g].ranks.empty() ? groups.add(trace, trace.groups[g]) : -1);
  }
  workload.groups = groups.take();
  std::set<std::string> notes;
  if (ranked.size() == 1 && workload.ranks == 1 && ranks == 0)
    notes.insert("nothing says how many ranks the job had: taken for one");
  std::size_t nodes = 0;
  int steps = 0;
  Positions positions(workload.groups);
  for (auto& [rank, trace] : ranked) {
    place_nodes(trace, places[rank], workload.groups, positions);
    notes.insert(trace.notes.begin(), trace.notes.end());
    nodes += trace.nodes.size();
    if (nodes > most_nodes)
      throw refusal(trace, fmt::format("the ranks together have more than {} nodes: trace fewer steps", most_nodes));
    if (trace.steps != 0 && steps != 0 && trace.steps != steps)
      notes.insert("the ranks were traced for different numbers of steps");
    steps = std::max(steps, trace.steps);
    if (trace.items_per_step > workload.items_per_step) {
      workload.items_per_step = trace.items_per_step;
      workload.item = trace.item;
    }
    workload.nodes[static_cast<std::size_t>(rank)] = std::move(trace.nodes);
  }
  workload.steps = std::max(steps, 1);
  if (steps == 0) notes.insert("the trace does not say how many steps it has: taken for one");
  workload.notes.assign(notes.begin(), notes.end());
  if (const std::vector<int> missing = ranks_without_trace(workload); !missing.empty())
    workload.notes.push_back(
        fmt::format("there is no trace of rank{} {}", missing.size() == 1 ? "" : "s", text_of_ranks(missing)));
  unite_names(workload);
  expect_agreement(workload);
  return workload;
}

}  // namespace railgauge
