// Models of GPUs: of which generation they are, and whether NVLink or xGMI joins GPUs of that model. A source that shows no such
// link proves nothing where the model may have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "topo/graph.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

enum class GpuLinks : std::uint8_t {
  unknown,  // the source names no model
  never,    // PCIe alone
  some,     // depends on the board or on a bridge: PCIe cards
  always,   // boards with NVLink or xGMI between their GPUs
};

struct GpuModel {
  std::string_view generation;  // "Hopper", "CDNA 3"; empty where it is unknown
  std::string_view link;        // "NVLink" or "xGMI"; empty where it is unknown
  GpuLinks links = GpuLinks::unknown;
  bool multicast = false;    // its NVSwitches add and multiply (NVLS)
  bool rack = false;         // of a rack whose NVSwitches join several machines
  bool rack_on_arm = false;  // the same, where the processor is an Arm
};

// By the words of the node's name and of the attribute model, else by compute_capability.
[[nodiscard]] GpuModel gpu_model(const Node& gpu);
// Whether the node's name or its attribute model has this word: "80GB".
[[nodiscard]] bool model_has(const Node& gpu, std::string_view word);

// Whether the graph would have NVLinks or xGMI links of this GPU if there were any: its model has none, or a source lists them
// all.
[[nodiscard]] bool lists_links(const View& view, std::size_t gpu);

}  // namespace railgauge::topo
