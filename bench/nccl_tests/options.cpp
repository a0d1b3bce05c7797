// Sizes, groups and points of bench/nccl_tests/options.hpp.
#include "bench/nccl_tests/options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "bench/schedule/layout.hpp"

namespace railgauge::nccl_tests {
namespace {

constexpr std::size_t most_sizes = 10'000;
constexpr std::uint64_t aligned_bytes = 16;  // each rank's share is a multiple of it

constexpr std::array programs{
    Program{"all_reduce_perf", Collective::all_reduce},
    Program{"all_gather_perf", Collective::all_gather},
    Program{"broadcast_perf", Collective::broadcast},
    Program{"reduce_perf", Collective::reduce},
    Program{"reduce_scatter_perf", Collective::reduce_scatter},
    Program{"alltoall_perf", Collective::all_to_all},
    Program{"alltoallv_perf", Collective::all_to_all_v},
    Program{"gather_perf", Collective::gather},
    Program{"scatter_perf", Collective::scatter},
    Program{"sendrecv_perf", Collective::send_receive},
    Program{"hypercube_perf", Collective::hypercube},
};

enum class Operation : std::uint8_t { conjunction, disjunction, remainder, quotient };
struct OperationRow {
  std::string_view word;
  Operation operation;
};
constexpr std::array operations{
    OperationRow{"AND", Operation::conjunction}, OperationRow{"&", Operation::conjunction},
    OperationRow{"OR", Operation::disjunction},  OperationRow{"|", Operation::disjunction},
    OperationRow{"MOD", Operation::remainder},   OperationRow{"%", Operation::remainder},
    OperationRow{"DIV", Operation::quotient},    OperationRow{"/", Operation::quotient},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Decimal, 0x hexadecimal or 0b binary.
std::optional<int> whole_number(std::string_view text, int base = 10) {
  const std::string_view prefix = text.substr(0, 2);
  if (prefix == "0x" || prefix == "0X") {
    base = 16;
    text.remove_prefix(2);
  } else if (base != 16 && (prefix == "0b" || prefix == "0B")) {
    base = 2;
    text.remove_prefix(2);
  }
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

bool divided_over_ranks(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::send_receive:
      return false;
    default:
      return true;
  }
}

}  // namespace

const Program* find_program(std::string_view path) noexcept {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  for (const Program& program : programs)
    if (program.name == path) return &program;
  return nullptr;
}

std::optional<std::uint64_t> parse_size(std::string_view text) noexcept {
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (fault != std::errc() || !std::isfinite(number) || number < 0) return {};
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.size() > 1) return {};
  constexpr std::string_view suffixes = "KMG";
  if (!rest.empty()) {
    const std::size_t power = suffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(rest.front()))));
    if (power == std::string_view::npos) return {};
    number *= std::pow(1024, static_cast<double>(power + 1));
  }
  if (number >= 0x1p63) return {};
  return static_cast<std::uint64_t>(number);
}

std::function<int(int process)> parse_split(std::string_view split, std::string_view mask) {
  split = trimmed(split);
  if (split.empty() && mask.empty()) return {};
  if (!mask.empty()) {
    const auto value = whole_number(trimmed(mask), 16);
    if (!value) throw Error(Fault::usage, "NCCL_TESTS_SPLIT_MASK=" + std::string(mask) + " is no hexadecimal number");
    return [value = *value](int process) { return process & value; };
  }
  std::string upper(split);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const OperationRow& row : operations) {
    if (!upper.starts_with(row.word)) continue;
    const auto value = whole_number(trimmed(split.substr(row.word.size())));
    const bool divides = row.operation == Operation::remainder || row.operation == Operation::quotient;
    if (!value || (divides && *value == 0)) break;
    return [operation = row.operation, value = *value](int process) {
      switch (operation) {
        case Operation::conjunction:
          return process & value;
        case Operation::disjunction:
          return process | value;
        case Operation::remainder:
          return process % value;
        case Operation::quotient:
          break;
      }
      return process / value;
    };
  }
  throw Error(Fault::usage, "NCCL_TESTS_SPLIT=" + std::string(split) +
                                " is not AND, OR, MOD or DIV (or &, |, %, /) and a whole number, for example MOD 2");
}

std::vector<std::uint64_t> sizes_of(const Options& options) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = options.min_bytes; size <= options.max_bytes;) {
    sizes.push_back(size);
    if (sizes.size() > most_sizes) throw Error(Fault::usage, "the sweep has more than 10000 sizes: choose a larger -i or -f");
    const std::uint64_t next = options.step_factor <= 1 ? size + options.step_bytes
                               : size > std::numeric_limits<std::uint64_t>::max() / options.step_factor
                                   ? size
                                   : size * options.step_factor;
    if (next <= size) break;  // no step, from 0 by a factor, or beyond 64 bits
    size = next;
  }
  return sizes;
}

std::uint64_t rounded(Collective collective, std::uint64_t bytes, Type type, int ranks) noexcept {
  const std::uint64_t element = bytes_of(type);
  const std::uint64_t count = bytes / element;
  if (!divided_over_ranks(collective)) return count * element;
  const auto n = static_cast<std::uint64_t>(ranks);
  const std::uint64_t share = count / n & ~(aligned_bytes / element - 1);
  // Blocks of different sizes follow fixed weights, which leave a few more elements out.
  return used_elements(collective, ranks, share * n) * element;
}

bool is_native(const Options& options, const CollectiveTable* library) {
  if (!options.algorithm.empty()) return options.algorithm == "native";
  return library != nullptr && std::find(library->collectives.begin(), library->collectives.end(), options.program->collective) !=
                                   library->collectives.end();
}

std::vector<Point> points_of(const Options& options, int ranks, int ranks_per_node, const Choose& choose,
                             const CollectiveTable* library) {
  const Collective collective = options.program->collective;
  const CollectiveRow& row = railgauge::row(collective);
  if (options.root >= ranks)
    throw Error(Fault::usage, "-r " + std::to_string(options.root) + " is no rank: there are " + std::to_string(ranks));
  std::vector<int> roots;
  if (options.root < 0 && row.rooted)
    for (int root = 0; root < ranks; ++root) roots.push_back(root);
  else
    roots.push_back(std::max(0, options.root));
  const std::vector<Op> its_ops = row.reduces ? options.ops : std::vector{Op::sum};

  std::vector<Point> points;
  for (const Type type : options.types)
    for (const Op op : its_ops)
      for (const int root : roots)
        for (const std::uint64_t size : sizes_of(options))
          for (const bool in_place : {false, true}) {
            SweepOptions sweep;
            sweep.collectives = {std::string(row.name)};
            sweep.bytes = {std::to_string(rounded(collective, size, type, ranks))};
            sweep.types = {std::string(railgauge::name(type))};
            sweep.ops = {std::string(railgauge::name(op))};
            if (is_native(options, library))
              sweep.algorithms = {"native"};
            else if (!options.algorithm.empty())
              sweep.algorithms = {options.algorithm};
            sweep.root = root;
            sweep.ranks_per_node = ranks_per_node;
            sweep.buffering = in_place && row.in_place ? Buffering::in_place : Buffering::out_of_place;
            for (Point& point : make_points(sweep, ranks, ranks_per_node, choose, library)) points.push_back(std::move(point));
          }
  return points;
}

}  // namespace railgauge::nccl_tests
