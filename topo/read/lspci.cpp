// Reads what lspci prints: a line for each function, and with -vvv its links, the buses below it and its NUMA node.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "base/error.hpp"
#include "topo/notes.hpp"
#include "topo/pci.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/pcie.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

struct Word {
  std::string_view word;
  std::uint16_t number;
};

// lspci's words for classes, for output without -nn.
constexpr auto classes = std::to_array<Word>({
    {"SCSI storage controller", 0x0100},
    {"IDE interface", 0x0101},
    {"RAID bus controller", 0x0104},
    {"SATA controller", 0x0106},
    {"Serial Attached SCSI controller", 0x0107},
    {"Non-Volatile memory controller", 0x0108},
    {"Mass storage controller", 0x0180},
    {"Ethernet controller", 0x0200},
    {"Infiniband controller", 0x0207},
    {"Fabric controller", 0x0208},
    {"Network controller", 0x0280},
    {"VGA compatible controller", 0x0300},
    {"3D controller", 0x0302},
    {"Display controller", 0x0380},
    {"Audio device", 0x0403},
    {"RAM memory", 0x0500},
    {"CXL", 0x0502},
    {"Memory controller", 0x0580},
    {"Host bridge", 0x0600},
    {"ISA bridge", 0x0601},
    {"PCI bridge", 0x0604},
    {"Bridge", 0x0680},
    {"Serial controller", 0x0700},
    {"Communication controller", 0x0780},
    {"System peripheral", 0x0880},
    {"Co-processor", 0x0b40},
    {"USB controller", 0x0c03},
    {"SMBus", 0x0c05},
    {"Serial bus controller", 0x0c80},
    {"Encryption controller", 0x1080},
    {"Performance counters", 0x1101},
    {"Signal processing controller", 0x1180},
    {"Processing accelerators", 0x1200},
});

// The beginnings of names, longer ones first where one begins another.
constexpr auto makers = std::to_array<Word>({
    {"Advanced Micro Devices, Inc. [AMD/ATI]", 0x1002},
    {"Advanced Micro Devices, Inc. [AMD]", 0x1022},
    {"Amazon.com, Inc.", 0x1d0f},
    {"ASPEED Technology, Inc.", 0x1a03},
    {"Broadcom / LSI", 0x1000},
    {"Broadcom Inc. and subsidiaries", 0x14e4},
    {"Chelsio Communications Inc", 0x1425},
    {"Habana Labs Ltd.", 0x1da3},
    {"Intel Corporation", 0x8086},
    {"KIOXIA Corporation", 0x1e0f},
    {"Matrox Electronics Systems Ltd.", 0x102b},
    {"Mellanox Technologies", 0x15b3},
    {"Micron Technology Inc", 0x1344},
    {"Microsoft Corporation", 0x1414},
    {"NVIDIA Corporation", 0x10de},
    {"Pensando Systems", 0x1dd8},
    {"PLX Technology, Inc.", 0x10b5},
    {"Red Hat, Inc.", 0x1af4},
    {"Samsung Electronics Co Ltd", 0x144d},
});

struct Role {
  std::string_view word;
  PcieRole role;
};
constexpr auto roles = std::to_array<Role>({
    {"Root Port", PcieRole::root_port},
    {"Upstream Port", PcieRole::upstream_port},
    {"Downstream Port", PcieRole::downstream_port},
    {"Endpoint", PcieRole::endpoint},
    {"Legacy Endpoint", PcieRole::endpoint},
});

// Four hexadecimal digits and nothing else.
bool number(std::string_view text, std::uint16_t& value) {
  return text.size() == 4 && std::from_chars(text.data(), text.data() + 4, value, 16).ptr == text.data() + 4;
}

bool numbers(std::string_view text, std::uint16_t& vendor, std::uint16_t& device) {
  return text.size() == 9 && text[4] == ':' && number(text.substr(0, 4), vendor) && number(text.substr(5), device);
}

// Takes " [10de:2330]" or " [0302]" from the end of `text`; gives what stands in the brackets.
std::string_view bracketed(std::string_view& text) {
  const std::size_t open = text.rfind('[');
  if (!text.ends_with(']') || open == std::string_view::npos) return {};
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  std::uint16_t one = 0;
  std::uint16_t other = 0;
  if (!number(inside, one) && !numbers(inside, one, other)) return {};
  text = text.substr(0, open);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return inside;
}

