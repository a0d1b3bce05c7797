// The map of the fabric as an element of SVG: the picture of topo/layout where its switches are known, else hosts by rails as a
// grid. Colours stand in topo/draw/web/picture.css and in page.css; whatever a colour says, a shape, a word or a number says too.
#pragma once

#include <string>
#include <vector>

#include "reports/validation/validation.hpp"

namespace railgauge::validation {

struct MapPicture {
  std::string svg;                 // harmless as it stands
  std::string caption;             // plain text: how to read it, and what is left out
  std::vector<std::string> marks;  // shown(): what the numbers in the picture stand for, from 1 on
};

[[nodiscard]] MapPicture draw_map(const Validation& validation);

// How far below its peers a link is drawn as low, and as far below.
inline constexpr double low_share = 0.97, far_below_share = 0.9;

}  // namespace railgauge::validation
