// The longest path through the nodes of all ranks, in the order in which they become ready.
#include "bench/workload/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "bench/workload/channels.hpp"

namespace railgauge {
namespace {

struct Place {
  std::size_t rank = 0;
  std::uint32_t node = 0;
};

class Replay {
 public:
  Replay(const Workload& workload, const Matches& matches, const ReplayTimes& times)
      : workload_(workload), matches_(matches), times_(times) {
    const Channels channels = channels_of(workload, matches);
    for (std::size_t rank = 0; rank < workload.nodes.size(); ++rank) {
      const std::vector<WorkNode>& nodes = workload.nodes[rank];
      timeline_.emplace_back(nodes.size());
      waits_.emplace_back(nodes.size());
      std::vector<std::vector<std::uint32_t>>& followers = followers_.emplace_back(nodes.size());
      std::map<int, std::uint32_t> last, same;  // by stream; by channel
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        std::vector<std::uint32_t> before = nodes[i].after;
        if (const auto found = last.find(nodes[i].stream); found != last.end()) before.push_back(found->second);
        last[nodes[i].stream] = i;
        if (const int channel = channels.of_node[rank][i]; channel != no_channel) {
          if (const auto found = same.find(channel); found != same.end()) before.push_back(found->second);
          same[channel] = i;
        }
        for (const std::uint32_t each : before) followers[each].push_back(i);
        waits_.back()[i] = before.size();
      }
    }
    for (const Match& match : matches.all) absent_.push_back(match.members.size());
  }

  Timeline run() {
    std::size_t left = 0;
    for (std::size_t rank = 0; rank < waits_.size(); ++rank)
      for (std::uint32_t i = 0; i < waits_[rank].size(); ++i, ++left)
        if (waits_[rank][i] == 0) ready_.push_back({rank, i});
    while (!ready_.empty()) {
      const Place place = ready_.back();
      ready_.pop_back();
      left -= begin(place);
    }
    if (left != 0) refuse();
    return std::move(timeline_);
  }

 private:
  // The number of nodes that have ended by this.
  std::size_t begin(Place place) {
    const std::uint32_t number = matches_.of_node[place.rank][place.node];
    if (number == no_match) {
      const bool computes = workload_.nodes[place.rank][place.node].work == WorkKind::compute;
      end(place, at(place).start + (computes ? times_.computation(static_cast<int>(place.rank), place.node) : 0));
      return 1;
    }
    if (--absent_[number] != 0) return 0;
    const Match& match = matches_.all[number];
    double start = 0;
    for (const Match::Member& member : match.members) start = std::max(start, at(of(member)).start);
    const double moment = start + times_.communication(match);
    for (const Match::Member& member : match.members) end(of(member), moment);
    return match.members.size();
  }

  void end(Place place, double moment) {
    at(place).end = moment;
    for (const std::uint32_t follower : followers_[place.rank][place.node]) {
      Interval& its = timeline_[place.rank][follower];
      its.start = std::max(its.start, moment);
      if (--waits_[place.rank][follower] == 0) ready_.push_back({place.rank, follower});
    }
  }

  // Of the nodes that wait for ranks alone, the first.
  [[noreturn]] void refuse() const {
    for (std::size_t m = 0; m < absent_.size(); ++m) {
      const Match& match = matches_.all[m];
      if (absent_[m] == 0 || absent_[m] == match.members.size()) continue;
      std::string there, missing;
      for (const Match::Member& member : match.members) {
        const bool waits = waits_[static_cast<std::size_t>(member.rank)][member.node] == 0;
        std::string& list = waits ? there : missing;
        list += (list.empty() ? "" : ", ") + std::to_string(member.rank);
      }
      const Place first = of(match.members.front());
      throw Error(
          Fault::usage,
          fmt::format("workload {}: {} hangs: rank {} waits in it for rank {}, which never comes to it: the order of calls "
                      "differs between the ranks",
                      workload_.name, workload_.nodes[first.rank][first.node].name, there, missing));
    }
    throw Error(Fault::usage, fmt::format("workload {} hangs: no node can begin", workload_.name));
  }

  [[nodiscard]] static Place of(const Match::Member& member) { return {static_cast<std::size_t>(member.rank), member.node}; }
  [[nodiscard]] Interval& at(Place place) { return timeline_[place.rank][place.node]; }

  const Workload& workload_;
  const Matches& matches_;
  const ReplayTimes& times_;
  Timeline timeline_;
  std::vector<std::vector<std::size_t>> waits_;  // predecessors that have not ended, by rank and node
  std::vector<std::vector<std::vector<std::uint32_t>>> followers_;
  std::vector<std::size_t> absent_;  // members that have not come, by match
  std::vector<Place> ready_;
};

}  // namespace

Timeline replay(const Workload& workload, const Matches& matches, const ReplayTimes& times) {
  return Replay(workload, matches, times).run();
}

double length_of(const Timeline& timeline) {
  double last = 0;
  for (const std::vector<Interval>& rank : timeline)
    for (const Interval& interval : rank) last = std::max(last, interval.end);
  return last;
}

}  // namespace railgauge
