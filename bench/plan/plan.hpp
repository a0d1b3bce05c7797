// A schedule resolved once into prepared transfers and works, and the one executor that runs it over any transport.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/plan/work.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// One lane, ready to run: round r posts transfers of `exchange` and then does works[ends[r - 1]] to works[ends[r]].
struct PlannedLane {
  std::unique_ptr<Exchange> exchange;
  std::vector<Work> works;
  std::vector<std::size_t> ends;  // one a round
};

// Runs lanes side by side; lanes never wait for each other. Reusable; allocates nothing once made.
class Plan final : public Runnable {
 public:
  // `compute` outlives the plan.
  Plan(std::vector<PlannedLane> lanes, Compute& compute);
  void start() override;
  bool test() override;

 private:
  struct Progress {
    Exchange* exchange = nullptr;
    const Work* works = nullptr;
    const std::size_t* ends = nullptr;
    std::size_t rounds = 0;
    std::size_t round = 0;
    std::size_t work = 0;
  };
  bool advance(Progress& lane);

  std::vector<PlannedLane> lanes_;
  std::vector<Progress> progress_;
  Compute& compute_;
};

}  // namespace railgauge
