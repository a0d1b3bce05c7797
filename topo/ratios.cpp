// The key of a link.
#include "topo/ratios.hpp"

#include <fmt/format.h>

#include <utility>

namespace railgauge::topo {

std::string link_key(const Link& link) {
  const auto end = [](const std::string& key, unsigned port) { return port == 0 ? key : fmt::format("{}:{}", key, port); };
  std::string a = end(link.a, link.a_port);
  std::string b = end(link.b, link.b_port);
  if (b < a) std::swap(a, b);
  return fmt::format("{} - {} {}", a, b, row(link.kind).name);
}

}  // namespace railgauge::topo
