// Which peer, and which of the channels to it, a number in a plan of MSCCL++ stands for: numbers go through two lists.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bench/schedule/read/plan_file.hpp"

namespace railgauge {

// The nth channel of its type from a rank to `peer`, whose other end is the nth from the peer to the rank.
struct PeerChannel {
  std::uint32_t peer = 0, nth = 0;
};

class PlanChannels {
 public:
  // Adds those of a rank. "" or why there is no such channel.
  [[nodiscard]] std::string add(const ExecutionPlan& plan, std::size_t rank);
  // Channel `id` of the thread block's list; nothing where there is none.
  [[nodiscard]] std::optional<PeerChannel> find(std::size_t rank, const PlanThreadBlock& block, PlanChannel type, PlanJoin join,
                                                std::uint32_t id) const;
  [[nodiscard]] std::uint32_t most() const { return most_; }  // between two ranks

 private:
  std::map<std::tuple<std::size_t, PlanChannel, std::uint8_t>, std::vector<PeerChannel>> all_;  // by rank, type and key
  std::uint32_t most_ = 1;
};

// Entry `id` of all lists of that type and key, one behind the other.
[[nodiscard]] std::optional<std::uint32_t> plan_entry(const std::vector<PlanList>& lists, PlanChannel type, std::uint8_t key,
                                                      std::uint32_t id);

}  // namespace railgauge
