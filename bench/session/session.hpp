// One rank's part of a sweep over one transport: connect once, then measure point after point.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/select/sweep.hpp"
#include "bench/session/session_options.hpp"
#include "reports/result.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {

using ResultSink = std::function<void(const Result&)>;

// Measures all points, which are the same on all ranks. Rank 0 passes each result to `add` as soon as it is complete; other
// ranks never call `add`. Returns 0 or the most severe exit code of the results. Throws Error(lost) when a rank is lost.
[[nodiscard]] int run_session(Group& group, const ChosenTransport& transport, const std::vector<Point>& points,
                              const SessionOptions& options, const ResultSink& add);

inline constexpr const char* budget_is_over = "the time budget of the sweep was used up";

// Collective, and the same on all ranks: shortens `policy` to the rest of the budget after `elapsed` (rank 0's value counts).
// False when the budget is used up.
[[nodiscard]] bool fit_budget(Group& group, const std::optional<Seconds>& budget, Seconds elapsed, Policy& policy);

// The result of a point that was not run (`point`: case_of()).
[[nodiscard]] Result skipped_result(Case point, const SessionOptions& options, const std::string& reason);

}  // namespace railgauge
