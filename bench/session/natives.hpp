// A transport's own operations (transports/native.hpp) as points of `railgauge bench`: `railgauge bench write --algorithm
// latency`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/select/sweep.hpp"
#include "bench/session/session.hpp"
#include "transports/native.hpp"

namespace railgauge {

// The kind of measurement of an operation: the "algorithm" of its results.
enum class NativeMeasurement : std::uint8_t {
  latency,    // one message after the other
  bandwidth,  // so many as fit in flight, to the peer or from it
  both_ways,  // the same from both ranks at once
};
[[nodiscard]] constexpr const char* name(NativeMeasurement measurement) noexcept {
  return measurement == NativeMeasurement::latency     ? "latency"
         : measurement == NativeMeasurement::bandwidth ? "bandwidth"
                                                       : "both_ways";
}

struct NativePoint {
  const NativeRow* row = nullptr;
  NativeMeasurement measurement = NativeMeasurement::latency;
  std::uint64_t bytes = 0;  // of a message
};

// The measurements that --algorithm names; without it latency and bandwidth. Throws Error(usage) for another algorithm.
[[nodiscard]] std::vector<NativeMeasurement> chosen_measurements(const SweepOptions& options);

// The case of an operation, whether it can be measured here or not.
[[nodiscard]] Case native_case(std::string_view operation, NativeMeasurement measurement, const std::string& transport, int ranks,
                               int nodes, std::uint64_t bytes);

// The transport's operation of this name; null where it has none. Static storage of the plugin.
[[nodiscard]] const NativeRow* find_native(const KnownTransport& transport, std::string_view name);

// The points of all operations in `options` that the transport has, in the chosen_measurements().
[[nodiscard]] std::vector<NativePoint> make_native_points(const SweepOptions& options, const KnownTransport& transport);

// As run_session. Each rank of the first half initiates, with a peer in the second half. Throws Error(usage) where the ranks are
// no pairs.
[[nodiscard]] int run_natives(Group& group, const ChosenTransport& transport, const std::vector<NativePoint>& points,
                              const SessionOptions& options, const ResultSink& add);

}  // namespace railgauge
