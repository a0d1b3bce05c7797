// Formats quantities and names for people.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// At most three digits: "1.5 TiB", "256 GiB", "4.71 GiB", "48 KiB".
[[nodiscard]] inline std::string rounded_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1024;  // 1000 KiB is 0.977 MiB: never four digits
  return fmt::format("{} {}", significant(value, 3), units[unit]);
}

// GB/s without the unit: "63", "15.8", "0.25", "3600".
[[nodiscard]] inline std::string gigabytes(double value) { return significant(value, 3); }

[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}
[[nodiscard]] inline std::string counted(std::uint64_t count, Kind kind) {
  return counted(count, row(kind).word, row(kind).many);
}

// A node's key for a line that shows its kind too: without "os:", and without the name of its NVLink domain.
[[nodiscard]] inline std::string short_key(const Node& node) {
  if (node.key.starts_with("os:")) return node.key.substr(3);
  return node.key.starts_with("domain:") ? node.key.substr(node.key.rfind('/') + 1) : node.key;
}

// The number of a package or NUMA node: "3" of "numa3", and of "node7/numa3" where several machines are in the graph. `word`: the
// part before the number.
[[nodiscard]] inline std::string number_in_key(const Node& node, std::string_view word) {
  const std::size_t slash = node.key.rfind('/');
  const std::string local = slash == std::string::npos ? node.key : node.key.substr(slash + 1);
  return local.starts_with(word) ? local.substr(word.size()) : local;
}

// ASCII letters in lower case; all else stays.
[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

// Text from firmware and from foreign files, with control characters, which could steer a terminal, replaced by "?".
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return clean;
}

}  // namespace railgauge::topo
