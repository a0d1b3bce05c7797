// Slurm's hostlist notation: "node[001-128,200]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

inline constexpr std::size_t most_names = 1U << 20U;  // that the brackets of one file may expand to

// The names in their order, with repetitions. `room` is the number of names still allowed, and decreases. Throws Error(usage)
// with a sentence that begins with `where` for brackets that do not close, descending ranges, and more names than `room`.
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view text, std::string_view where, std::size_t& room);

// The shortest hostlist with brackets for the last number in each name; sorted, each name once.
[[nodiscard]] std::string compress_hostlist(const std::vector<std::string>& names);

// Whether a sorts before b when digits compare by value: "mlx5_2" is before "mlx5_10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace railgauge::topo
