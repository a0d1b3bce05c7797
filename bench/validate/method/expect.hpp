// Reference figures: what others have measured on hardware of a name, or ask of it; and a check that refuses thresholds which no
// algorithm can meet on the hardware at hand (docs/validate-method.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "topo/expect/expect.hpp"

namespace railgauge::validate {

enum class Figure : std::uint8_t {
  all_reduce,  // bus bandwidths as nccl-tests define them, of the largest size
  all_gather,
  reduce_scatter,
  all_to_all,
  send_receive,
  host_to_device,
  device_to_host,
  device_to_device,  // one pair, one direction
  rdma_write,        // of one port
  write_latency
};
enum class Origin : std::uint8_t { specified, measured, asked };  // asked: somebody's threshold
enum class Unit : std::uint8_t { gigabytes_per_second, microseconds };

struct Reference {
  std::string_view platform;
  Figure figure;
  double value;
  Unit unit;
  Origin origin;
  std::string_view condition;  // empty where the source names none
  std::string_view source;
};
[[nodiscard]] std::span<const Reference> references() noexcept;  // static storage
// Returns the rows whose platform contains each of the words ("h100 8"), in upper or lower case, in the order of the table.
[[nodiscard]] std::vector<Reference> references_for(std::string_view words, Figure figure);
[[nodiscard]] std::string_view name(Figure figure) noexcept;
[[nodiscard]] std::string_view name(Origin origin) noexcept;

// Throws Error(usage), with the arithmetic, when no algorithm can reach `bus` (GB/s of bus bandwidth) on this hardware. Where a
// number of the hardware is unknown it refuses nothing.
void check_threshold(Collective collective, const topo::Team& team, double bus);

}  // namespace railgauge::validate
