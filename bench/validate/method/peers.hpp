// Figures of hosts beside those of their peers: who is far below them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"

namespace railgauge::validate {

struct HostFigure {
  Index host = 0;
  std::string class_of;  // of figures that can be compared
  double value = 0;      // more is better
};

struct Behind {
  Index host = 0;
  double value = 0, peers = 0;  // the median of its class
  [[nodiscard]] double share() const { return value / peers; }
};

inline constexpr double least_behind = 0.05;   // what is less below the median is nobody's fault
inline constexpr double least_deviations = 5;  // robust standard deviations
inline constexpr std::size_t least_peers = 3;  // in a smaller class it is unknown what is usual

// The furthest behind first.
[[nodiscard]] std::vector<Behind> behind_peers(std::span<const HostFigure> figures);
// Of a class; 0 where it has none.
[[nodiscard]] double usual(std::span<const HostFigure> figures, const std::string& class_of);

}  // namespace railgauge::validate
