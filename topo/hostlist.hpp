// Slurm's short way to write many names: "node[001-128,200]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

inline constexpr std::size_t most_names = 1U << 20U;  // that brackets may stand for, in one file

// The names in their order, repeated ones too. `room` is how many names there may still be, and becomes less. Throws
// Error(usage), a sentence that begins with `where`, for brackets that do not close, ranges that run backwards, and more names
// than there is room for.
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view text, std::string_view where, std::size_t& room);

// The shortest list of the last number in each name; sorted, and each name once.
[[nodiscard]] std::string compress_hostlist(const std::vector<std::string>& names);

// Whether numbers in the texts count as numbers: "mlx5_2" is before "mlx5_10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace railgauge::topo
