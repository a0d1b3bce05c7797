// What every page of ours has: one file for a browser, with a heading, buttons, a body, a footer, data and a script. It is light
// or dark as the viewer prefers, or as the classes "light" and "dark" of its root say, and its policy forbids every request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::page {

// Texts are HTML already: the caller escapes what is not its own (base/output/markup.hpp).
struct Document {
  std::string title;                 // of the window
  std::string heading;               // of the page
  std::vector<std::string> lines;    // paragraphs below it
  std::string tools;                 // buttons beside the heading; a script may add some
  std::string skip;                  // words of the link that leads past all that to the body: "To the verdict"
  std::string before, main, after;   // the body, and what stands above and below it
  std::string main_attributes = {};  // of the body: " style=..." with a blank before
  std::string colours = {};          // class of all: which colours a drawing in it has
  std::string program;               // that made it: "railgauge 0.1.0"
  std::string_view style = {};       // CSS beside that of all pages
  std::string data;                  // JSON, put into the element "data"
  std::string script;                // script elements
  std::string policy;                // which scripts may run, as a content security policy names them: "'none'"
};

// One file that needs no network. Ends with a newline.
[[nodiscard]] std::string text_of(const Document& document);

}  // namespace railgauge::page
