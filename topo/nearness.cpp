// Walks up from both devices to the first node that holds them.
#include "topo/nearness.hpp"

#include <algorithm>
#include <vector>

namespace railgauge::topo {

Nearness nearness(const View& view, std::size_t a, std::size_t b) {
  std::vector<std::size_t> up;
  for (std::size_t node = a; node != View::none; node = view.parent(node)) up.push_back(node);
  std::size_t hops = 0;
  for (std::size_t node = b; node != View::none; node = view.parent(node), ++hops) {
    const auto found = std::find(up.begin(), up.end(), node);
    if (found == up.end()) continue;
    hops += static_cast<std::size_t>(found - up.begin());
    switch (view.node(node).kind) {
      case Kind::pci_root:
        return {1, hops};
      case Kind::numa:
        return {2, hops};
      case Kind::package:
        return {3, hops};
      case Kind::machine:
        return {4, hops};
      default:
        return {0, hops};
    }
  }
  return {};
}

}  // namespace railgauge::topo
