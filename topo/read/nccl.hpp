// NCCL's and RCCL's own files: the topology (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE) and the rings and trees chosen on it
// (NCCL_GRAPH_FILE, NCCL_GRAPH_DUMP_FILE).
#pragma once

#include <cstddef>
#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// What NCCL's parser takes (src/graph/xml.h, xml.cc). It takes neither a prolog nor a tab nor a line's end inside a tag.
struct NcclLimits {
  static constexpr std::size_t nodes = 256;       // elements, for each rank
  static constexpr std::size_t children = 640;    // of an element
  static constexpr std::size_t attributes = 16;   // of an element; it drops those behind
  static constexpr std::size_t characters = 255;  // of a name or a value
};

// By the name of the first element: also of a fragment, or of a file cut off, so that the reader can say what is wrong.
[[nodiscard]] bool is_nccl(std::string_view text);
[[nodiscard]] bool is_nccl_graph(std::string_view text);

// The attributes of each element stay in the attributes "nccl_system", "nccl_cpu", "nccl_pci", "nccl_gpu", "nccl_nic" and
// "nccl_net" of the node, or "nccl_a" and "nccl_b" of the link (written in the GPU at that end), as they stand in the tag, so
// that to_nccl() writes the same. Throws Error(usage) "ORIGIN:LINE: ...".
[[nodiscard]] Graph read_nccl(const Reading&);

// GPUs and NICs with a link of kind path between those that follow each other; the channels stand in the link's attribute
// "nccl_channels", and each whole in that of the machine.
[[nodiscard]] Graph read_nccl_graph(const Reading&);

// The fields of a PCI address as railgauge's keys have them, "0000:16:00.0", from "00000000:16:00.0" or "0000:16:00.0"; empty
// when it is none.
[[nodiscard]] std::string pci_address(std::string_view text);

}  // namespace railgauge::topo
