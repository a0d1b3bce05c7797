// Elements of NCCL's topology XML for writing, and the values of their attributes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo::nccl_tags {

// An element. `attributes` is written into the tag unchanged.
struct Tag {
  std::string name, attributes;
  std::vector<Tag> children;
};

// Appends the element with its children to `text`, indented by `depth` levels.
void print(const Tag& tag, std::size_t depth, std::string& text);

// Foreign text made safe for an attribute that NCCL reads verbatim and other programs as XML.
[[nodiscard]] std::string harmless(std::string_view text);

class AttributeText {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += fmt::format("{}{}=\"{}\"", text_.empty() ? "" : " ", name, harmless(value));
  }
  void add(std::string_view name, std::uint64_t value) { add(name, fmt::to_string(value)); }
  void add_known(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// The mask "ffff,ffffffff,..." of a list "0-47,96-143": words of 32 bits, the highest first. Empty when it is too long for an
// attribute.
[[nodiscard]] std::string mask_of(std::string_view list);

// The rate of a PCIe link. When only the bandwidth is known: the slowest generation that reaches it on 16 lanes, else on fewer.
[[nodiscard]] Rate rate_of(const Link& link);

}  // namespace railgauge::topo::nccl_tags
