// Which entry of a port's table of GIDs a connection uses.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace railgauge::verbs {

// The order is that of preference.
enum class GidKind : std::uint8_t { roce_v2, infiniband, roce_v1 };

struct Gid {
  std::uint32_t index = 0;
  GidKind kind = GidKind::infiniband;
  ibv_gid address{};
};

[[nodiscard]] bool is_ipv4(const ibv_gid& gid) noexcept;        // ::ffff:a.b.c.d
[[nodiscard]] bool is_link_local(const ibv_gid& gid) noexcept;  // fe80::/64
[[nodiscard]] std::string gid_text(const ibv_gid& gid);         // "10.0.0.1" where it is that, else as IPv6

// Of the entries that are set: the one with index `wanted`, else the best. On Ethernet (RoCE) version 2 comes before version 1,
// and among those IPv4 before other addresses before link-local ones, since these cross no router and in many networks no switch
// either. Empty when there is none.
[[nodiscard]] std::optional<Gid> choose_gid(std::span<const Gid> table, std::optional<int> wanted);

}  // namespace railgauge::verbs
