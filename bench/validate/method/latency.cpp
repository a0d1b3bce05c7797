// What is usual is the fastest kind of pair that was measured: what counts there counts everywhere.
#include "bench/validate/method/latency.hpp"

#include <algorithm>
#include <cmath>

namespace railgauge::validate {
namespace {

std::vector<Measurement> inverses(std::span<const Latency> latencies, Seconds Latency::* which) {
  std::vector<Measurement> all;
  for (const Latency& it : latencies) {
    constexpr double microsecond = 1e-6;
    const double seconds = (it.*which).count(), speed = seconds > 0 ? microsecond / seconds : 0;
    if (!(speed > 0) || !std::isfinite(speed)) continue;
    all.push_back({it.a, it.b, it.rail, it.round, speed});
    all.push_back({it.b, it.a, it.rail, it.round, speed});
  }
  return all;
}

}  // namespace

std::vector<Measurement> speeds_of(std::span<const Latency> latencies) { return inverses(latencies, &Latency::latency); }
std::vector<Measurement> tail_speeds_of(std::span<const Latency> latencies) { return inverses(latencies, &Latency::tail); }

LeastSlower least_slower(const Model& model, const LeastLonger& least) {
  double fastest = 0;  // one over microseconds
  for (const double kind : model.kinds)
    if (std::isfinite(kind)) fastest = std::max(fastest, std::exp(kind));
  const double microseconds = least.longer.count() * 1e6;
  // A latency longer by the share s is a speed slower by s / (1 + s).
  const auto of = [&](double share) {
    const double longer = std::max(share, microseconds * fastest);
    return longer / (1 + longer);
  };
  LeastSlower it;
  it.host = it.nic = of(least.share);
  it.between = of(least.between_share);
  return it;
}

}  // namespace railgauge::validate
