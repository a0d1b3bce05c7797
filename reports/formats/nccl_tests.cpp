// What table and JSON of nccl-tests have in common: its words, its numbers and its statistics of iterations.
#include "reports/formats/nccl_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "reports/environment.hpp"

namespace railgauge::nccl_tests {
namespace {

struct TypeWord {
  Type type;
  std::string_view word;
};
struct OpWord {
  Op op;
  std::string_view word;
};

constexpr std::array type_words{
    TypeWord{Type::int8, "int8"},         TypeWord{Type::uint8, "uint8"},        TypeWord{Type::int32, "int32"},
    TypeWord{Type::uint32, "uint32"},     TypeWord{Type::int64, "int64"},        TypeWord{Type::uint64, "uint64"},
    TypeWord{Type::float16, "half"},      TypeWord{Type::float32, "float"},      TypeWord{Type::float64, "double"},
    TypeWord{Type::bfloat16, "bfloat16"}, TypeWord{Type::float8_e4m3, "f8e4m3"}, TypeWord{Type::float8_e5m2, "f8e5m2"},
};
constexpr std::array op_words{
    OpWord{Op::sum, "sum"}, OpWord{Op::prod, "prod"},        OpWord{Op::max, "max"},   OpWord{Op::min, "min"},
    OpWord{Op::avg, "avg"}, OpWord{Op::premulsum, "mulsum"}, OpWord{Op::none, "none"},
};

constexpr std::array shown_prefixes{"NCCL_",
                                    "UCX_",
                                    "CUDA_VISIBLE_DEVICES",
                                    "OMP_NUM_THREADS",
                                    "OMPI_COMM_WORLD_SIZE",
                                    "OMPI_COMM_WORLD_RANK",
                                    "SLURM_JOB_ID",
                                    "SLURM_NTASKS",
                                    "SLURM_JOB_NUM_NODES",
                                    "RAILGAUGE_PLUGIN_PATH"};

// Nearest rank of a whole percentage, of values in ascending order.
double percentile(const std::vector<double>& sorted, std::size_t percent) {
  return sorted[std::min(sorted.size() - 1, (sorted.size() * percent + 99) / 100 - 1)];
}

}  // namespace

std::string_view word(Type type) noexcept {
  for (const TypeWord& row : type_words)
    if (row.type == type) return row.word;
  return {};
}

std::string_view word(Op op) noexcept {
  for (const OpWord& row : op_words)
    if (row.op == op) return row.word;
  return {};
}

std::optional<Type> find_type(std::string_view text) noexcept {
  for (const TypeWord& row : type_words)
    if (row.word == text) return row.type;
  return {};
}

std::optional<Op> find_op(std::string_view text) noexcept {
  for (const OpWord& row : op_words)
    if (row.word == text && row.op != Op::none) return row.op;
  return {};
}

std::uint64_t share_of(Collective collective, std::uint64_t count, int ranks) noexcept {
  switch (collective) {
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
    case Collective::all_to_all_v:
    case Collective::gather:
    case Collective::scatter:
    case Collective::hypercube:
      return ranks > 0 ? count / static_cast<std::uint64_t>(ranks) : count;
    default:
      return count;
  }
}

std::uint64_t TableRow::share() const {
  if (count) return *count;
  const Case& point = out_of_place.point;
  const auto collective = find_collective(point.collective);
  return collective ? share_of(*collective, point.count, point.ranks) : point.count;
}

std::string_view op_word(const Case& point) noexcept {
  if (find_collective(point.collective) == Collective::hypercube) return {};
  return word(railgauge::find_op(point.op).value_or(Op::none));
}

int nccl_version_of(std::string_view library) noexcept {
  constexpr std::string_view prefix = "NCCL ";
  if (!library.starts_with(prefix)) return 0;
  int version = 0;
  const char* at = library.data() + prefix.size();
  const char* const end = library.data() + library.size();
  for (int part = 0; part < 3; ++part) {
    int value = 0;
    const auto [rest, fault] = std::from_chars(at, end, value);
    if (fault != std::errc() || value < 0 || value > 99) return 0;
    version = version * 100 + value;
    if (part < 2 && (rest == end || *rest != '.')) return 0;
    at = rest + (part < 2 ? 1 : 0);
  }
  return version;
}

std::string number(double value, std::size_t width) {
  for (int digits = 2; digits >= 0; --digits) {
    std::string text = fmt::format("{:.{}f}", value, digits);
    if (text.size() <= width) return text;
  }
  return fmt::format("{:.{}e}", value, width >= 7 ? 1 : 0);
}

std::optional<Iterations> iterations_of(const Result& result, std::uint64_t skipped, int ranks_per_process) {
  if (result.by_rank.empty() || result.by_rank.front().size() <= skipped) return {};
  Iterations found;
  const std::size_t all = result.by_rank.front().size();
  found.times.assign(all, 0);
  for (std::size_t rank = 0; rank < result.by_rank.size(); ++rank) {
    if (rank % static_cast<std::size_t>(std::max(1, ranks_per_process)) == 0) found.by_process.emplace_back(all, 0);
    std::vector<double>& process = found.by_process.back();
    for (std::size_t i = 0; i < std::min(all, result.by_rank[rank].size()); ++i) {
      const double time = result.by_rank[rank][i].count() * 1e6;
      process[i] = std::max(process[i], time);
      found.times[i] = std::max(found.times[i], time);
    }
  }
  std::vector<double> sorted(found.times.begin() + static_cast<std::ptrdiff_t>(skipped), found.times.end());
  const std::size_t count = sorted.size();
  std::sort(sorted.begin(), sorted.end());
  found.min = sorted.front();
  found.max = sorted.back();
  found.p50 = sorted[count / 2];
  found.p95 = percentile(sorted, 95);
  found.p99 = percentile(sorted, 99);
  for (const double time : sorted) found.mean += time / static_cast<double>(count);
  double variance = 0;
  for (const double time : sorted) variance += (time - found.mean) * (time - found.mean) / static_cast<double>(count);
  found.deviation = std::sqrt(variance);
  return found;
}

void Totals::add(const TableRow& row) {
  for (const Result* result : {&row.out_of_place, &row.in_place}) {
    wrong += result->summary.wrong;
    sum_of_busbw += result->summary.busbw;
    ++results;
  }
}

bool may_be_shown(std::string_view variable) {
  if (looks_secret(variable)) return false;
  for (const std::string_view prefix : shown_prefixes)
    if (prefix.ends_with('_') ? variable.starts_with(prefix) : variable == prefix) return true;
  return false;
}

}  // namespace railgauge::nccl_tests
