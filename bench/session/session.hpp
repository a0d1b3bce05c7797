// One rank's part of a sweep over one transport: connect once, then measure point after point.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/registry.hpp"
#include "bench/measure/fixed.hpp"
#include "bench/measure/loop.hpp"
#include "bench/select/sweep.hpp"
#include "bench/session/buffer_sets.hpp"
#include "reports/result.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {

enum class Path : std::uint8_t { automatic, exchange, mapped, staged };

struct SessionOptions {
  Policy policy;
  Mode mode = Mode::back_to_back;
  Cache cache = Cache::automatic;
  Path path = Path::automatic;
  std::optional<FixedRun> fixed;  // instead of the policy and all that follows from it: as nccl-tests measures
  bool graph = false;             // plans are noted in the device's stream once, and replayed
  std::size_t unaligned = 0;      // elements by which each buffer set starts off its alignment; path exchange
  bool check_every = true;        // else the last iteration of each batch
  std::optional<Seconds> budget;  // of all points together; those left over are skipped
  Seconds watchdog{30};           // without completion of one operation: then the run is given up
  bool oversubscribed = false;    // ranks share cores, though it may not look so
  int cores = 1;                  // that the ranks of this node share
  ChosenDevice device;            // where the ranks' buffers are
  std::string run;
};

using ResultSink = std::function<void(const Result&)>;

// Measures all points, which are the same on all ranks. Rank 0 gives each result to `add` as soon as it is known; other ranks
// give none. Returns 0 or the gravest exit code of the results. Throws Error(lost) when a rank is lost.
[[nodiscard]] int run_session(Group& group, const ChosenTransport& transport, const std::vector<Point>& points,
                              const SessionOptions& options, const ResultSink& add);

inline constexpr const char* budget_is_over = "the time budget of the sweep was used up";

// Collective, and the same on all ranks: shortens `policy` to what is left of the budget after `elapsed` (rank 0's counts). False
// when nothing is.
[[nodiscard]] bool fit_budget(Group& group, const std::optional<Seconds>& budget, Seconds elapsed, Policy& policy);

// The result of a point that was not run at all.
[[nodiscard]] Result skipped_result(const Point& point, const std::string& transport, const SessionOptions& options,
                                    const std::string& reason);

}  // namespace railgauge
