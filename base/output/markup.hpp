// Text from strangers, for XML, HTML and Graphviz.
#pragma once

#include <string>
#include <string_view>

namespace railgauge::topo {

// What is no UTF-8, and what XML forbids, becomes U+FFFD.
[[nodiscard]] std::string well_formed(std::string_view text);
// The same, for text and attributes of XML and HTML.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace railgauge::topo
