// Flows in flight on arcs: each has the rate that max-min fairness gives it, until another begins or ends.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bench/predict/flows/filling.hpp"
#include "bench/predict/flows/path.hpp"

namespace railgauge::predict {

// Times are in seconds, amounts in bytes, capacities in bytes a second. A change touches only what shares full arcs with it: an
// arc that its flows could not fill if each were alone slows nobody.
class Fluid {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  // Ends that are no more than `grain` seconds apart are one, at the time of the first.
  explicit Fluid(std::vector<double> capacities, double grain = 0);

  // A flow that begins now. The pieces of its path are kept by the caller while the flow lasts. Returns its number, which is
  // given again to another when it has ended.
  std::uint32_t start(Path path, double bytes);
  // The time at which the next flow ends; never when there is none.
  [[nodiscard]] double next();
  // Goes to that time, no later than next(), and appends the flows that end then. Ends that rounding parts are one.
  void advance(double time, std::vector<std::uint32_t>& ended);

  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }

 private:
  struct Flow {
    Path path;
    double alone = 0;             // its rate if it had the arcs for itself
    std::uint32_t narrowest = 0;  // the arc that allows no more
    double rate = 0;
    double left = 0;  // bytes, at `since`
    double since = 0;
    std::uint32_t version = 0;  // of its end in ends_
    std::uint32_t life = 0;     // counts who had this number
    bool alive = false;
    bool gathered = false;
    boost::container::small_vector<Use, 4> contended;  // those of its arcs that have ever been full
    std::uint32_t contended_at = 0;                    // times_full_ when that was so
  };
  struct Member {
    std::uint32_t flow, life;
  };
  struct ArcState {
    double capacity = 0;
    double wanted = 0;  // what its flows would send if each were alone
    std::uint32_t alive = 0;
    std::uint32_t local = 0;      // its place in the filling
    std::vector<Member> members;  // also some that have ended
    bool gathered = false;
    bool ever_full = false;
  };
  struct End {
    double time;
    std::uint32_t flow, version;
  };
  [[nodiscard]] static bool full(const ArcState& arc) { return arc.wanted > arc.capacity * (1 + 1e-9); }
  void look_up(Flow& flow);
  void touch(std::uint32_t number);
  void gather(std::uint32_t arc);
  void settle();
  void set_rate(std::uint32_t number, double rate);
  void drop_old_ends();
  void stop(std::uint32_t number);

  std::vector<ArcState> arcs_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<End> ends_;  // a heap, the earliest first; some are out of date
  double now_ = 0, grain_ = 0;
  std::size_t in_flight_ = 0;
  std::uint32_t times_full_ = 1;  // how many arcs have ever been full, and one
  // Of the change that is not yet settled: flows that began, and full arcs whose flows must be looked at.
  std::vector<std::uint32_t> begun_, arcs_to_do_;
  // Of settle(), kept for their memory.
  std::vector<std::uint32_t> gathered_flows_, gathered_arcs_;
  std::vector<FlowArcs> filled_;
  std::vector<Use> uses_;
  std::vector<double> capacities_;
  Filling filling_;
};

}  // namespace railgauge::predict
