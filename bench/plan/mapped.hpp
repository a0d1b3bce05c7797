// A plan over mapped peers: a list of steps {await flag, work, set flag}. A work reads the peer's block where it lies, so a
// receive that is only reduced is never copied. One host loop interprets the list; it is plain data, so that a kernel can too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bench/plan/work.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Flags count messages and never go back, so that plans can be run in any order and again. Flag `ready` of peer p at this rank
// counts the messages that p has laid out for it; flag `taken` those of this rank that p has read.
enum class Signal : std::uint8_t { ready, taken };

// Two flags for each lane and peer.
[[nodiscard]] constexpr std::size_t flags_needed(std::size_t lanes, std::size_t ranks) { return lanes * ranks * 2; }
// Where the flag lies in the table of the rank that awaits it, set by `peer`; spread over cache lines where the table is large.
[[nodiscard]] std::size_t flag_index(std::size_t lane, std::size_t peer, Signal signal, std::size_t lanes, std::size_t ranks,
                                     std::size_t flag_count);

// How many messages of each lane and peer the plans of one endpoint have run through so far: this rank's sends to the peer and
// its receives from it. One for each endpoint.
struct MappedSequence {
  MappedSequence(std::size_t lane_count, std::size_t rank_count)
      : lanes(lane_count), ranks(rank_count), sent(lane_count * rank_count), received(lane_count * rank_count) {}
  std::size_t lanes, ranks;
  std::vector<std::uint64_t> sent, received;  // [lane * ranks + peer]
};

struct MappedStep {
  enum class Kind : std::uint8_t { await, set, work };
  Kind kind = Kind::work;
  std::uint32_t peer = 0;
  Signal signal = Signal::ready;
  std::uint64_t ordinal = 0;  // await, set: the flag's value beyond the run's start
  std::size_t work = 0;       // work: index
};

struct MappedLane {
  std::vector<MappedStep> steps;
  std::vector<Work> works;
  std::vector<std::uint64_t> sends, receives;  // messages a run, by peer
};

// Lowers one lane of this rank. Scratch starts `scratch_begin` units into its memory. `source_of(peer, n)` is where the n-th
// message from that peer lies in this process.
[[nodiscard]] MappedLane lower(const ResolvedSchedule& schedule, const Scaled& scaled, std::byte* memory, std::size_t unit,
                               std::size_t scratch_begin, std::size_t ranks,
                               const std::function<const std::byte*(std::int32_t peer, std::size_t n)>& source_of);

class MappedPlan final : public Runnable {
 public:
  // `mapping`, `sequence` and `compute` outlive the plan. Throws Error(usage) when the mapping has too few flags.
  MappedPlan(std::vector<MappedLane> lanes, const Mapping& mapping, std::int32_t rank, MappedSequence& sequence,
             Compute& compute);
  void start() override;
  bool test() override;

 private:
  struct Step {
    MappedStep::Kind kind;
    std::atomic<std::uint64_t>* flag;
    const std::uint64_t* base;
    std::uint64_t ordinal;
    std::size_t work;
  };
  struct Lane {
    std::vector<Step> steps;
    std::vector<Work> works;
    std::size_t next = 0;
  };
  bool advance(Lane& lane);

  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> sends_, receives_;
  MappedSequence& sequence_;
  Compute& compute_;
  bool running_ = false;
};

}  // namespace railgauge
