// How fast a cell of a matrix is beside the median of its like: one scale for the terminal and for the page.
#pragma once

#include <array>
#include <cstddef>

namespace railgauge {

struct Shade {
  double least;            // speed, as a share of the median's
  const char* glyph;       // in a terminal
  const char* light_page;  // colours of one hue: the stronger, the faster; none of them alarms
  const char* dark_page;
};
inline constexpr std::array shades{Shade{0.9, "█", "#2b6a9e", "#9ccbee"}, Shade{0.7, "▓", "#5b95c4", "#6fa6d0"},
                                   Shade{0.4, "▒", "#97bedd", "#467ca6"}, Shade{0.15, "░", "#c8dded", "#2c5474"},
                                   Shade{0, "·", "#e9f1f8", "#1d3346"}};

// Its place in `shades`.
[[nodiscard]] constexpr std::size_t shade_of(double seconds, double median) noexcept {
  const double speed = seconds > 0 ? median / seconds : 1;
  for (std::size_t i = 0; i < shades.size(); ++i)
    if (speed >= shades[i].least) return i;
  return shades.size() - 1;
}

}  // namespace railgauge
