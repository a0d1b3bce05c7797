// Sizes of the drawing, in its own units (pixels where it is shown as large as it is), and words that both layouts share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/schedule/picture/picture.hpp"

namespace railgauge::picture {

inline constexpr double band_margin = 9;  // above the first lane of a rank and below the last

// Between lanes, of so many in all.
[[nodiscard]] double pitch_of(std::size_t lanes) noexcept;

using BlockRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
// "3", "3-4", "3,7", "3,7,..": short where it stands beside an arrow.
[[nodiscard]] std::string text_of(const BlockRanges& blocks, bool in_short);
// Title, subtitle and notes.
void add_words(Picture& picture, const Request& request, Collective collective, std::size_t ranks, bool right);
// "0.125 S (128 KiB)".
[[nodiscard]] std::string share_text(double share, std::uint64_t bytes);
// Throws Error(usage) where there are too many.
void check_items(std::size_t items, const std::string& name);
// Orders items by their sort. Messages in the same step between the same two stand beside each other, and a lane that sends many
// has no words on each.
void finish_items(Picture& picture);

}  // namespace railgauge::picture
