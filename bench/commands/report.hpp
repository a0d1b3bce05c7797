// `railgauge report` without its command line, so that tests can call it.
#pragma once

#include <string>
#include <vector>

namespace railgauge {

struct ReportOptions {
  std::vector<std::string> files;     // JSON Lines of `bench -o`
  std::string output;                 // must not exist; "-" is standard output
  std::string format;                 // "html" or one of result_formats(); empty: by the extension of `output`
  std::vector<std::string> topology;  // sources of a picture; none for no picture
  std::string history;                // file or server with runs of these cases; empty: none
};

// Whether --format and the name of -o ask for a page. Throws Error(usage) where they contradict each other, and for a page
// without a name ("-" or empty: standard output).
[[nodiscard]] bool asks_for_page(const std::string& format, const std::string& output);

// Writes the page, or results in another format, whole or not at all. Gives 0; throws Error(usage), which names the file and the
// line where it is one of those.
int run_report(const ReportOptions& options);

}  // namespace railgauge
