// Makes the result of a point from its measurement.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/clock_sync.hpp"
#include "bench/measure/fixed.hpp"
#include "bench/measure/loop.hpp"
#include "bench/select/sweep.hpp"
#include "bench/session/buffer_sets.hpp"
#include "bench/session/session_options.hpp"
#include "reports/result.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {

// The facts that all results of a session share.
struct SessionFacts {
  int nodes = 1;
  Host host;
  std::string device;          // rank 0's, by its model; empty where the host is the device
  std::string staged_because;  // why messages pass through memory of the host; empty where they do not
};

// The case of a point as it was asked for; without its path, which is known only after connecting.
[[nodiscard]] Case case_of(const Point& point, const std::string& transport, const SessionOptions& options);

// What a result says of the transport's settings, and of those of the session that a launcher does not imply.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_of(const ChosenTransport& transport,
                                                                           const SessionOptions& options);

// A result with all fields except the measurement.
[[nodiscard]] Result unmeasured_result(const Point& point, const ChosenTransport& transport, const SessionOptions& options,
                                       const SessionFacts& facts, std::string_view path);

// Add the measurement on `sets` to the result of the same point. `lines[r]` is the clock of rank r; null where there is one
// rank.
void add_measurement(Result& result, const Point& point, const Measurement& measurement, const BufferSets& sets,
                     const std::vector<ClockLine>* lines);
void add_measurement(Result& result, const Point& point, FixedMeasurement measurement, const FixedRun& run,
                     const BufferSets& sets);

}  // namespace railgauge
