// Ranks GIDs.
#include "transports/verbs/gid.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace railgauge::verbs {

bool is_ipv4(const ibv_gid& gid) noexcept {
  const std::uint8_t* raw = gid.raw;
  return std::all_of(raw, raw + 10, [](std::uint8_t byte) { return byte == 0; }) && raw[10] == 0xff && raw[11] == 0xff;
}

bool is_link_local(const ibv_gid& gid) noexcept { return gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80; }

std::string gid_text(const ibv_gid& gid) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_ipv4(gid))
    inet_ntop(AF_INET, gid.raw + 12, text.data(), text.size());
  else
    inet_ntop(AF_INET6, gid.raw, text.data(), text.size());
  return text.data();
}

std::optional<Gid> choose_gid(std::span<const Gid> table, std::optional<int> wanted) {
  if (wanted) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Gid& gid) { return gid.index == static_cast<std::uint32_t>(*wanted); });
    return found == table.end() ? std::nullopt : std::optional(*found);
  }
  const auto place = [](const Gid& gid) {
    const int address = is_ipv4(gid.address) ? 0 : is_link_local(gid.address) ? 2 : 1;
    // InfiniBand has one kind, and the first entry is the port's own.
    return std::tuple(gid.kind, gid.kind == GidKind::infiniband ? 0 : address, gid.index);
  };
  const auto best = std::min_element(table.begin(), table.end(), [&](const Gid& a, const Gid& b) { return place(a) < place(b); });
  return best == table.end() ? std::nullopt : std::optional(*best);
}

}  // namespace railgauge::verbs
