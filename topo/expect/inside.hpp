// What GPUs of one domain have between them: NVLink, xGMI, or PCIe where a source shows that there is nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "topo/graph.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

struct Inside {
  double bandwidth = 0;   // GB/s of each GPU, each direction; 0 is unknown
  std::string words;      // with the numbers, or why it is unknown and which source would show it
  bool switched = false;  // each GPU has links to NVSwitches
};

// Of the GPUs at these places. `joined`: links that are up join all GPUs of each machine.
[[nodiscard]] Inside inside_of(const View& view, std::span<const std::size_t> gpus, bool joined);

// Why there may be links between these GPUs that the graph does not show, and which source would show them; empty where it has
// them all.
[[nodiscard]] std::string missing_links(const View& view, std::span<const std::size_t> gpus);

}  // namespace railgauge::topo
