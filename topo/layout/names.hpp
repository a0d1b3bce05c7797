// Names of one sort in a picture: where they must be cut, they are cut where they do not differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

class CommonParts {
 public:
  // Of all names that stand beside each other. Fewer than two share nothing.
  explicit CommonParts(const std::vector<std::string>& names);

  // `name` itself where it fits `width` pixels in `size` pixels; else with an ellipsis in place of the longest stretch of words
  // that all names have at the same place; else as fitted_name() of topo/layout/measure.hpp cuts it.
  [[nodiscard]] std::string fitted(std::string_view name, double width, double size, bool bold) const;

 private:
  std::vector<std::string> words_;  // that all names share, by place; empty where they differ
};

}  // namespace railgauge::topo
