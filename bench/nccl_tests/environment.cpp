// Reads the variables of bench/nccl_tests/environment.hpp.
#include "bench/nccl_tests/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"

namespace railgauge::nccl_tests {
namespace {

constexpr std::array rows{
    Variable{"NCCL_TESTS_DEVICE", "Number of the first GPU of each process"},
    Variable{"NCCL_TESTS_SPLIT", "Groups of processes side by side: AND, OR, MOD or DIV and a number"},
    Variable{"NCCL_TESTS_SPLIT_MASK", "The same as AND and this hexadecimal number; wins over NCCL_TESTS_SPLIT"},
    Variable{"NCCL_TESTS_MIN_BW", "Exit code 7 where the mean busbw (GB/s) is below 0.9 of it"},
    Variable{"NCCL_TESTS_ALLTOALLV_SPREAD", "Refused: alltoallv_perf has blocks of fixed uneven sizes"},
    Variable{"NCCL_TESTS_ALLTOALLV_MATRIX_FILE", "Refused, as NCCL_TESTS_ALLTOALLV_SPREAD is"},
    Variable{"NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", "Refused, as NCCL_TESTS_ALLTOALLV_SPREAD is"},
    Variable{"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", "1: alltoallv_perf prints bytes and bandwidth of each rank"},
    Variable{"RAILGAUGE_MEMORY", "host, cuda, pinned or managed"},
    Variable{"RAILGAUGE_TRANSPORT", "The transport, as in railgauge bench --transport"},
    Variable{"RAILGAUGE_ALGORITHM", "native, auto, or an algorithm by its name"},
    Variable{"RAILGAUGE_ROTATE", "no: each iteration has the same buffers"},
};

// Whole, and followed by nothing.
template <class Number>
std::optional<Number> number_of_all(const std::string& text) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<double> least_bandwidth(const std::string& text) {
  if (text.empty()) return {};
  const auto value = number_of_all<double>(text);
  if (!value || !std::isfinite(*value)) throw Error(Fault::usage, "NCCL_TESTS_MIN_BW=" + text + " is not a number of GB/s");
  if (*value == -1) return {};  // nothing is asked for, as in nccl-tests
  return value;
}

void refuse_patterns(const Variables& variables) {
  for (const char* name :
       {"NCCL_TESTS_ALLTOALLV_SPREAD", "NCCL_TESTS_ALLTOALLV_MATRIX_FILE", "NCCL_TESTS_ALLTOALLV_MATRIX_SCALE"})
    if (const std::string value = value_of(variables, name); !value.empty())
      throw NotImplemented(Fault::usage,
                           std::string(name) + "=" + value +
                               " cannot be followed: alltoallv_perf has blocks of fixed uneven sizes here; unset it "
                               "to measure those");
}

}  // namespace

std::span<const Variable> known_variables() noexcept { return rows; }

std::string value_of(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

void read_variables(const Variables& variables, Options& options) {
  options.group_of = parse_split(value_of(variables, "NCCL_TESTS_SPLIT"), value_of(variables, "NCCL_TESTS_SPLIT_MASK"));
  options.transport = value_of(variables, "RAILGAUGE_TRANSPORT");
  options.algorithm = value_of(variables, "RAILGAUGE_ALGORITHM");
  options.least_bandwidth = least_bandwidth(value_of(variables, "NCCL_TESTS_MIN_BW"));
  if (options.program->collective != Collective::all_to_all_v) return;
  refuse_patterns(variables);
  const std::string summary = value_of(variables, "NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY");
  if (summary.empty()) return;
  const auto value = number_of_all<int>(summary);
  if (!value) throw Error(Fault::usage, "NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY=" + summary + " is not 0 or 1");
  options.rank_summary = *value != 0;
}

std::vector<std::string> devices_of(const Variables& variables, int ranks) {
  const std::string text = value_of(variables, "NCCL_TESTS_DEVICE");
  if (text.empty()) return {};
  const auto first = number_of_all<int>(text);
  if (!first || *first < -1 || *first > 1'000'000)
    throw Error(Fault::usage, "NCCL_TESTS_DEVICE=" + text + " is not the number of a GPU, counted from 0");
  std::vector<std::string> devices;
  for (int i = 0; *first >= 0 && i < ranks; ++i) devices.push_back(std::to_string(*first + i));
  return devices;
}

std::vector<std::string> without_meaning(const Variables& variables, bool gpus) {
  std::vector<std::string> notes;
  if (!gpus && !value_of(variables, "NCCL_TESTS_DEVICE").empty())
    notes.emplace_back("NCCL_TESTS_DEVICE has no meaning on host memory: there are no devices to choose from");
  for (const auto& [name, value] : variables) {
    const auto same = [&name = name](const Variable& row) { return row.name == name; };
    if (name.starts_with("NCCL_TESTS_") && std::none_of(rows.begin(), rows.end(), same))
      notes.push_back(name + " is not followed: nccl-tests 2.19 has no such variable");
  }
  return notes;
}

}  // namespace railgauge::nccl_tests
