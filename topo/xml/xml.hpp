// Checks that a text is well-formed XML, and reports faults with their line.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace railgauge::topo {

struct XmlAttribute {
  std::string_view element, name, value;  // the value is verbatim, with entities unresolved
  std::size_t line;                       // counted from 1
  std::size_t depth;                      // of the element; 1 is the root
};

// Calls `element` for each opening tag and then `attribute` for each of its attributes; either may throw. Throws Error(usage)
// "ORIGIN:LINE: ..." when the text is not well-formed, declares entities (which could expand without bound), nests deeper than
// 200 elements, or has an element with more than 200 attributes.
void check_xml(std::string_view text, std::string_view origin, const std::function<void(const XmlAttribute&)>& element,
               const std::function<void(const XmlAttribute&)>& attribute);

}  // namespace railgauge::topo
