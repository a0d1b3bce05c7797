// Checks that a text is well-formed XML, without building anything, so that a fault is told with its line.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace railgauge::topo {

struct XmlAttribute {
  std::string_view element, name, value;  // the value as written, entities not resolved
  std::size_t line;                       // counted from 1
  std::size_t depth;                      // of the element: 1 is the root
};

// Calls `element` for each opening tag and then `attribute` for each of its attributes; either may throw.
// Throws Error(usage) "ORIGIN:LINE: ..." where the text is not well-formed, declares entities (a bomb, in a machine's
// description), nests deeper than 200 elements or gives one more than 200 attributes. `origin` is what stands in front of the
// line's number.
void check_xml(std::string_view text, std::string_view origin, const std::function<void(const XmlAttribute&)>& element,
               const std::function<void(const XmlAttribute&)>& attribute);

}  // namespace railgauge::topo
