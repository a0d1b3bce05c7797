// Lists of a rank first, then those of its thread blocks.
#include "bench/schedule/read/plan_channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace railgauge {

std::optional<std::uint32_t> plan_entry(const std::vector<PlanList>& lists, PlanChannel type, std::uint8_t key,
                                        std::uint32_t id) {
  for (const PlanList& list : lists) {
    if (list.type != type || list.key != key) continue;
    if (id < list.numbers.size()) return list.numbers[id];
    id -= static_cast<std::uint32_t>(list.numbers.size());
  }
  return std::nullopt;
}

std::string PlanChannels::add(const ExecutionPlan& plan, std::size_t rank) {
  std::map<std::pair<PlanChannel, std::uint32_t>, std::uint32_t> to_peer;
  for (const PlanList& list : plan.ranks[rank].channels)
    for (const std::uint32_t peer : list.numbers) {
      if (peer >= plan.ranks.size() || peer == rank)
        return fmt::format("rank {} has a channel to rank {}, which {}", rank, peer,
                           peer == rank ? "is itself" : "does not exist");
      const std::uint32_t nth = to_peer[{list.type, peer}]++;
      all_[{rank, list.type, list.key}].push_back({peer, nth});
      most_ = std::max(most_, nth + 1);
    }
  return "";
}

std::optional<PeerChannel> PlanChannels::find(std::size_t rank, const PlanThreadBlock& block, PlanChannel type, PlanJoin join,
                                              std::uint32_t id) const {
  const auto number = plan_entry(block.channels, type, join.key, id);
  const auto found = all_.find({rank, type, join.key});
  if (!number || found == all_.end() || *number >= found->second.size()) return std::nullopt;
  return found->second[*number];
}

}  // namespace railgauge
