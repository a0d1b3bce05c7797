// Estimates the width of text for the layout, in the widest of the common sans-serif fonts, which differ by a tenth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

inline constexpr double title_size = 13;  // pixels, of a card's title
inline constexpr double line_size = 11;   // of the lines below it
inline constexpr double label_size = 10;  // of a link's label

// Width in pixels of UTF-8 text in a font of `size` pixels.
[[nodiscard]] double text_width(std::string_view text, double size, bool bold = false);

// `text`, or the part of its beginning that fits `width` pixels, followed by an ellipsis. Control characters become "?".
[[nodiscard]] std::string fitted(std::string_view text, double width, double size, bool bold = false);

// The same for names, which differ at their ends: the ellipsis is nearer to the beginning.
[[nodiscard]] std::string fitted_name(std::string_view text, double width, double size, bool bold);

// Lines of `text`, broken between words: each fits unless it is a single word, or the last of `most`.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, double size,
                                               std::size_t most = static_cast<std::size_t>(-1));

}  // namespace railgauge::topo
