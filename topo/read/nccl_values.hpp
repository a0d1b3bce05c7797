// Values of NCCL's topology XML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo::nccl_values {

// The whole text as a number; with base 16 a prefix 0x is allowed. Nothing when the text is no number.
[[nodiscard]] std::optional<std::uint64_t> whole(std::string_view text, int base = 10);
// Gigatransfers per second of "32.0 GT/s PCIe", "8 GT/s"; 0 for "" and "Unknown".
[[nodiscard]] double gigatransfers(std::string_view text);
// The list "0-47" of a mask "0000ffff,ffffffff"; empty when the text is no mask.
[[nodiscard]] std::string threads_of(std::string_view mask);
// The key "0x..." of a GUID, whose 8 bytes NCCL writes in the processor's byte order. Empty for the number of a socket.
[[nodiscard]] std::string guid_of(std::string_view text);
// Nominal and usable bandwidth of one xGMI link, by `gcn`; zeros for an unknown one.
[[nodiscard]] Bandwidth xgmi_bandwidth(std::string_view gcn);

}  // namespace railgauge::topo::nccl_values
