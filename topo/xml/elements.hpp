// XML as a tree of elements whose attributes stay as they were written: what NCCL's own parser, which knows no entities, reads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railgauge::topo {

struct Element {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  // in the order of the file
  std::size_t line = 0;                                                   // counted from 1
  std::vector<std::size_t> children;                                      // places in the vector that read_elements() gives
};

struct ElementLimits {
  std::size_t elements, attributes, characters;  // of the file, of an element, of a name or value
  std::size_t kept;                              // attributes of an element; those behind are left out
};

// The outermost element first. An element that `known(parent, name)` does not want is left out with all inside; the parent of the
// outermost is "". The views point into `text`. Throws Error(usage) as check_xml() does, and beyond the limits.
[[nodiscard]] std::vector<Element> read_elements(std::string_view text, std::string_view origin, const ElementLimits& limits,
                                                 const std::function<bool(std::string_view, std::string_view)>& known);

// Empty when there is no such attribute.
[[nodiscard]] std::string_view value_of(const Element&, std::string_view attribute) noexcept;
[[nodiscard]] bool has_attribute(const Element&, std::string_view attribute) noexcept;

// The attributes as they stand in a tag: `busid="0000:16:00.0" class="0x060400"`, and back from that.
[[nodiscard]] std::string written(const Element&);
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> parsed(std::string_view written);
[[nodiscard]] std::string_view written_value(std::string_view written, std::string_view attribute);

// The name of the first element, behind blanks, prolog and comments; empty when there is none within the first 64 KiB.
[[nodiscard]] std::string_view first_element(std::string_view text);

}  // namespace railgauge::topo
