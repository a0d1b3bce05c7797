// A schedule resolved into prepared transfers and works, and the executor that runs it over any transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/plan/work.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// One lane, ready to run: it does works[0] to works[before]; then round r posts transfers of `exchange` and does what works
// follow up to works[ends[r]].
struct PlannedLane {
  std::unique_ptr<Exchange> exchange;
  std::vector<Work> works;
  std::size_t before = 0;
  std::vector<std::size_t> ends;  // one a round
};

// When the works of a round are complete, so that the next round may be posted.
enum class Order : std::uint8_t {
  host,    // when the call that begins them returns
  device,  // when the device has reached a mark after them; other lanes continue meanwhile
};

// Runs lanes side by side; lanes never wait for each other. Reusable; allocates nothing once made.
class Plan final : public Runnable {
 public:
  // `compute` outlives the plan.
  Plan(std::vector<PlannedLane> lanes, Compute& compute, Order order);
  void start() override;
  bool test() override;

 private:
  struct Progress {
    Exchange* exchange = nullptr;
    const Work* works = nullptr;
    const std::size_t* ends = nullptr;
    std::size_t before = 0;
    std::size_t rounds = 0;
    std::size_t round = 0;   // the next one to be complete
    bool posted = false;     // whether it is
    std::size_t work = 0;    // the next one to begin
    std::uint64_t mark = 0;  // Order::device: of the last works
    bool working = false;    // and whether they are in flight
  };
  bool advance(Progress& lane);
  bool post_next(Progress& lane);
  bool works_are_done(Progress& lane);
  void begin_works(Progress& lane, std::size_t end);

  std::vector<PlannedLane> lanes_;
  std::vector<Progress> progress_;
  Compute& compute_;
  Order order_;
};

}  // namespace railgauge
