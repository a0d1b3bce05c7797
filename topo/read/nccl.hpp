// NCCL's and RCCL's own files: the topology (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE) and the rings and trees chosen on it
// (NCCL_GRAPH_FILE, NCCL_GRAPH_DUMP_FILE).
#pragma once

#include <cstddef>
#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Limits of NCCL's parser (src/graph/xml.h, xml.cc). It accepts no prolog, no tab, and no line break inside a tag.
struct NcclLimits {
  static constexpr std::size_t nodes = 256;       // elements, for each rank
  static constexpr std::size_t children = 640;    // of an element
  static constexpr std::size_t attributes = 16;   // of an element; it drops further ones
  static constexpr std::size_t characters = 255;  // of a name or a value
};

// Decided by the name of the first element, also for a fragment or a truncated file, so that the reader can report the fault.
[[nodiscard]] bool is_nccl(std::string_view text);
[[nodiscard]] bool is_nccl_graph(std::string_view text);

// The attributes of each element stay in the attributes "nccl_system", "nccl_cpu", "nccl_pci", "nccl_gpu", "nccl_nic" and
// "nccl_net" of the node, or "nccl_a" and "nccl_b" of the link (written in the GPU at that end), unchanged, so
// that to_nccl() writes the same. Throws Error(usage) "ORIGIN:LINE: ...".
[[nodiscard]] Graph read_nccl(const Reading&);

// GPUs and NICs, with a link of kind path between neighbours in a channel. The link's attribute "nccl_channels" lists its
// channels, the machine's describes each channel. Throws Error(usage) "ORIGIN:LINE: ...".
[[nodiscard]] Graph read_nccl_graph(const Reading&);

// The key "0000:16:00.0" of a PCI address "00000000:16:00.0" or "0000:16:00.0"; empty when the text is no PCI address.
[[nodiscard]] std::string pci_address(std::string_view text);

}  // namespace railgauge::topo
