// The table behind reports/bandwidth.hpp: one row a collective.
#include "reports/bandwidth.hpp"

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
double across(double n) { return 2 * std::floor(n / 2); }  // messages that cross the middle, both ways

struct Row {
  Collective collective;
  double (*algbw)(double ranks);
  double (*busbw)(double ranks);  // factor of S / t, not of algbw
};

constexpr std::array rows{
    Row{Collective::all_reduce, whole, twice_others},
    Row{Collective::reduce_scatter, whole, others},
    Row{Collective::all_gather, whole, others},
    Row{Collective::broadcast, whole, whole},
    Row{Collective::reduce, whole, whole},
    Row{Collective::gather, whole, others},
    Row{Collective::scatter, whole, others},
    Row{Collective::all_to_all, whole, others},
    Row{Collective::all_to_all_v, whole, others},
    Row{Collective::send_receive, whole, whole},
    Row{Collective::hypercube, others, others},
    Row{Collective::barrier, nothing, nothing},
    Row{Collective::ping_pong, whole, whole},
    Row{Collective::stream, whole, whole},
    Row{Collective::bidirectional, twice, whole},
    Row{Collective::incast, all_but_one, all_but_one},
    Row{Collective::outcast, all_but_one, all_but_one},
    Row{Collective::permutation, each, whole},
    Row{Collective::bisection, across, whole},
    Row{Collective::pairs, whole, whole},
};

}  // namespace

BandwidthFactors bandwidth_factors(Collective collective, int ranks) noexcept {
  for (const Row& row : rows)
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
