// Escapes untrusted text for XML, HTML and Graphviz.
#pragma once

#include <string>
#include <string_view>

namespace railgauge::topo {

// Bytes that are no UTF-8, and characters that XML forbids, become U+FFFD.
[[nodiscard]] std::string well_formed(std::string_view text);
// The same, for text and attributes of XML and HTML.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace railgauge::topo
