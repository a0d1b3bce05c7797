// The role of each NIC: traffic between GPUs, storage, or management. The topology does not state it, so this is a guess by link
// layer, speed, name and place, which the user can override.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topo/view.hpp"

namespace railgauge::topo {

enum class NicRole : std::uint8_t {
  compute,
  storage,
  management,
  none,  // not a NIC, or a virtual function
};

// The role of each node, by place. `patterns` have * and ?, are separated by commas, and match device names, interfaces or PCI
// addresses: NICs that match are compute, and no others. Empty: the guess decides.
[[nodiscard]] std::vector<NicRole> nic_roles(const View& view, std::string_view patterns);

// Whether the whole of `text` matches `pattern`: * is any number of characters, ? is one.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace railgauge::topo
