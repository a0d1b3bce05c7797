// The table behind base/bandwidth.hpp: one row a collective.
#include "base/bandwidth.hpp"

#include <array>
#include <cmath>

namespace railgauge {
namespace {

double nothing(double) { return 0; }
double whole(double) { return 1; }
double others(double n) { return (n - 1) / n; }
double twice_others(double n) { return 2 * (n - 1) / n; }
double twice(double) { return 2; }
double all_but_one(double n) { return n - 1; }
double each(double n) { return n; }
double across(double n) { return 2 * std::floor(n / 2); }  // messages that cross the middle, in both directions

struct FactorRow {
  Collective collective;
  double (*algbw)(double ranks);
  double (*busbw)(double ranks);  // factor of S / t, not of algbw
};

constexpr std::array rows{
    FactorRow{Collective::all_reduce, whole, twice_others},
    FactorRow{Collective::reduce_scatter, whole, others},
    FactorRow{Collective::all_gather, whole, others},
    FactorRow{Collective::broadcast, whole, whole},
    FactorRow{Collective::reduce, whole, whole},
    FactorRow{Collective::gather, whole, others},
    FactorRow{Collective::scatter, whole, others},
    FactorRow{Collective::all_to_all, whole, others},
    FactorRow{Collective::all_to_all_v, whole, others},
    FactorRow{Collective::send_receive, whole, whole},
    FactorRow{Collective::hypercube, others, others},
    FactorRow{Collective::barrier, nothing, nothing},
    FactorRow{Collective::ping_pong, whole, whole},
    FactorRow{Collective::stream, whole, whole},
    FactorRow{Collective::bidirectional, twice, whole},
    FactorRow{Collective::incast, all_but_one, all_but_one},
    FactorRow{Collective::outcast, all_but_one, all_but_one},
    FactorRow{Collective::permutation, each, whole},
    FactorRow{Collective::bisection, across, whole},
    FactorRow{Collective::pairs, whole, whole},
};

}  // namespace

BandwidthFactors bandwidth_factors(Collective collective, int ranks) noexcept {
  for (const FactorRow& row : rows)
    if (row.collective == collective && ranks > 0) return {row.algbw(ranks), row.busbw(ranks)};
  return {};
}

Bandwidth bandwidth(Collective collective, int ranks, std::uint64_t bytes, Seconds time) noexcept {
  if (!std::isfinite(time.count()) || time.count() <= 0) return {};
  const BandwidthFactors factors = bandwidth_factors(collective, ranks);
  const double gigabytes_per_second = static_cast<double>(bytes) / 1e9 / time.count();
  return {gigabytes_per_second * factors.algbw, gigabytes_per_second * factors.busbw};
}

}  // namespace railgauge
