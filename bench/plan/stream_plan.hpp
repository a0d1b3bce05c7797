// A schedule whose transfers and works are all in one queue of a device: the host puts them there and waits for the end of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/plan/graph_plan.hpp"
#include "bench/plan/plan.hpp"

namespace railgauge {

class StreamPlan final : public Runnable, public Recordable {
 public:
  // `compute` has the stream that the exchanges use, and outlives the plan. Lanes go one after the other, rounds in their order:
  // the same on all ranks.
  StreamPlan(std::vector<PlannedLane> lanes, Compute& compute);
  // Puts into the stream what fits: a queue that is full would hold the caller in a call without a deadline.
  void start() override;
  // Puts the rest into it; true when the device has come to the end.
  bool test() override;
  void put_all() override;
  void look() override;

 private:
  void rewind();
  bool enqueue(bool all_at_once);
  bool make_room();
  void begin_works(PlannedLane& lane, std::size_t end);

  std::vector<PlannedLane> lanes_;
  Compute& compute_;
  std::size_t lane_ = 0, round_ = 0, work_ = 0;  // the next ones
  bool begun_ = false;                           // whether the works before the first round of the lane are in it
  std::size_t since_mark_ = 0;                   // operations
  std::uint64_t mark_ = 0;                       // behind which there are that many; 0: none yet
  bool all_ = false;
  std::uint64_t end_ = 0;
};

}  // namespace railgauge
