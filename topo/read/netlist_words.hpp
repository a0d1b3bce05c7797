// Words at the beginning of lines of ibnetdiscover and ibsim.
#pragma once

#include <span>
#include <string_view>

#include "topo/read/fabric.hpp"

namespace railgauge::topo::netlist {

struct NodeWord {
  std::string_view word;
  FabricKind kind;
};
[[nodiscard]] std::span<const NodeWord> node_words() noexcept;  // static storage

[[nodiscard]] bool is_heading(std::string_view line);

// Warnings of the library, which shells mix in where both streams go into one file.
[[nodiscard]] bool is_warning(std::string_view line);

}  // namespace railgauge::topo::netlist
