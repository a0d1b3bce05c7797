#include "topo/read/nccl_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace railgauge::topo::nccl_values {
namespace {

// Of one link: nominal as AMD states it, usable as RCCL reckons (src/graph/topo.h).
struct XgmiRow {
  std::string_view gcn;
  double nominal, usable;
};
constexpr auto xgmi_rows = std::to_array<XgmiRow>({{"906", 46, 24},
                                                   {"908", 46, 24},
                                                   {"910", 50, 36},
                                                   {"gfx906", 46, 24},
                                                   {"gfx908", 46, 24},
                                                   {"gfx90a", 50, 36},
                                                   {"940", 64, 48},
                                                   {"941", 64, 48},
                                                   {"942", 64, 48},
                                                   {"gfx940", 64, 48},
                                                   {"gfx941", 64, 48},
                                                   {"gfx942", 64, 48},
                                                   {"gfx950", 76.8, 0}});

}  // namespace

std::optional<std::uint64_t> whole(std::string_view text, int base) {
  if (base == 16 && (text.starts_with("0x") || text.starts_with("0X"))) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return number;
}

double gigatransfers(std::string_view text) {
  double speed = 0;
  std::from_chars(text.data(), text.data() + text.size(), speed);
  return speed > 0 && speed < 1000 ? speed : 0;
}

std::string threads_of(std::string_view mask) {
  std::string list;
  std::size_t begin = 0;
  std::size_t bit = 0;
  bool open = false;
  const auto close = [&] {
    if (open)
      list += fmt::format("{}{}", list.empty() ? "" : ",",
                          bit - 1 == begin ? fmt::to_string(begin) : fmt::format("{}-{}", begin, bit - 1));
    open = false;
  };
  while (!mask.empty()) {
    const std::size_t comma = mask.rfind(',');
    const std::string_view word = comma == std::string_view::npos ? mask : mask.substr(comma + 1);
    const auto bits = word.size() > 8 ? std::nullopt : whole(word, 16);
    if (!bits) return {};
    for (unsigned i = 0; i < 32; ++i, ++bit) {
      if (((*bits >> i) & 1U) == 0)
        close();
      else if (!open) {
        begin = bit;
        open = true;
      }
    }
    mask = comma == std::string_view::npos ? std::string_view() : mask.substr(0, comma);
  }
  close();
  return list;
}

std::string guid_of(std::string_view text) {
  const auto number = whole(text, 16);
  if (!number || *number < 65536) return {};  // a socket's number
  std::uint64_t turned = 0;
  for (unsigned i = 0; i < 8; ++i) turned |= ((*number >> (8 * i)) & 0xffU) << (56 - 8 * i);
  return fmt::format("0x{:016x}", turned);
}

Bandwidth xgmi_bandwidth(std::string_view gcn) {
  for (const XgmiRow& row : xgmi_rows)
    if (row.gcn == gcn) return {0, row.nominal, row.usable};
  return {};
}

}  // namespace railgauge::topo::nccl_values
