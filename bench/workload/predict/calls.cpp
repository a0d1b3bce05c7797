// Collects by what calls have in common; bench/workload/predict/calls.hpp.
#include "bench/workload/predict/calls.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace railgauge {
namespace {

using Counts = std::vector<std::uint64_t>;

// Rank r takes the place of rank r + turn.
Counts turned(const Counts& counts, std::size_t ranks, std::size_t turn) {
  Counts result(ranks * ranks);
  for (std::size_t i = 0; i < ranks; ++i)
    for (std::size_t j = 0; j < ranks; ++j) result[i * ranks + j] = counts[(i + turn) % ranks * ranks + (j + turn) % ranks];
  return result;
}

// Of all turns the one whose sums come first.
Counts turned_to_first(const Counts& counts, std::size_t ranks) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sums(ranks);
  for (std::size_t i = 0; i < ranks; ++i)
    for (std::size_t j = 0; j < ranks; ++j) {
      sums[i].first += counts[i * ranks + j];
      sums[j].second += counts[i * ranks + j];
    }
  std::size_t best = 0;
  auto first = sums;
  for (std::size_t turn = 1; turn < ranks; ++turn) {
    std::rotate(sums.begin(), sums.begin() + 1, sums.end());
    if (sums < first) first = sums, best = turn;
  }
  return best == 0 ? counts : turned(counts, ranks, best);
}

class Collector {
 public:
  Collector(const Folded& folded, const Matches& matches) : folded_(folded), matches_(matches) {
    for (std::size_t g = 0; g < folded.groups.size(); ++g) {
      const ProcessGroup& group = folded.step.groups[g];
      alike_[{group.kind, folded.groups[g].size(), folded.groups[g].front() / folded.block}].push_back(g);
    }
  }

  Calls collect() {
    for (const Match& match : matches_.all) {
      const WorkNode& node = node_of(match.members.front());
      const bool message = node.work != WorkKind::collective;
      const auto group = static_cast<std::size_t>(node.group);
      const auto [from, to] = message ? ends(match, group) : std::pair(0, 0);
      Together call;
      call.kind = folded_.step.groups[group].label();
      call.what = message ? Collective::stream : node.collective;
      call.type = node.type;
      call.root = message || !row(node.collective).rooted ? 0 : node.root;
      call.elements = node.elements;
      if (call.what == Collective::all_to_all_v) {
        call.counts = counts_of(match, group);
        call.elements = 0;
        for (const Match::Member& member : match.members) call.elements = std::max(call.elements, node_of(member).elements);
      }
      place(std::move(call), group, from, to);
    }
    return std::move(calls_);
  }

 private:
  using Key = std::tuple<std::string, std::size_t, Collective, Type, int, int, std::uint64_t, Counts>;
  struct Sharing {
    std::uint32_t call = 0;
    std::set<std::tuple<std::size_t, int, int>> there;  // groups, with sender and receiver of messages
    std::unordered_set<int> ranks;                      // of collectives
  };

  [[nodiscard]] const WorkNode& node_of(const Match::Member& member) const {
    return folded_.step.nodes[static_cast<std::size_t>(member.rank)][member.node];
  }

  // Positions in the whole group.
  [[nodiscard]] std::pair<int, int> ends(const Match& match, std::size_t group) const {
    const std::vector<int>& ranks = folded_.groups[group];
    const auto position = [&](const Match::Member& member) {
      return static_cast<int>(std::find(ranks.begin(), ranks.end(), member.rank * folded_.block) - ranks.begin());
    };
    return {position(match.members[0]), position(match.members[1])};
  }

  // Of a group with one rank that stands for the others: counts are products of a number of the sender and one of the receiver,
  // as those of built-in workloads are.
  [[nodiscard]] Counts counts_of(const Match& match, std::size_t group) const {
    const std::vector<int>& ranks = folded_.groups[group];
    Counts counts;
    if (match.members.size() == ranks.size()) {
      for (const Match::Member& member : match.members) {
        const Counts& its = node_of(member).send_counts;
        counts.insert(counts.end(), its.begin(), its.end());
      }
    } else {
      const WorkNode& node = node_of(match.members.front());
      const int me = match.members.front().rank * folded_.block;
      const auto place = static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), me) - ranks.begin());
      const double own = static_cast<double>(std::max<std::uint64_t>(1, node.send_counts[place]));
      for (const std::uint64_t from : node.receive_counts)
        for (const std::uint64_t to : node.send_counts)
          counts.push_back(static_cast<std::uint64_t>(std::llround(static_cast<double>(from) / own * static_cast<double>(to))));
    }
    return turned_to_first(counts, ranks.size());
  }

  void place(Together call, std::size_t group, int from, int to) {
    const bool message = call.what == Collective::stream;
    const Key key{folded_.step.groups[group].kind,
                  folded_.groups[group].size(),
                  call.what,
                  call.type,
                  call.root,
                  to - from,
                  call.elements,
                  call.counts};
    std::vector<Sharing>& open = open_[key];
    const std::tuple<std::size_t, int, int> mine{group, from, to};
    const auto has = std::find_if(open.begin(), open.end(), [&](const Sharing& it) { return it.there.contains(mine); });
    if (has != open.end()) return calls_.of_match.push_back(has->call);
    const std::vector<int>& ranks = folded_.groups[group];
    auto free = std::find_if(open.begin(), open.end(), [&](const Sharing& it) {
      return message || std::none_of(ranks.begin(), ranks.end(), [&](int rank) { return it.ranks.contains(rank); });
    });
    if (free == open.end()) {
      open.push_back({static_cast<std::uint32_t>(calls_.all.size()), {}, {}});
      free = open.end() - 1;
      calls_.all.push_back(std::move(call));
    }
    add(*free, group, from, to, message);
    calls_.of_match.push_back(free->call);
  }

  // The group, and those for which it stands.
  void add(Sharing& sharing, std::size_t group, int from, int to, bool message) {
    const ProcessGroup& its = folded_.step.groups[group];
    const std::vector<int>& ranks = folded_.groups[group];
    std::vector<std::size_t> all{group};
    if (folded_.block > 1) all = alike_.at({its.kind, ranks.size(), ranks.front() / folded_.block});
    for (const std::size_t each : all) {
      sharing.there.insert({each, from, to});
      const std::vector<int>& members = folded_.groups[each];
      std::vector<std::vector<std::int32_t>>& groups = calls_.all[sharing.call].groups;
      if (message) {
        groups.push_back({members[static_cast<std::size_t>(from)], members[static_cast<std::size_t>(to)]});
      } else {
        groups.emplace_back(members.begin(), members.end());
        sharing.ranks.insert(members.begin(), members.end());
      }
    }
  }

  const Folded& folded_;
  const Matches& matches_;
  std::map<std::tuple<std::string, std::size_t, int>, std::vector<std::size_t>> alike_;  // groups, by kind, size and block
  std::map<Key, std::vector<Sharing>> open_;
  Calls calls_;
};

}  // namespace

Calls calls_of(const Folded& folded, const Matches& matches) {
  Calls calls = Collector(folded, matches).collect();
  for (Together& call : calls.all) std::sort(call.groups.begin(), call.groups.end());
  return calls;
}

}  // namespace railgauge
