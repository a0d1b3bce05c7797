// By which names two sources mean one device.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether a UUID names a device at all: not where it is nil, blacked out or a word for "unknown": "N/A", "[redacted]",
// "xxxxxxxx-xxxx-...", "GPU-00000000-0000-...".
[[nodiscard]] bool names_a_device(std::string_view uuid);

// What NVML calls this GPU, as its sources tell it.
[[nodiscard]] std::optional<std::size_t> nvml_number(const Node& gpu);

// Of each node what NVML calls this GPU, as its sources tell it; none for all else.
[[nodiscard]] std::vector<std::optional<std::size_t>> nvml_numbers(const Graph& graph);

// The same where nobody tells it: NVML counts NVIDIA's GPUs in the order of their PCI addresses. Only where `others` are the
// numbers of as many GPUs, from 0 on, and none of this graph is told; else as given.
void count_nvml_numbers(const Graph& graph, std::vector<std::optional<std::size_t>>& numbers,
                        const std::vector<std::optional<std::size_t>>& others);

// Names that a device has within its machine, and no other: "gpu 1" of NVML's number, "verbs mlx5_0", "interface ib0",
// "port mlx5_0/1". None where there are none.
[[nodiscard]] std::vector<std::string> names_in_machine(const Node& node, const std::optional<std::size_t>& number);

}  // namespace railgauge::topo
