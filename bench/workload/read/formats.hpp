// The formats of traces: a row for each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workload/read/rank_trace.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

struct TraceFormat {
  std::string_view name;  // chakra, pytorch-et, ...
  // Whether a file that begins so, of at most 64 KiB, is one.
  bool (*recognise)(std::string_view head);
  std::vector<RankTrace> (*read)(TraceInput& input);
};

// In the order in which they are tried. Static storage.
[[nodiscard]] std::span<const TraceFormat> trace_formats() noexcept;

// Null where no format knows it.
[[nodiscard]] const TraceFormat* find_trace_format(std::string_view head) noexcept;

}  // namespace railgauge
