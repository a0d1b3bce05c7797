// The settings of the memory transport: what a link costs, and which fault is injected where.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"
#include "transports/transport.hpp"

namespace railgauge::memory {

enum class FaultKind : std::uint8_t { none, drop, corrupt, stall, die };

// As ordered; what is left open is drawn from the seed (Injection).
struct FaultOrder {
  FaultKind kind = FaultKind::none;
  std::optional<int> rank;
  std::optional<std::uint64_t> round;
  std::optional<std::uint64_t> transfer;
  std::uint64_t seed = 1;
};

struct LinkCost {
  Seconds latency{0};
  double bytes_per_second = 0;  // 0: no limit
  [[nodiscard]] bool any() const { return latency.count() > 0 || bytes_per_second > 0; }
};

struct MemorySettings {
  bool mapped = true;
  LinkCost link;
  FaultOrder fault;
  // Messages need more than a copy. A peer that is mapped is read past every message, so both at once make no sense.
  [[nodiscard]] bool shaped() const { return link.any() || fault.kind != FaultKind::none; }
};

// Throws Error(usage) that lists the known names, or says what is wrong with a value.
[[nodiscard]] MemorySettings parse_settings(const Settings& settings);

}  // namespace railgauge::memory
