// Lines and words of nvidia-smi's output.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo::smi {

[[nodiscard]] std::optional<unsigned> whole(std::string_view text);  // a number up to 65535
// 3 for the word "GPU3" and the stem "GPU"; nothing for any other form.
[[nodiscard]] std::optional<unsigned> numbered(std::string_view word, std::string_view stem);

[[nodiscard]] bool is_p2p(std::string_view word);   // of `topo -p2p`
[[nodiscard]] bool is_cell(std::string_view word);  // of any of its tables
// Whether the word is the heading of a column: GPU0, NIC0, or a verbs device as mlx5_0.
[[nodiscard]] bool is_device(std::string_view word);

[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);
// The line without a terminal's colours and without quotes around it.
[[nodiscard]] std::string bare(std::string_view line);
// The columns when the line is the header of a table; else nothing.
[[nodiscard]] std::vector<std::string> head_of(const std::string& line);

// "GPU 0: NVIDIA H100 (UUID: GPU-...)".
struct Heading {
  unsigned gpu;
  std::string name, uuid;
};
[[nodiscard]] std::optional<Heading> heading_of(std::string_view line);

// What NVLinks of this speed carry, in GB/s for each, as `nvlink -s` prints it; nothing where it is 0.
void carry(Link& made, double speed);

// "NVML: Unable to retrieve NVLink information as all links are inActive", in place of the lines of a GPU's links.
[[nodiscard]] bool is_all_inactive(std::string_view line);

struct SmiLink {
  double speed = 0;  // GB/s as printed; 0 is not told
  bool inactive = false;
  std::string remote;    // PCI address
  unsigned far_end = 0;  // the number of the link there, from 1
};

// "Link 0: 25 GB/s", "Link 0: <inactive>" or "Link 0: Remote Device 00000000:07:00.0: Link 46", in words, at least three, into
// `it`. Returns what is wrong with it, for a sentence; empty where nothing is.
[[nodiscard]] std::string read_link(const std::vector<std::string_view>& words, SmiLink& it);

using Pair = std::pair<std::string, std::string>;  // columns, in the order of the table
using Cells = std::map<Pair, std::map<std::string, std::string>>;

// What the NV# of one GPU's row add up to, and the most of one cell.
struct NvlinkRow {
  unsigned sum = 0, most = 1;
};
[[nodiscard]] std::map<unsigned, NvlinkRow> nvlink_rows(const Cells& cells);

// Calls each(line, number), numbers from 1.
template <class Each>
void each_line(std::string_view text, const Each& each) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace railgauge::topo::smi