std::string_view until(std::string_view text, std::string_view end) { return text.substr(0, text.find(end)); }

// What stands between `begin` and the next comma; empty when `begin` is not there.
std::string_view after(std::string_view text, std::string_view begin) {
  const std::size_t at = text.find(begin);
  return at == std::string_view::npos ? std::string_view() : until(text.substr(at + begin.size()), ",");
}

// "19:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2330] (rev a1) (prog-if 00 [Normal decode])"
bool heading(std::string_view line, PcieFunction& function) {
  Scan scan(line);
  function.address = pci_key(scan.word());
  std::string_view rest = scan.blanks().rest();
  const std::size_t colon = rest.find(": ");
  if (function.address.empty() || colon == std::string_view::npos) return false;
  std::string_view type = rest.substr(0, colon);
  rest = until(until(rest.substr(colon + 2), " (rev "), " (prog-if ");
  if (const std::string_view inside = bracketed(type); !inside.empty()) number(inside, function.device_class);
  if (!number(type, function.device_class)) function.class_name = std::string(type);
  const auto known = std::find_if(classes.begin(), classes.end(), [&](const Word& it) { return it.word == type; });
  if (function.device_class == 0 && known != classes.end()) function.device_class = known->number;
  if (numbers(rest, function.vendor_id, function.device_id)) return true;  // -n
  if (const std::string_view inside = bracketed(rest); !inside.empty()) numbers(inside, function.vendor_id, function.device_id);
  function.device = std::string(rest);
  for (const Word& maker : makers) {
    if (!rest.starts_with(maker.word)) continue;
    function.vendor = std::string(maker.word);
    rest.remove_prefix(maker.word.size());
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (function.vendor_id == 0) function.vendor_id = maker.number;
    function.device = std::string(rest);
    break;
  }
  constexpr std::string_view nameless = "Device ";
  if (function.device.starts_with(nameless) &&
      number(std::string_view(function.device).substr(nameless.size()), function.device_id))
    function.device.clear();
  if (function.device == "Device") function.device.clear();
  return true;
}

Rate rate(std::string_view text) {
  const std::string_view speed = after(text, "Speed ");
  const std::string_view width = after(text, "Width x");
  return {pcie_width(width), pcie_speed(speed)};
}

struct Buses {
  std::string above, below;  // "0000:16"
};

// A line below a heading.
void detail(std::string_view line, PcieFunction& it, Buses& buses) {
  const std::string_view text = Scan(line).blanks().rest();
  const auto value = [&](std::string_view key) { return text.substr(std::min(text.size(), key.size())); };
  const std::string domain = it.address.substr(0, it.address.find(':') + 1);
  if (text.starts_with("LnkCap:") && it.capable.width == 0 && it.capable.speed == 0) it.capable = rate(value("LnkCap:"));
  if (text.starts_with("LnkSta:") && it.active.width == 0 && it.active.speed == 0) it.active = rate(value("LnkSta:"));
  if (text.starts_with("Bus: ")) {
    const std::string_view secondary = after(text, "secondary=");
    const std::string_view subordinate = after(text, "subordinate=");
    if (secondary.size() == 2 && subordinate.size() == 2) {
      buses.below = domain + std::string(secondary);
      it.buses = fmt::format("{}-{}", secondary, subordinate);
    }
  }
  if (text.starts_with("NUMA node: ")) {
    Scan scan(value("NUMA node: "));
    if (const auto node = scan.number(); node && *node < 0x10000) it.numa = static_cast<unsigned>(*node);
  }
  if (const std::size_t at = text.find("] Express"); at != std::string_view::npos && text.starts_with("Capabilities: [")) {
    std::string_view role = text.substr(at + std::string_view("] Express").size());
    if (role.starts_with(" (")) role.remove_prefix(std::min(role.size(), role.find(") ") + 1));
    while (role.starts_with(' ')) role.remove_prefix(1);
    it.role = PcieRole::other;
    for (const Role& row : roles)
      if (role.starts_with(row.word)) it.role = row.role;
  }
  constexpr std::string_view driver = "Kernel driver in use: ";
  if (text.starts_with(driver)) it.attributes["driver"] = std::string(value(driver));
  constexpr std::string_view slot = "Physical Slot: ";
  if (text.starts_with(slot)) it.attributes["pci_slot"] = std::string(value(slot));
}

