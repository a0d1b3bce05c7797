// What each NIC is there for: traffic between GPUs, storage, or managing the machine. Topology alone does not say it, so this is
// a guess by link layer, speed, name and place, which a person can overrule.
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
  none,  // no NIC, or a virtual function of one
};

// For each node of the graph. `patterns` with * and ?, separated by commas, of device names, interfaces or PCI addresses: what
// matches is compute, and no other NIC is. Empty: by the guess.
[[nodiscard]] std::vector<NicRole> nic_roles(const View& view, std::string_view patterns);

// Whether `text` is what `pattern` says: * any characters, ? one.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace railgauge::topo
