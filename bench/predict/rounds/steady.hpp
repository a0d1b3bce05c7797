// The time of a schedule in which all ranks do the same, without simulating each round: from the flows of one round of each kind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/predict/rounds/costs.hpp"
#include "bench/predict/rounds/pattern.hpp"
#include "bench/predict/routes/routes.hpp"

namespace railgauge::predict {

// How the time was found, from the most exact on.
enum class Method : std::uint8_t {
  events,     // every rank and transfer simulated
  paths,      // no link slows a transfer beside what it can do alone: the longest chain of transfers, which is the same
  continued,  // of a pipeline the first chunks are simulated, and the rest keep their pace
  in_step,    // every rank begins a round when all have ended the one before: an approximation
  formula,    // of reductions in switches: no schedule and no transfers
};

[[nodiscard]] std::string_view name(Method method);

struct Estimate {
  double seconds = 0;
  Method method = Method::paths;
};

class Steady {
 public:
  // Finds the flows of each pattern once, for all sizes. All arguments must outlive this object.
  Steady(const Regular& regular, std::int32_t ranks, Routes& routes, const Costs& costs, const std::vector<double>& capacities);

  // Whether no transfer is slowed by another, whichever rounds the ranks are in. `bytes` has an entry for each stretch.
  [[nodiscard]] bool independent(std::span<const RoundBytes> bytes) const {
    return any_eager(bytes) ? independent_sends_ : independent_;
  }
  [[nodiscard]] Estimate estimate(std::span<const RoundBytes> bytes);
  // Bytes over each arc.
  [[nodiscard]] std::vector<double> carried(std::span<const RoundBytes> bytes);

  // The flows that the constructor would look at.
  [[nodiscard]] static std::uint64_t flows(const Regular& regular, std::int32_t ranks);

 private:
  struct Flow {
    double alone, latency;
    Medium medium;
  };
  struct Longest {
    double seconds = 0;
    std::vector<bool> ranks;  // that have a transfer of that time
  };
  void look_at(std::int32_t rank, Direction direction);
  [[nodiscard]] bool any_eager(std::span<const RoundBytes> bytes) const;
  [[nodiscard]] double latency_of(const Flow& flow, double bytes) const {
    return flow.latency + costs_.handshake(flow.medium, bytes);
  }
  [[nodiscard]] double time_of(const Flow& flow, std::size_t place, const RoundBytes& bytes) const {
    return static_cast<double>(place) * costs_.gap + latency_of(flow, bytes.sends[place]) + bytes.sends[place] / flow.alone;
  }
  [[nodiscard]] Longest longest(std::size_t pattern, const RoundBytes& bytes) const;
  [[nodiscard]] double chained(std::span<const RoundBytes> bytes) const;
  [[nodiscard]] double in_step(std::size_t pattern, const RoundBytes& bytes);
  [[nodiscard]] const Flow& flow(std::size_t pattern, std::size_t place, std::int32_t rank) const {
    return flows_[pattern][place * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(rank)];
  }

  const Regular& regular_;
  std::int32_t ranks_;
  Routes& routes_;
  const Costs& costs_;
  const std::vector<double>& capacities_;
  std::vector<std::vector<Flow>> flows_;  // of each pattern, by place in it and rank
  // Of look_at(), by arc: what the rank wants in one pattern and at most in any; and the sum of the latter over ranks.
  std::vector<double> now_, most_, wanted_;
  std::vector<std::uint32_t> touched_now_, touched_;
  // Of sends alone: the same though senders do not wait for receivers, who then are sent to by ranks in other rounds.
  bool independent_ = false, independent_sends_ = false;
};

}  // namespace railgauge::predict
