// Words and numbers of InfiniBand links: speeds by name, by signalling rate and by the codes of PortInfo and verbs; and the text
// of a switch's forwarding table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct InfinibandSpeed {
  std::string_view name;   // "EDR"
  double signalling;       // gigabits per second and lane, coding included: Rate::speed
  double data;             // gigabits per second and lane
  unsigned speed_code;     // LinkSpeedActive of PortInfo; 0 where only LinkSpeedExtActive tells it
  unsigned extended_code;  // LinkSpeedExtActive; 0 where there is none
};

// From SDR to XDR, in order of speed. Static storage. FDR10 has no code in PortInfo: the vendor's own attribute tells it.
[[nodiscard]] std::span<const InfinibandSpeed> infiniband_speeds() noexcept;

// By name ("EDR"), or by signalling rate, which need only be near: 25, 25.78 and 25.78125 are all EDR. nullptr when there is
// none.
[[nodiscard]] const InfinibandSpeed* infiniband_speed(std::string_view name) noexcept;
[[nodiscard]] const InfinibandSpeed* infiniband_speed(double signalling) noexcept;

// Lanes of a width code of PortInfo or verbs (1 1x, 2 4x, 4 8x, 8 12x, 16 2x), of the widest where several bits are set; 0 for
// none. And back: 0 for a number of lanes that there is no code for.
[[nodiscard]] unsigned infiniband_lanes(unsigned width_code) noexcept;
[[nodiscard]] unsigned infiniband_width_code(unsigned lanes) noexcept;

// The fastest of the bits that are set; zeros are unknown.
[[nodiscard]] Rate infiniband_rate(unsigned width_code, unsigned speed_code, unsigned extended_code) noexcept;

// "4xNDR", "4x NDR", "1x14.0625"; what cannot be read of it ("4x ???") is 0.
[[nodiscard]] Rate infiniband_rate(std::string_view text) noexcept;

// `usable` is nominal less the headers of 4 KiB packets.
[[nodiscard]] Bandwidth infiniband_bandwidth(const Rate& rate) noexcept;

inline constexpr std::uint8_t no_port = 255;  // of a forwarding table: what is for this address is dropped

// The forwarding table of a switch, from the attribute "routes": "1=20,2-5=3" says that what is for addresses 2 to 5 leaves by
// port 3. The port of each address, from 0 on. Nothing for a text that is none.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> forwarding_table(std::string_view text);

}  // namespace railgauge::topo
