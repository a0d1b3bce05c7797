// XML as a tree of elements with verbatim attributes, as NCCL's own parser reads it, which knows no entities.
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
  std::vector<std::size_t> children;                                      // places in the result of read_elements()
};

struct ElementLimits {
  std::size_t elements, attributes, characters;  // in the file, in an element, in a name or value
  std::size_t kept;                              // attributes of an element; further ones are left out
};

// The root element is first. Leaves out an element with its content when `known(parent, name)` is false; `parent` is "" for the
// root. The views point into `text`. Throws Error(usage) as check_xml() does, and for a text beyond the limits.
[[nodiscard]] std::vector<Element> read_elements(std::string_view text, std::string_view origin, const ElementLimits& limits,
                                                 const std::function<bool(std::string_view, std::string_view)>& known);

// The value of an attribute; empty when there is none.
[[nodiscard]] std::string_view value_of(const Element&, std::string_view attribute) noexcept;
[[nodiscard]] bool has_attribute(const Element&, std::string_view attribute) noexcept;

// The attributes in the notation of a tag, `busid="0000:16:00.0" class="0x060400"`; parsed() and written_value() read that.
[[nodiscard]] std::string written(const Element&);
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> parsed(std::string_view written);
[[nodiscard]] std::string_view written_value(std::string_view written, std::string_view attribute);

// The name of the first element, after blanks, prolog and comments; empty when there is none in the first 64 KiB.
[[nodiscard]] std::string_view first_element(std::string_view text);

}  // namespace railgauge::topo
