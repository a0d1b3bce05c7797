// How a point stands to what its links allow, where a share of that was asked for (bench --expect).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/result.hpp"

namespace railgauge {

enum class Standing : std::uint8_t {
  meets,
  unknown,  // no reference says what the links allow
  below,
};

[[nodiscard]] constexpr const char* name(Standing standing) noexcept {
  return standing == Standing::meets ? "meets" : standing == Standing::below ? "below" : "unknown";
}

// Nothing where no share was asked for, and of a point without right data in time: its status says all there is.
[[nodiscard]] std::optional<Standing> standing_of(const Result& result);

// Of a point below: "busbw 12.5 GB/s is 50% of the 25 GB/s that the links allow (ring: ...), and 80% were asked for"; of an
// unknown one that it is unknown; else empty.
[[nodiscard]] std::string standing_sentence(const Result& result);

}  // namespace railgauge
