// The table of InfiniBand speeds.
#include "topo/infiniband.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

// 8b/10b up to QDR, 64b/66b from FDR10 to EDR; from HDR on the error correction makes up the difference.
constexpr auto speed_rows = std::to_array<InfinibandSpeed>({
    {"SDR", 2.5, 2, 1, 0},
    {"DDR", 5, 4, 2, 0},
    {"QDR", 10, 8, 4, 0},
    {"FDR10", 10.3125, 10, 0, 0},
    {"FDR", 14.0625, 14.0625 * 64 / 66, 0, 1},
    {"EDR", 25.78125, 25, 0, 2},
    {"HDR", 53.125, 50, 0, 4},
    {"NDR", 106.25, 100, 0, 8},
    {"XDR", 212.5, 200, 0, 16},
});

struct Width {
  unsigned code, lanes;
};
// Widest first.
constexpr auto width_rows = std::to_array<Width>({{8, 12}, {4, 8}, {2, 4}, {16, 2}, {1, 1}});

// Of 4096 bytes of data a packet of a reliable connection carries 26 (local route, transport, checks) to 42 (RDMA write) more.
constexpr double share_of_data = 4096.0 / (4096 + 42);

}  // namespace

std::span<const InfinibandSpeed> infiniband_speeds() noexcept { return speed_rows; }

const InfinibandSpeed* infiniband_speed(std::string_view name) noexcept {
  for (const InfinibandSpeed& row : speed_rows)
    if (row.name == name) return &row;
  return nullptr;
}

const InfinibandSpeed* infiniband_speed(double signalling) noexcept {
  const InfinibandSpeed* nearest = speed_rows.data();
  for (const InfinibandSpeed& row : speed_rows)
    if (std::abs(row.signalling - signalling) < std::abs(nearest->signalling - signalling)) nearest = &row;
  // Lanes are also written as 14, 25, 50 or 100.
  return std::abs(nearest->signalling - signalling) <= 0.07 * nearest->signalling ? nearest : nullptr;
}

unsigned infiniband_lanes(unsigned width_code) noexcept {
  for (const Width& width : width_rows)
    if ((width_code & width.code) != 0) return width.lanes;
  return 0;
}

unsigned infiniband_width_code(unsigned lanes) noexcept {
  for (const Width& width : width_rows)
    if (width.lanes == lanes) return width.code;
  return 0;
}

Rate infiniband_rate(unsigned width_code, unsigned speed_code, unsigned extended_code) noexcept {
  Rate rate{infiniband_lanes(width_code), 0};
  for (const InfinibandSpeed& row : speed_rows)
    if ((row.speed_code & speed_code) != 0 || (row.extended_code & extended_code) != 0) rate.speed = row.signalling;
  return rate;
}

Rate infiniband_rate(std::string_view text) noexcept {
  Rate rate;
  unsigned lanes = 0;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, lanes);
  if (number.ec != std::errc() || number.ptr == end || (*number.ptr != 'x' && *number.ptr != 'X')) return rate;
  if (infiniband_width_code(lanes) != 0) rate.width = lanes;
  std::string_view name(number.ptr + 1, static_cast<std::size_t>(end - number.ptr - 1));
  while (name.starts_with(' ')) name.remove_prefix(1);
  const InfinibandSpeed* speed = infiniband_speed(name);
  if (double signalling = 0; speed == nullptr && std::from_chars(name.data(), end, signalling).ec == std::errc())
    speed = infiniband_speed(signalling);
  if (speed != nullptr) rate.speed = speed->signalling;
  return rate;
}

Bandwidth infiniband_bandwidth(const Rate& rate) noexcept {
  const InfinibandSpeed* speed = rate.speed > 0 ? infiniband_speed(rate.speed) : nullptr;
  if (speed == nullptr || rate.width == 0) return {};
  const double nominal = speed->data * rate.width / 8;
  return {speed->signalling * rate.width / 8, nominal, nominal * share_of_data};
}

LinkState port_state(std::uint64_t state, std::uint64_t physical) noexcept {
  constexpr std::array<LinkState, 5> states{LinkState::unknown, LinkState::down, LinkState::init, LinkState::armed,
                                            LinkState::active};
  constexpr std::uint64_t disabled = 3;  // PortPhysicalState
  const LinkState logical = state < states.size() ? states[state] : LinkState::unknown;
  return logical == LinkState::down && physical == disabled ? LinkState::disabled : logical;
}

std::optional<std::vector<std::uint8_t>> forwarding_table(std::string_view text) {
  constexpr std::uint64_t most_addresses = 0xc000;  // above they are of groups
  if (text.empty()) return std::nullopt;
  std::vector<std::uint8_t> ports;
  for (Scan scan(text); !scan.done();) {
    if (!ports.empty() && !scan.take(",")) return std::nullopt;
    const auto first = scan.number();
    const auto last = scan.take("-") ? scan.number() : first;
    if (!first || !last || *last < *first || *last >= most_addresses || *first < ports.size() || !scan.take("="))
      return std::nullopt;
    const auto port = scan.number();
    if (!port || *port >= no_port) return std::nullopt;
    ports.resize(*first, no_port);
    ports.resize(*last + 1, static_cast<std::uint8_t>(*port));
  }
  return ports;
}

}  // namespace railgauge::topo
