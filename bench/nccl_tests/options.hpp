// The options of a program of nccl-tests, and the points that follow from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "bench/measure/fixed.hpp"
#include "bench/nccl_tests/buffers.hpp"
#include "bench/select/sweep.hpp"

namespace railgauge::nccl_tests {

// A name under which the program behaves as nccl-tests does.
struct Program {
  std::string_view name;  // "all_reduce_perf"
  Collective collective;
};
// Null for any other name. `path` may have folders before the name. Static storage.
[[nodiscard]] const Program* find_program(std::string_view path) noexcept;

// railgauge cannot do this: no algorithm serves, or the option or variable is not supported.
class NotImplemented : public Error {
 public:
  using Error::Error;
};

struct Options {
  const Program* program = nullptr;
  int threads = 1, gpus = 1;  // ranks of a process: their product
  std::uint64_t min_bytes = std::uint64_t{32} << 20, max_bytes = std::uint64_t{32} << 20;
  std::uint64_t step_bytes = std::uint64_t{1} << 20, step_factor = 1;  // the factor wins where it is above 1
  FixedRun run;
  int blocking = 0;  // of -z, which FixedRun knows by its meaning
  std::uint64_t skipped_iterations = 0;
  std::uint64_t cycles = 1;  // 0: for ever
  std::vector<Type> types = {Type::float32};
  std::vector<Op> ops = {Op::sum};
  int root = 0;  // -1: every rank, one after the other
  std::size_t unaligned = 0;
  bool parallel_init = false, timestamps = false;
  std::string output_file;
  std::vector<std::string> without_meaning;  // notes about options that cannot apply to these buffers
  Buffers buffers;
  std::string transport, algorithm;  // empty: NCCL's own collectives where there are GPUs and it has them, else what is best
  std::uint64_t graph = 0;           // of GPUs alone; 0: operations are started one by one
  std::string registration;          // --set nccl.buffers of NCCL; empty: as it is by itself
  std::optional<double> least_bandwidth;
  bool rank_summary = false;                 // NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY
  std::function<int(int process)> group_of;  // NCCL_TESTS_SPLIT; empty: one group
  std::vector<std::string> arguments;        // the program's name first
};

// "8", "32M", "1.5G": K, M and G are binary, in either case. Nothing when it is no size, negative or beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text) noexcept;

// The group of each process, from NCCL_TESTS_SPLIT_MASK (hexadecimal) or, where that is empty, from NCCL_TESTS_SPLIT ("MOD 2",
// "/0x4", "AND 0b11"). Empty when both texts are. Throws Error(usage) for anything else.
[[nodiscard]] std::function<int(int process)> parse_split(std::string_view split, std::string_view mask);

// The sizes of a sweep as nccl-tests counts them. Throws Error(usage) when there are more than 10,000.
[[nodiscard]] std::vector<std::uint64_t> sizes_of(const Options& options);

// Whole bytes that a size stands for: elements that do not divide over the ranks, or leave 16 bytes, are left out.
[[nodiscard]] std::uint64_t rounded(Collective collective, std::uint64_t bytes, Type type, int ranks) noexcept;

// Two points for each row of the table: out of place and in place. A collective that cannot work in place has two points out of
// place. `library`: the transport's own collectives, which run where no algorithm is asked for; null where it has none.
[[nodiscard]] std::vector<Point> points_of(const Options& options, int ranks, int ranks_per_node, const Choose& choose,
                                           const CollectiveTable* library = nullptr);
// Whether the points run the library's own collectives.
[[nodiscard]] bool is_native(const Options& options, const CollectiveTable* library);

}  // namespace railgauge::nccl_tests
