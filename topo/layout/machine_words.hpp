// The text on the cards of a machine's picture.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topo/layout/machine_tree.hpp"
#include "topo/view.hpp"

namespace railgauge::topo::layout {

inline constexpr double card_width = 120;  // pixels

class MachineWords {
 public:
  // Index and view are of one graph, and must outlive this object.
  MachineWords(const Index& index, const View& view, const Place& tree);
  [[nodiscard]] std::string name_of(std::size_t place) const;               // "GPU 3", "mlx5_0"
  [[nodiscard]] std::vector<std::string> lines_of(const Item& item) const;  // of a card
  [[nodiscard]] std::string rail_of(std::size_t node) const;                // of a NIC; empty when it has none

 private:
  // The k-th NIC near a GPU is on rail k, unless the graph states its rail.
  void number_rails(const Place& place);

  const Index& index_;
  const View& view_;
  std::map<std::size_t, std::string> rails_;
};

}  // namespace railgauge::topo::layout
