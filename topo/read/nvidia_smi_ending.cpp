#include "topo/read/nvidia_smi_ending.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topo/notes.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/nvidia_smi_words.hpp"

namespace railgauge::topo::smi {

void Ending::heading(const std::string& gpu_name, unsigned gpu) { blocks_.push_back({gpu_name, gpu}); }

void Ending::link(std::size_t line, const std::vector<std::string_view>& words) {
  link_line_ = line;
  last_ = words.back();
  if (blocks_.empty()) return;
  if (words.back() == "GB/s" || words.back() == "<inactive>")
    ++blocks_.back().rates;
  else if (words.size() > 2 && words[2] == "Remote")
    ++blocks_.back().remotes;
}

void Ending::other(std::size_t line, std::string_view text) {
  if (!blocks_.empty()) ++blocks_.back().others;
  other_line_ = line;
  if (text.starts_with("GPU ") || text.starts_with("Link")) prose_line_ = line;
}

void Ending::row(std::size_t line, const std::vector<std::string_view>& behind_cells) {
  row_line_ = line;
  rows_.emplace_back(behind_cells.begin(), behind_cells.end());
}

void Ending::legend(std::size_t line, std::string_view name) {
  legend_line_ = line;
  legend_ = name;
}

std::string Ending::missing_links() const {
  if (blocks_.empty() || blocks_.back().others > 0 || blocks_.back().remotes > 0) return {};
  const Block& last = blocks_.back();
  std::size_t most = 0;
  for (const Block& block : blocks_)
    if (block.name == last.name && block.remotes == 0) most = std::max(most, block.rates);
  if (last.rates >= most) return {};
  return fmt::format("the list of GPU {} ends after {} of {} links, which others of its model have", last.gpu, last.rates, most);
}

bool Ending::check_open_line(const Reading& reading) const {
  if (!is_unterminated(reading.text)) return false;
  const std::size_t line = last_line_of(reading.text);
  if (line == prose_line_) refuse_open_line(reading);
  if (line == link_line_ && last_ != "GB/s" && last_ != "<inactive>") refuse_open_line(reading);
  if (line == row_line_ && !rows_.back().empty()) {
    const std::vector<std::string>& row = rows_.back();
    const bool known = row.back() == "N/A" || std::any_of(rows_.begin(), rows_.end() - 1, [&](const auto& other) {
                         return other.size() == row.size() && other.back() == row.back();
                       });
    if (!known) refuse_open_line(reading);
  }
  if (line == row_line_ && rows_.back().empty() &&
      std::any_of(rows_.begin(), rows_.end(), [](const auto& other) { return !other.empty(); }))
    refuse_cut(reading, "the affinities");
  if (line == legend_line_ && !is_device(legend_)) refuse_open_line(reading);
  const std::size_t begin = reading.text.find_last_not_of(" \t\r");
  const bool indented = begin == std::string::npos || reading.text[begin] == '\n';  // what should stand behind is not there
  return line == legend_line_ || line == other_line_ || indented;
}

std::string fault_of_link(const std::vector<std::string_view>& words) {
  const std::string_view word = words[2];
  if (word.starts_with('<') && word != "<inactive>") return fmt::format("expected <inactive>, found \"{}\"", word.substr(0, 60));
  if (word == "Remote" && words.size() < 5) return "expected the PCI address of the remote device, but the line ends";
  const bool number = word.front() >= '0' && word.front() <= '9';
  if (number && (words.size() < 4 || words[3] != "GB/s")) return "expected a bandwidth in GB/s, as 26.562 GB/s";
  return {};
}

}  // namespace railgauge::topo::smi
