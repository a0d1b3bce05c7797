// Reads the sizes of the caches from sysfs, or from sysconf.
#include "bench/device/host/caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace railgauge::host {
namespace {

constexpr std::size_t unknown_share = std::size_t{1} << 20;

std::string line_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// The number that `text` starts with, which is cut off; 0 when there is none.
std::size_t take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "32768K" in bytes.
std::size_t parse_size(std::string_view text) {
  const std::size_t number = take_number(text);
  if (text.starts_with('K')) return number << 10;
  if (text.starts_with('M')) return number << 20;
  return number;
}

// "0-3,8" is 5; at least 1.
std::size_t count_cpus(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t first = take_number(text);
    std::size_t last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (last >= first) count += last - first + 1;
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return std::max<std::size_t>(count, 1);
}

}  // namespace

std::size_t last_level_share(const std::filesystem::path& cpu) {
  std::size_t highest_level = 0;
  std::size_t share = 0;
  for (int index = 0; index < 16; ++index) {
    const std::filesystem::path cache = cpu / "cache" / ("index" + std::to_string(index));
    const std::string level_line = line_of(cache / "level");
    std::string_view level_text = level_line;
    const std::size_t level = take_number(level_text);
    if (level == 0) break;
    if (level < highest_level || line_of(cache / "type") == "Instruction") continue;
    highest_level = level;
    share = parse_size(line_of(cache / "size")) / count_cpus(line_of(cache / "shared_cpu_list"));
  }
  if (share > 0) return share;
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long size = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
  const long cpus = std::max(sysconf(_SC_NPROCESSORS_CONF), 1L);
  if (size > 0) return std::max<std::size_t>(static_cast<std::size_t>(size / cpus), 1);
#endif
  return unknown_share;
}

}  // namespace railgauge::host
