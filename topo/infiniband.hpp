// Speeds of InfiniBand links by name, by signalling rate and by the codes of PortInfo and verbs; and the text of a switch's
// forwarding table.
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
  unsigned speed_code;     // LinkSpeedActive of PortInfo; 0 where only LinkSpeedExtActive has a code
  unsigned extended_code;  // LinkSpeedExtActive; 0 where there is none
};

// From SDR to XDR, in order of speed. Static storage. FDR10 has no code in PortInfo, only in a vendor attribute.
[[nodiscard]] std::span<const InfinibandSpeed> infiniband_speeds() noexcept;

// By name ("EDR"), or by approximate signalling rate: 25, 25.78 and 25.78125 are all EDR. nullptr when no speed matches.
[[nodiscard]] const InfinibandSpeed* infiniband_speed(std::string_view name) noexcept;
[[nodiscard]] const InfinibandSpeed* infiniband_speed(double signalling) noexcept;

// Lanes of a width code of PortInfo or verbs (1 1x, 2 4x, 4 8x, 8 12x, 16 2x): the widest when several bits are set, 0 when none
// is. The second function is the inverse: 0 for a number of lanes without a code.
[[nodiscard]] unsigned infiniband_lanes(unsigned width_code) noexcept;
[[nodiscard]] unsigned infiniband_width_code(unsigned lanes) noexcept;

// The fastest rate whose bits are set; zeros are unknown.
[[nodiscard]] Rate infiniband_rate(unsigned width_code, unsigned speed_code, unsigned extended_code) noexcept;

// Reads "4xNDR", "4x NDR", "1x14.0625"; the unreadable part ("4x ???") is 0.
[[nodiscard]] Rate infiniband_rate(std::string_view text) noexcept;

// `usable` is `nominal` minus the headers of 4 KiB packets.
[[nodiscard]] Bandwidth infiniband_bandwidth(const Rate& rate) noexcept;

// By the codes of PortInfo, PortState and PortPhysicalState: a port that is down may have been disabled.
[[nodiscard]] LinkState port_state(std::uint64_t state, std::uint64_t physical) noexcept;

inline constexpr std::uint8_t no_port = 255;  // in a forwarding table: packets for this address are dropped

inline constexpr std::string_view forwarding_attribute = "routes";  // of a switch

// Reads the forwarding table of a switch, the text of that attribute: "1=20,2-5=3" sends packets for LIDs 2 to 5 out of port 3.
// Gives the port of each LID, from 0 on; nothing when the text is no forwarding table.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> forwarding_table(std::string_view text);

}  // namespace railgauge::topo
