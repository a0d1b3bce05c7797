#include "topo/read/nvidia_smi_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "topo/path.hpp"
#include "topo/rates.hpp"
#include "topo/read/nccl.hpp"
#include "topo/read/nvidia_smi.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::smi {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

}  // namespace

std::optional<unsigned> whole(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > 65535) return {};
  return number;
}

std::optional<unsigned> numbered(std::string_view word, std::string_view stem) {
  return word.starts_with(stem) ? whole(word.substr(stem.size())) : std::nullopt;
}

bool is_p2p(std::string_view word) {
  constexpr auto words = std::to_array<std::string_view>({"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"});
  return std::find(words.begin(), words.end(), word) != words.end();
}
bool is_cell(std::string_view word) {
  return word == "X" || word == "N/A" || is_p2p(word) || path_class_of(word) != PathClass::none;
}

bool is_device(std::string_view word) {
  if (numbered(word, "GPU") || numbered(word, "NIC")) return true;
  const bool letters = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
  return letters && word.size() > 1 && word.size() < 64 && word.front() >= 'a' && word.front() <= 'z' &&
         word.find_first_of("0123456789") != std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string bare(std::string_view line) {
  std::string clean;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      const std::size_t end = line.find_first_not_of("0123456789;?", i + 2);
      if (end == std::string_view::npos) break;
      i = end;
    } else if (line[i] != '\'' && line[i] != '"' && line[i] != '`') {
      clean += line[i];
    }
  }
  return clean;
}

std::vector<std::string> head_of(const std::string& line) {
  std::vector<std::string> columns;
  const auto words = words_of(line);
  auto word = std::find_if(words.begin(), words.end(), [](std::string_view it) { return numbered(it, "GPU").has_value(); });
  if (word - words.begin() > 2) return {};  // two words may stand before: `topo = `
  bool affinities = false;
  for (; word != words.end() && !affinities; ++word) {
    if (is_device(*word))
      columns.emplace_back(*word);
    else if (*word == "CPU" || *word == "NUMA" || *word == "GPU")
      affinities = true;
    else
      return {};
  }
  if (columns.size() == 1 && words.size() > 1 && !affinities) return {};  // prose
  return columns;
}

std::optional<Heading> heading_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::size_t colon = line.find(':');
  if (!line.starts_with("GPU ") || colon == std::string_view::npos) return {};
  const auto gpu = whole(line.substr(4, colon - 4));
  const std::size_t uuid = line.find("(UUID: ");
  if (!gpu || uuid == std::string_view::npos) return {};
  std::string_view name = line.substr(colon + 1, uuid - colon - 1);
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  const std::string_view id = line.substr(uuid + 7);
  if (id.find(')') == std::string_view::npos) return {};
  return Heading{*gpu, std::string(name), std::string(id.substr(0, id.find(')')))};
}

void carry(Link& made, double speed) {
  if (speed <= 0) return;
  made.bandwidth = {speed * made.count, speed * made.count, 0};
  const NvlinkGeneration* row = nvlink_generation_at(speed);
  if (row == nullptr) return;
  made.active = row->rate;
  made.bandwidth = {row->bandwidth.line * made.count, row->bandwidth.nominal * made.count, row->bandwidth.usable * made.count};
}

bool is_all_inactive(std::string_view line) { return lower(line).find("all links are inactive") != std::string::npos; }

std::string read_link(const std::vector<std::string_view>& words, SmiLink& it) {
  if (words[2] == "<inactive>") {
    it.inactive = true;
  } else if (words.size() >= 5 && words[2] == "Remote" && words[3] == "Device") {
    std::string_view address = words[4];
    if (address.ends_with(':')) address.remove_suffix(1);
    it.remote = pci_address(address);
    if (it.remote.empty()) return fmt::format("\"{}\" is no PCI address", address.substr(0, 60));
    if (words.size() >= 7 && words[5] == "Link") it.far_end = whole(words[6]).value_or(0) + (whole(words[6]) ? 1 : 0);
  } else if (words.size() >= 4 && words[3] == "GB/s") {
    const auto [end, error] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), it.speed);
    if (error != std::errc() || !(it.speed >= 0 && it.speed < 10000))
      return fmt::format("\"{}\" is no bandwidth", words[2].substr(0, 60));
  }
  return {};
}

std::map<unsigned, NvlinkRow> nvlink_rows(const Cells& cells) {
  std::map<unsigned, NvlinkRow> rows;
  for (const auto& [pair, words] : cells) {
    const auto told = words.find("path");
    if (told == words.end() || !told->second.starts_with("NV")) continue;
    const unsigned links = whole(std::string_view(told->second).substr(2)).value_or(1);
    for (const std::string& column : {pair.first, pair.second})
      if (const auto gpu = numbered(column, "GPU")) {
        rows[*gpu].sum += links;
        rows[*gpu].most = std::max(rows[*gpu].most, links);
      }
  }
  return rows;
}

}  // namespace railgauge::topo::smi

namespace railgauge::topo {

bool is_nvidia_smi(std::string_view text) {
  constexpr std::size_t far_enough = 65536;
  text = text.substr(0, far_enough);
  if (const std::size_t first = text.find_first_not_of(" \t\r\n");
      first == std::string_view::npos || text[first] == '<' || text[first] == '{')
    return false;
  bool found = false;
  smi::each_line(text, [&](std::string_view line, std::size_t) {
    if (!found && line.find("GPU") != std::string_view::npos)
      found = !smi::head_of(smi::bare(line)).empty() || smi::heading_of(smi::bare(line)).has_value();
  });
  return found;
}

}  // namespace railgauge::topo
