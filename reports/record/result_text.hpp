// A result in words, for those of the writers that people read.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "reports/record/standing.hpp"
#include "reports/result.hpp"

namespace railgauge {

// "3 points", "1 point".
[[nodiscard]] std::string plural(std::size_t count, std::string_view noun);

// What the points of one table have in common: "all_reduce: 4 ranks on 2 nodes, host memory, back-to-back".
[[nodiscard]] std::string heading_of(const Case& point);
// What sets a point apart within it: "4 KiB of float32, sum, ring over shm"; of an entry of a matrix also "0 -> 1".
[[nodiscard]] std::string point_name(const Case& point);

[[nodiscard]] std::string time_text(Seconds time);  // "1.23 us"; "-" for what is no number
[[nodiscard]] std::string interval_text(
    const Summary& summary);  // half the interval of the median: "1.5%", "12x", "wide" (over 999x), "-"
[[nodiscard]] std::string share_text(double busbw, double expected);  // "97%", "3.4%"

// How many points came out how.
class Tally {
 public:
  void add(Status status, std::optional<Standing> standing = {}) {
    ++counts_[static_cast<std::size_t>(status)];
    if (standing) ++standings_[static_cast<std::size_t>(*standing)];
  }
  [[nodiscard]] std::size_t all() const;
  [[nodiscard]] std::size_t of(Status status) const { return counts_[static_cast<std::size_t>(status)]; }
  [[nodiscard]] std::size_t of(Standing standing) const { return standings_[static_cast<std::size_t>(standing)]; }
  // "12 points: 1 with WRONG DATA, 2 failed, 1 below expectation, 1 not converged, 3 skipped"; "12 points, all ok".
  [[nodiscard]] std::string sentence() const;

 private:
  std::array<std::size_t, statuses.size()> counts_{};
  std::array<std::size_t, 3> standings_{};
};

}  // namespace railgauge
