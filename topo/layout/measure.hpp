// How wide text is, near enough, before anyone draws it: in the widest of the common sans-serif types, which differ by a tenth.
#pragma once

#include <string>
#include <string_view>

namespace railgauge::topo {

inline constexpr double title_size = 13;  // pixels, of a card's title
inline constexpr double line_size = 11;   // of the lines below it
inline constexpr double label_size = 10;  // of a link's label

// Pixels of UTF-8 text set in `size` pixels.
[[nodiscard]] double text_width(std::string_view text, double size, bool bold = false);

// `text`, or as much of its beginning as fits `width` with an ellipsis behind it. Control characters become "?".
[[nodiscard]] std::string fitted(std::string_view text, double width, double size, bool bold = false);

// Names differ at their ends: the ellipsis stands nearer to the beginning.
[[nodiscard]] std::string fitted_name(std::string_view text, double width, double size, bool bold);

}  // namespace railgauge::topo
