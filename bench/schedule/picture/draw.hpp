// Pictures of algorithms as one SVG, or as a page that is zoomed and says what each arrow is.
#pragma once

#include <string>
#include <string_view>

#include "bench/schedule/picture/picture.hpp"

namespace railgauge::picture {

[[nodiscard]] std::string draw_svg(const Picture& picture);
[[nodiscard]] std::string draw_page(const Picture& picture);

// Parts of both.
[[nodiscard]] std::string shapes_of(const Picture& picture);
[[nodiscard]] std::string_view class_of(Sort sort) noexcept;
[[nodiscard]] std::string_view words_of(Sort sort) noexcept;  // of the legend
[[nodiscard]] std::string sample_of(Sort sort);               // of the legend: shapes in 36 by 14
[[nodiscard]] bool uses(const Picture& picture, Sort sort);

namespace web {

// The files of bench/schedule/picture/web as strings, which the build makes.
extern const std::string_view rounds_css;  // of the drawing, alone or in a page
extern const std::string_view page_js;

}  // namespace web

}  // namespace railgauge::picture
