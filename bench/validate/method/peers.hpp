// Compares figures of hosts with those of their peers, and finds the hosts that are far below.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"

namespace railgauge::validate {

struct HostFigure {
  Index host = 0;
  std::string class_of;  // figures of one class are compared with each other
  double value = 0;      // the higher the better
};

struct Behind {
  Index host = 0;
  double value = 0, peers = 0;  // its figure, and the median of its class
  [[nodiscard]] double share() const { return value / peers; }
};

inline constexpr double least_behind = 0.05;   // a share below the median; who is less far below is not behind
inline constexpr double least_deviations = 5;  // robust standard deviations
inline constexpr std::size_t least_peers = 3;  // in a smaller class nothing is usual

// Returns the hosts that are behind, the furthest first.
[[nodiscard]] std::vector<Behind> behind_peers(std::span<const HostFigure> figures);
// Returns the median of a class; 0 where it has no figure.
[[nodiscard]] double usual(std::span<const HostFigure> figures, const std::string& class_of);

}  // namespace railgauge::validate
