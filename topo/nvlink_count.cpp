#include "topo/nvlink_count.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "topo/rates.hpp"

namespace railgauge::topo {
namespace {

struct Model {
  std::string_view word;  // of the GPU's name
  unsigned major, minor;  // compute capability
};
constexpr auto models = std::to_array<Model>({
    {"P100", 6, 0},  {"GP100", 6, 0},   {"GP100GL", 6, 0}, {"V100", 7, 0},  {"V100S", 7, 0},  {"GV100", 7, 0},  {"GV100GL", 7, 0},
    {"TU102", 7, 5}, {"TU102GL", 7, 5}, {"A100", 8, 0},    {"A100X", 8, 0}, {"A800", 8, 0},   {"A30", 8, 0},    {"GA100", 8, 0},
    {"A40", 8, 6},   {"A6000", 8, 6},   {"A5500", 8, 6},   {"A5000", 8, 6}, {"A4500", 8, 6},  {"3090", 8, 6},   {"GA102", 8, 6},
    {"H100", 9, 0},  {"H200", 9, 0},    {"H800", 9, 0},    {"H20", 9, 0},   {"GH200", 9, 0},  {"GH100", 9, 0},  {"B100", 10, 0},
    {"B200", 10, 0}, {"GB200", 10, 0},  {"GB100", 10, 0},  {"B300", 10, 3}, {"GB300", 10, 3}, {"GB110", 10, 3},
});

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

const NvlinkGeneration* by_name(std::string_view name) {
  while (!name.empty()) {
    std::size_t end = 0;
    while (end < name.size() && is_letter_or_digit(name[end])) ++end;
    const auto* const row =
        std::find_if(models.begin(), models.end(), [&](const Model& it) { return it.word == name.substr(0, end); });
    if (row != models.end()) return nvlink_generation(0, row->major, row->minor);
    name.remove_prefix(std::max<std::size_t>(end, 1));
  }
  return nullptr;
}

const NvlinkGeneration* generation_of(const Node& gpu) {
  if (gpu.kind != Kind::gpu) return nullptr;
  const std::string_view capability = text_of(gpu.attributes, "compute_capability");
  unsigned major = 0;
  unsigned minor = 0;
  const char* end = capability.data() + capability.size();
  if (const auto [dot, error] = std::from_chars(capability.data(), end, major);
      error == std::errc() && dot != end && *dot == '.' && std::from_chars(dot + 1, end, minor).ec == std::errc())
    return nvlink_generation(0, major, minor);
  for (const std::string_view name :
       {std::string_view(gpu.name), text_of(gpu.attributes, "model"), text_of(gpu.attributes, "device")})
    if (const NvlinkGeneration* row = by_name(name)) return row;
  return nullptr;
}

}  // namespace

std::optional<unsigned> count_of_links(const Link& link, const Node& a, const Node& b) {
  const bool bandwidth_alone = link.provenance.size() == 1 && link.provenance.front() == "hwloc";
  if (!bandwidth_alone) return link.count;
  const NvlinkGeneration* row = generation_of(a);
  if (row == nullptr) row = generation_of(b);
  if (link.kind != LinkKind::nvlink || row == nullptr) return std::nullopt;
  constexpr double most = 64;
  for (const double one : {row->bandwidth.nominal, row->bandwidth.line}) {
    const double links = one > 0 ? link.bandwidth.nominal / one : 0;
    const double whole = std::round(links);
    if (whole >= 1 && whole <= most && std::abs(links - whole) < 0.02 * whole) return static_cast<unsigned>(whole);
  }
  return std::nullopt;
}

}  // namespace railgauge::topo