bool is_indented(std::string_view line) { return line.starts_with('\t') || line.starts_with(' '); }

// What a line that ends the file, without a newline, lacks; empty where it is whole. Of the details only those are looked at that
// are read.
std::string_view lacking(std::string_view line) {
  if (std::count(line.begin(), line.end(), '[') != std::count(line.begin(), line.end(), ']') ||
      std::count(line.begin(), line.end(), '(') != std::count(line.begin(), line.end(), ')'))
    return "the end of a bracket";
  const std::string_view text = Scan(line).blanks().rest();
  for (const std::string_view word : {"LnkCap:", "LnkSta:", "Bus:", "NUMA node:"})
    if (text.starts_with(word)) return "its end";
  return {};
}

// With -v an empty line follows each function, the last one too.
void check_ending(Graph& graph, const std::vector<PcieFunction>& functions, bool details, const Reading& reading) {
  const std::string& text = reading.text;
  const PcieFunction& last = functions.back();
  if (is_unterminated(text)) {
    const std::size_t begin = text.rfind('\n');
    const std::string_view line = std::string_view(text).substr(begin == std::string::npos ? 0 : begin + 1);
    if (const std::string_view what = lacking(line); !what.empty()) refuse_cut(reading, what);
  }
  if (!details) return note_open_line(graph, reading);
  const std::size_t able = text.rfind("LnkCap:");
  const std::size_t now = text.rfind("LnkSta:");
  if (able != std::string::npos && (now == std::string::npos || now < able))
    throw Error(Fault::usage, fmt::format("{}:{}: the file ends inside {}, between LnkCap and LnkSta: it was cut", reading.origin,
                                          last_line_of(text), last.address));
  std::string_view end;
  for (Lines lines(text); lines.next();) end = lines.line();
  if (!end.empty() || is_unterminated(text))
    add_note(graph, fmt::format("{}:{}: no empty line follows the last function, {}, as lspci -v writes it: the file may be cut",
                                reading.origin, last_line_of(text), last.address));
}

}  // namespace

bool is_lspci(std::string_view text) {
  Lines lines(text);
  while (lines.next()) {
    if (lines.line().empty() || lines.line().starts_with('#')) continue;
    PcieFunction function;
    return heading(lines.line(), function) && (function.device_class != 0 || !function.class_name.empty());
  }
  return false;
}

Graph read_lspci(const Reading& reading) {
  std::vector<PcieFunction> functions;
  std::vector<Buses> buses;
  bool details = false;
  Lines lines(reading.text);
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line.empty() || line.starts_with('#')) continue;
    if (is_indented(line)) {
      details = true;
      if (!functions.empty()) detail(line, functions.back(), buses.back());
      continue;
    }
    PcieFunction function;
    if (heading(line, function)) {
      buses.push_back({function.address.substr(0, function.address.rfind(':')), {}});
      functions.push_back(std::move(function));
    } else if (line.find(": ") == std::string_view::npos || functions.empty()) {  // "lspci: Unable to load libkmod resources"
      throw Error(Fault::usage, fmt::format("{}:{}: an address, a class and a device were expected, as lspci prints them",
                                            reading.origin, lines.number()));
    }
  }
  if (functions.empty()) throw Error(Fault::usage, fmt::format("{}: there is no PCI device in it", reading.origin));
  std::unordered_map<std::string, std::string> bridges;  // by the bus below
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (!buses[i].below.empty()) bridges.try_emplace(buses[i].below, functions[i].address);
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (const auto bridge = bridges.find(buses[i].above); bridge != bridges.end() && bridge->second != functions[i].address)
      functions[i].above = bridge->second;
  Graph graph = pcie_graph(functions, "lspci");
  check_ending(graph, functions, details, reading);
  return graph;
}

}  // namespace railgauge::topo
