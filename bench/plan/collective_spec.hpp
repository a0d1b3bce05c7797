// The parameters of one collective, on which all ranks agree, and the part of each rank that follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "bench/device/queues.hpp"
#include "bench/plan/mapped.hpp"
#include "bench/plan/plan.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/layout.hpp"
#include "bench/schedule/verify/credits.hpp"
#include "transports/transport.hpp"

namespace railgauge {

struct CollectiveSpec {
  const Algorithm* algorithm = nullptr;
  Type type = Type::float32;
  Op op = Op::none;
  Shape shape;  // shape.rank is this rank
  std::uint64_t elements = 0;
  std::size_t lanes = 1;
  bool in_place = false;
  // The caller reads or writes the buffers between two runs without a barrier. Plans over mapped peers allow it anyway: what one
  // stores at another is behind a message of the same run, and a run ends when its peers have read what they read of it.
  bool touched_between = false;
  // Of all_to_all_v, on all ranks the same (divide() of bench/schedule/layout.hpp); `elements` is then elements_of() them. Empty:
  // fixed weights.
  std::vector<std::uint64_t> counts = {};
};

// Buffers start at multiples of this many bytes within a rank's memory.
inline constexpr std::size_t buffer_alignment = 4096;

// The part of one rank: its schedule (the same for every lane), the layout of its memory and its resolved lanes.
struct RankPart {
  Schedule schedule;
  Layout layout;
  std::vector<ResolvedSchedule> lanes;
  // Bytes that one set of this rank's buffers takes, a multiple of buffer_alignment.
  [[nodiscard]] std::size_t set_bytes(Type type) const;
};

// The parts of all ranks of a spec; of() makes each on its first call and keeps it.
class RankParts {
 public:
  explicit RankParts(const CollectiveSpec& spec)
      : RankParts(spec, [algorithm = spec.algorithm](const Shape& shape) { return algorithm->schedule(shape); }) {}
  // The same with other schedules than the algorithm builds: `schedule_of` returns the schedule of shape.rank.
  RankParts(CollectiveSpec spec, std::function<Schedule(const Shape&)> schedule_of)
      : spec_(std::move(spec)), schedule_of_(std::move(schedule_of)) {}
  [[nodiscard]] const CollectiveSpec& spec() const { return spec_; }
  [[nodiscard]] const RankPart& of(std::int32_t rank);
  [[nodiscard]] const RankPart& mine() { return of(spec_.shape.rank); }
  // The scaling of this rank's reductions for avg and premulsum. The first call builds the schedules of all ranks, for these ops
  // only; throws Error(usage) beyond 1024 ranks.
  [[nodiscard]] const Scaled& scaled();

 private:
  [[nodiscard]] RankPart make_part(std::int32_t rank) const;

  CollectiveSpec spec_;
  std::function<Schedule(const Shape&)> schedule_of_;
  std::map<std::int32_t, RankPart> parts_;
  std::unique_ptr<Scaled> scaled_;
};

// The path of messages between the buffers and the transport.
struct DataPath {
  // The endpoint puts its transfers into the stream of the Compute, which has one.
  bool stream_ordered = false;
  // Where the transport cannot access the buffers: host memory of the same size, inside an attached region; not owned. The
  // Compute copies sent data into it and received data out of it, each at the same offset. Else null.
  std::byte* mirror = nullptr;
  // Of a stream-ordered endpoint whose lanes have streams of their own (Place::LaneResources::stream): these, as many as the spec
  // has lanes at least, which outlive the plan. Null: all are in the stream of the Compute.
  LaneQueues* queues = nullptr;
};

// The plan of this rank for the buffer set at `memory` (RankPart::set_bytes of it, inside a region that the endpoint has), run by
// transfers. Collective: every rank makes its plans in the same order.
[[nodiscard]] std::unique_ptr<Runnable> make_plan(RankParts& parts, Endpoint& endpoint, Compute& compute, std::byte* memory,
                                                  const DataPath& data_path = {});

// The same, run over mapped peers: set number `set` starts set * set_bytes behind `offset` in region `region` of every rank.
// Precondition: endpoint.mapping() is not null. `sequence` is shared by all mapped plans of the endpoint.
[[nodiscard]] std::unique_ptr<Runnable> make_mapped_plan(RankParts& parts, Endpoint& endpoint, Compute& compute,
                                                         MappedSequence& sequence, std::size_t region, std::size_t set,
                                                         std::size_t offset = 0);

}  // namespace railgauge
