// The output of nccl-tests 2.19, for programs that read it: its table byte for byte, and its JSON. Pure functions from records to
// text; docs/nccl-tests.md says what differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "reports/result.hpp"

namespace railgauge::nccl_tests {

// Where a rank runs.
struct Device {
  int rank = 0, group = 0, process = 0;
  std::string host;
  int number = 0;  // of the device, within its host
  std::string address = "0000:00:00";
  std::string description;
};

// What is known before the first row.
struct Heading {
  std::string program;             // "all_reduce_perf"
  std::vector<std::string> notes;  // further lines for people, without the leading "# "
  std::vector<Device> devices;
  int threads = 1, gpus = 1;
  std::uint64_t min_bytes = 0, max_bytes = 0;
  std::optional<std::uint64_t> reduced_to;        // the largest size that fits into memory, where that is less than max_bytes
  std::uint64_t step_bytes = 0, step_factor = 0;  // the factor is used where it is above 1
  std::uint64_t warm_up = 0, iterations = 0, aggregated = 1, checks = 1, graph = 0, unaligned = 0;
  int blocking = 0;
  bool parallel_init = false, launch_time = false, timestamps = false;
  int nccl_version = 0;  // 22809 for 2.28.9; 0 where NCCL does not run
  bool per_iteration = false;
  bool events = false;                    // iterations are timed by events in a GPU's stream, not by the host's clock
  std::uint64_t skipped_iterations = 0;   // the first ones, in the statistics of iterations
  std::optional<double> least_bandwidth;  // the mean busbw must reach 0.9 of it
  // Of the JSON alone.
  std::string start_time;
  std::vector<std::string> arguments;    // the program's name first
  std::vector<std::string> environment;  // "NAME=value"
};

// Two results side by side, and when they were finished.
struct TableRow {
  Result out_of_place, in_place;
  std::string timestamp;                              // timestamp_format
  std::optional<std::uint64_t> count = std::nullopt;  // the column count, where it does not follow from the result
  [[nodiscard]] std::uint64_t share() const;          // the column count
};
inline constexpr const char* timestamp_format = "%Y-%m-%d %H:%M:%S";

// Microseconds. `times` has the maximum over ranks of every iteration, `by_process` that over the ranks of each process; the
// statistics leave the skipped ones out.
struct Iterations {
  double min = 0, max = 0, mean = 0, p50 = 0, p95 = 0, p99 = 0, deviation = 0;
  std::vector<double> times;
  std::vector<std::vector<double>> by_process;
  [[nodiscard]] double variation() const { return mean > 0 ? 100 * deviation / mean : 0; }  // percent
};
// `ranks_per_process` ranks in a row belong to one process. Nothing where fewer iterations were kept than are skipped.
[[nodiscard]] std::optional<Iterations> iterations_of(const Result& result, std::uint64_t skipped, int ranks_per_process);

// What all rows together say.
struct Totals {
  std::uint64_t wrong = 0;
  double sum_of_busbw = 0;
  std::uint64_t results = 0;
  void add(const TableRow& row);
  [[nodiscard]] double mean_busbw() const { return results == 0 ? 0 : sum_of_busbw / static_cast<double>(results); }
  [[nodiscard]] bool enough(std::optional<double> least) const { return !least || mean_busbw() >= *least * 0.9; }
};

// The words of nccl-tests; empty where it has none.
[[nodiscard]] std::string_view word(Type type) noexcept;
[[nodiscard]] std::string_view word(Op op) noexcept;
[[nodiscard]] std::optional<Type> find_type(std::string_view text) noexcept;
[[nodiscard]] std::optional<Op> find_op(std::string_view text) noexcept;

// Elements of one rank's share of `count`, as the column count has it.
[[nodiscard]] std::uint64_t share_of(Collective collective, std::uint64_t count, int ranks) noexcept;

// The column redop: "none" for what reduces nothing, and nothing for hypercube.
[[nodiscard]] std::string_view op_word(const Case& point) noexcept;

// 22809 of "NCCL 2.28.9"; 0 of a text without such a version.
[[nodiscard]] int nccl_version_of(std::string_view library) noexcept;

// With as many digits after the point as leave it within `width`, at most two; else with an exponent.
[[nodiscard]] std::string number(double value, std::size_t width);

// Whole lines. `errors` are sentences about what ended the run early.
[[nodiscard]] std::string heading_text(const Heading& heading);
[[nodiscard]] std::string row_text(const Heading& heading, const TableRow& row);
[[nodiscard]] std::string footing_text(const Heading& heading, const Totals& totals, const std::vector<std::string>& errors);

// The whole document, of format version 3.
[[nodiscard]] std::string json(const Heading& heading, const std::vector<TableRow>& rows, const std::vector<std::string>& errors,
                               const std::string& end_time);

// Which variables the JSON holds: those that choose how the ranks communicate, never one that could be a secret.
[[nodiscard]] bool may_be_shown(std::string_view variable);

}  // namespace railgauge::nccl_tests
