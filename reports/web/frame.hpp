// A page of sections with charts: links to its sections, and the script that draws and sorts, in the skeleton of base/page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::web {

struct Section {
  std::string id;     // a word
  std::string title;  // plain text of ours
  std::string body;   // HTML
};

// All of it is HTML already (reports/web/inert.hpp).
struct Frame {
  std::string title;            // of the window
  std::string heading;          // of the page
  std::string what;             // a line below it, without its dot
  std::string program;          // that made it: "railgauge 0.1.0"
  std::string data;             // JSON for the charts: src/data.ts
  std::string_view style = {};  // CSS beside that of all pages
};

[[nodiscard]] bool has_charts() noexcept;  // whether they were built into this program

// One file that needs no network. Ends with a newline.
[[nodiscard]] std::string framed(const Frame& frame, const std::vector<Section>& sections);

}  // namespace railgauge::web
