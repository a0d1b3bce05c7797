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

// Writes the page, or results in another format, whole or not at all. Gives 0; throws Error(usage), which names the file and the
// line where it is one of those.
int run_report(const ReportOptions& options);

}  // namespace railgauge
