// A schedule whose transfers and works all run in queues of a device: the host enqueues them and waits for the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/device/queues.hpp"
#include "bench/plan/graph_plan.hpp"
#include "bench/plan/plan.hpp"

namespace railgauge {

class StreamPlan final : public Runnable, public Recordable {
 public:
  // `compute` has the stream of lane 0. Without `queues` all exchanges use it, and lanes go one after the other, rounds in their
  // order: the same on all ranks. With them the exchange of each lane has a stream of its own; they begin behind what was in
  // that of lane 0, and what comes into that later comes behind them. Both outlive the plan; `queues` has all of its lanes.
  StreamPlan(std::vector<PlannedLane> lanes, Compute& compute, LaneQueues* queues = nullptr);
  // Enqueues as much as fits into the streams: a full queue would block the caller without a deadline.
  void start() override;
  // Enqueues the rest; true when the device has completed all.
  bool test() override;
  void put_all() override;
  bool begin() override;
  bool put() override;
  [[nodiscard]] std::size_t room() const override;
  void look() override;

 private:
  // How much of a lane is in its stream.
  struct Progress {
    std::size_t round = 0, work = 0;  // the next ones
    bool begun = false;               // whether the works before the first round are
  };
  // How much is in a stream.
  struct Fill {
    std::size_t since_mark = 0;  // operations: calls of the device's driver
    std::uint64_t mark = 0;      // behind which there are that many; 0: none yet
  };
  void rewind();
  void fork();
  void join();
  bool enqueue(bool all_at_once);
  bool put_round(std::size_t lane, bool all_at_once);
  // Of the next round of a lane and the works behind it.
  [[nodiscard]] static std::size_t operations(const PlannedLane& lane, std::size_t round);
  bool make_room(std::size_t lane, std::size_t operations);
  void begin_works(std::size_t lane, std::size_t end);
  [[nodiscard]] bool is_in(std::size_t lane) const {
    return progress_[lane].begun && progress_[lane].round == lanes_[lane].ends.size();
  }
  [[nodiscard]] Compute& compute_of(std::size_t lane) const {
    return queues_ == nullptr || lane == 0 ? compute_ : *queues_->computes[lane - 1];
  }
  [[nodiscard]] Fill& fill_of(std::size_t lane) { return fills_[queues_ == nullptr ? 0 : lane]; }

  std::vector<PlannedLane> lanes_;
  Compute& compute_;
  LaneQueues* queues_;
  std::vector<Progress> progress_;  // of each lane
  std::vector<Fill> fills_;         // of each stream
  bool all_ = false;                // whether all of the operation is in the streams
  std::uint64_t end_ = 0;           // of start()
};

}  // namespace railgauge
