// The lines of bench/nccl_tests/rank_summary.hpp.
#include "bench/nccl_tests/rank_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/words.hpp"
#include "bench/schedule/layout.hpp"

namespace railgauge::nccl_tests {

std::string rank_summary(const Result& result) {
  const Case& point = result.point;
  const auto type = railgauge::find_type(point.type);
  const std::uint64_t element = type ? bytes_of(*type) : 1;
  const auto ranks = static_cast<double>(point.ranks);
  const double seconds = result.summary.median.count();
  std::string text = fmt::format("# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: mode=fixed nranks={} total_bytes={} time_usec={:.2f}\n",
                                 point.ranks, point.bytes, seconds * 1e6);
  for (std::int32_t rank = 0; rank < point.ranks; ++rank) {
    const BlockSizes sizes = divide(Collective::all_to_all_v, {.ranks = point.ranks, .rank = rank},
                                    static_cast<std::uint32_t>(point.ranks), point.count);
    const std::uint64_t sent = std::accumulate(sizes.input.begin(), sizes.input.end(), std::uint64_t{0}) * element;
    const std::uint64_t received = std::accumulate(sizes.output.begin(), sizes.output.end(), std::uint64_t{0}) * element;
    const double algbw = seconds > 0 ? static_cast<double>(std::max(sent, received)) / 1e9 / seconds : 0;
    text += fmt::format("#   rank={} send_bytes={} recv_bytes={} alg_bw={:.2f} bus_bw={:.2f}\n", rank, sent, received, algbw,
                        algbw * (ranks - 1) / ranks);
  }
  return text;
}

}  // namespace railgauge::nccl_tests
