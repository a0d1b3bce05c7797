// Values of NCCL's topology XML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge::topo::nccl_values {

// All of the text as a number; with base 16 it may begin with 0x. Nothing for what is none.
[[nodiscard]] std::optional<std::uint64_t> whole(std::string_view text, int base = 10);
// "32.0 GT/s PCIe", "8 GT/s"; 0 for "" and "Unknown".
[[nodiscard]] double gigatransfers(std::string_view text);
// "0000ffff,ffffffff" as "0-47"; empty for what is no mask.
[[nodiscard]] std::string threads_of(std::string_view mask);
// As "0x...": NCCL writes the 8 bytes of a GUID in the order of the processor. Empty for a socket's number.
[[nodiscard]] std::string guid_of(std::string_view text);
// Usable GB/s of one xGMI link, by `gcn` (src/graph/topo.h of RCCL); 0 for an unknown one.
[[nodiscard]] double xgmi_usable(std::string_view gcn);

}  // namespace railgauge::topo::nccl_values
