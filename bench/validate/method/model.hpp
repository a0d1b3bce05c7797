// A robust additive model of the logarithm of bandwidth: kind of pair + rail + sending host + receiving host. It says what is
// usual, how much measurements scatter and how far they agree, and which hosts are outliers (docs/validate-method.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"

namespace railgauge::validate {

// A measurement as the model takes it. Samples of one group were taken of one pair in one round.
struct Sample {
  Index from = 0, to = 0, rail = 0;
  Index kind = 0;        // models of both hosts, and distance
  Index group = 0;       // ascending
  bool forward = false;  // from the smaller to the larger host
  double log = 0;        // natural logarithm of GB/s
};

// Pairs that should be equally fast: of the same models of host, at the same distance.
class Kinds {
 public:
  explicit Kinds(const Fleet& fleet);  // which must outlive it
  [[nodiscard]] Index of(Index from, Index to, Index rail) const;
  [[nodiscard]] Index model(Index host) const { return model_[host]; }  // the same for hosts of one model
  [[nodiscard]] Index count() const;

 private:
  const Fleet& fleet_;
  std::vector<Index> model_;  // of hosts
  Index models_ = 0;
};

// Samples of one group are neighbours in the list. Measurements that are no positive number are left out and counted.
struct Samples {
  std::vector<Sample> list;
  Index groups = 0, kinds = 0;
  std::size_t left_out = 0;
};
// Throws Error(usage) when a measurement names a host or a rail that the fleet lacks, or is of a host with itself.
[[nodiscard]] Samples samples_of(const Fleet& fleet, std::span<const Measurement> measurements);

// Robust standard deviations, in logarithms.
struct Scales {
  double all = 0;     // of one sample
  double shared = 0;  // of the median over the rails of a pair, a direction and a round
  double own = 0;     // of one sample around that median
};
inline constexpr double finest = 0.0005;  // the least deviation that is assumed, though figures may be equal
[[nodiscard]] Scales scales_of(const Samples& samples, std::span<const double> values);
// Outliers are cut to `clip` scales, so that a few disturbed samples decide nothing: first the part that all rails share, then
// what each rail is off beside it.
inline constexpr double clip = 2.5;
[[nodiscard]] std::vector<double> cut(const Samples& samples, std::span<const double> values, const Scales& scales);

// How samples of one group vary together: variances and covariances of the values, in their squared unit. What the rails of a
// pair share does not get more exact by measuring more rails.
struct Spread {
  double own = 0;        // variance of one sample
  double direction = 0;  // covariance of two samples of one direction on two rails
  double pair = 0;       // covariance of two samples of opposite directions
  // Variances of the sum and of the mean of so many samples of one group in each direction.
  [[nodiscard]] double of_sum(std::size_t forward, std::size_t backward) const;
  [[nodiscard]] double of_mean(std::size_t forward, std::size_t backward) const;
};
// Estimates the spread of values, one for each sample, around their mean.
[[nodiscard]] Spread spread_of(const Samples& samples, std::span<const double> values);

// How far a host is off its peers of the same model, in one direction or both.
struct HostEffect {
  Direction direction = Direction::both;
  double slower = 0;  // as a share: 0.03 is 3 % slower than usual
  double z = 0;  // in standard errors, or in deviations between hosts where these are larger; 0 where there are too few rounds
  double p = 1;  // one-sided p value, adjusted for all hosts and directions (Holm)
};

struct Model {
  Scales scales;                      // of samples around the model
  double hosts_differ = 0;            // standard deviation between hosts, beyond the scatter of samples
  Spread spread;                      // of the same residuals, cut
  std::vector<double> kinds;          // usual logarithm of the bandwidth of each kind of pair; NaN where none was measured
  std::vector<double> rails;          // what each rail is off, as a logarithm; their median is 0
  std::vector<double> send, receive;  // what each host is off, as a logarithm; the median of each model of host is 0
  std::vector<double> off_usual;      // of each sample: its log less that of its kind and rail
  std::vector<HostEffect> effects;    // three for each host: both, out, in
  double rounds = 0;                  // groups that a host is in, on average
};

// Where more hosts than this share are slow, what most of them have is not taken for what is usual.
inline constexpr double many_hosts = 0.25;
inline constexpr Index least_rounds = 3;  // a host or a link with fewer is not judged

[[nodiscard]] Model fit(const Fleet& fleet, const Samples& samples);

}  // namespace railgauge::validate
