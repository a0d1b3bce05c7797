// What `railgauge list` prints, apart from the command line, so that it can be tested.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

struct ListOptions {
  std::string collective;  // of list algorithms; empty: all
  int ranks = 4;           // of list algorithms: for whom cost and refusals are given
  std::vector<std::filesystem::path> plugin_folders;
};

// What can be listed, in the order of --help.
[[nodiscard]] std::vector<std::string> listing_names();

// The whole text, columns for people. Throws Error(usage) that lists what there is when the subject or collective is not known.
[[nodiscard]] std::string list_text(std::string_view subject, const ListOptions& options);

}  // namespace railgauge
