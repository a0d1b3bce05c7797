// A validation in words, for those of its writers that people read. All of what came from outside is shown()
// (reports/web/inert.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/validation/validation.hpp"

namespace railgauge::validation {

[[nodiscard]] std::string ends_of(const Diagnosis& diagnosis);    // "n3:mlx5_1/1 - leaf3 port 18"
[[nodiscard]] std::string effect_of(const Diagnosis& diagnosis);  // "5.1 % less bandwidth, sending"; may be empty
// "a host that is slow in less than 18 % of the time may not have been seen"; empty where that is not known.
// Returns whether hosts reach what their links should carry, and by what that is known; empty where no pairs were measured or
// findings say it.
[[nodiscard]] std::string level_of(const Validation& validation);
[[nodiscard]] std::string power_of(const Validation& validation);
[[nodiscard]] std::string sure_of(const Diagnosis& diagnosis);  // "99.8 % sure", "more than 99.9 % sure"; may be empty

[[nodiscard]] std::string percent(const std::optional<double>& share);    // "5.1 %"; "-" for what is not known
[[nodiscard]] std::string percent_off(const std::optional<double>& off);  // "-5.1 %", "+0.3 %"; "-" for what is not known
[[nodiscard]] std::string gigabytes(const std::optional<double>& value);  // "11.25"; "-" for what is not known
[[nodiscard]] std::string asked_of(const Figure& figure);                 // "at least 350", "at most 120"; "-" where nothing was
[[nodiscard]] bool too_long(const Figure& figure);                        // above what it may be at most

[[nodiscard]] std::string amount(const std::optional<double>& value, std::string_view unit);  // "11.25 GB/s"; "-"

// "8 hosts, 16 ranks, 2 rails, over ucx, started by srun, in 161 s of 600 s".
[[nodiscard]] std::string what_ran(const Validation& validation);
[[nodiscard]] std::string count_states(const Validation& validation);       // "126 good, 1 faulty, 1 lost"
[[nodiscard]] std::string names_of(const std::vector<std::string>& hosts);  // "n[1-3,7]", the first ones of too many
[[nodiscard]] std::string took_of(const Stage& stage);                      // "12 s of 60 s"
[[nodiscard]] std::string said_of(const Stage& stage);                      // its reason and its notes, in one line

// A host by the rail that is furthest below its peers, which may be another one in each direction.
struct Standing {
  std::optional<double> send, receive;          // GB/s
  std::optional<double> send_off, receive_off;  // as shares
  std::optional<Seconds> latency;               // the longest of its rails
  std::optional<std::size_t> worst;             // place of the rail that is lowest in either direction
};
[[nodiscard]] Standing standing_of(const Host& host);
[[nodiscard]] std::string rail_name(const Host& host, std::size_t rail);  // "mlx5_1/1", or "rail 1"

}  // namespace railgauge::validation
