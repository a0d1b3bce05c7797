// The words of frameworks for calls, types and files, in those of base/words.hpp.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "bench/workload/read/rank_trace.hpp"

namespace railgauge {
namespace {

// Small letters alone: "_allgather_base" and "allGather" differ in nothing that matters.
std::string letters(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  return plain;
}

struct CallRow {
  std::string_view name;
  CallName call;
};
constexpr std::array<CallRow, 36> call_rows = {{
    {"allreduce", {WorkKind::collective, Collective::all_reduce}},
    {"allreducecoalesced", {WorkKind::collective, Collective::all_reduce}},
    {"reduce", {WorkKind::collective, Collective::reduce}},
    {"reduceoop", {WorkKind::collective, Collective::reduce}},
    {"allgather", {WorkKind::collective, Collective::all_gather}},
    {"allgatherv", {WorkKind::collective, Collective::all_gather}},
    {"allgatherbase", {WorkKind::collective, Collective::all_gather}},
    {"allgatheroop", {WorkKind::collective, Collective::all_gather}},
    {"allgathertensor", {WorkKind::collective, Collective::all_gather}},
    {"allgatherintotensor", {WorkKind::collective, Collective::all_gather}},
    {"allgatherintotensorcoalesced", {WorkKind::collective, Collective::all_gather}},
    {"allgathercoalesced", {WorkKind::collective, Collective::all_gather}},
    {"gather", {WorkKind::collective, Collective::gather}},
    {"scatter", {WorkKind::collective, Collective::scatter}},
    {"broadcast", {WorkKind::collective, Collective::broadcast}},
    {"broadcastoop", {WorkKind::collective, Collective::broadcast}},
    {"alltoall", {WorkKind::collective, Collective::all_to_all}},
    {"alltoallv", {WorkKind::collective, Collective::all_to_all}},
    {"alltoallbase", {WorkKind::collective, Collective::all_to_all}},
    {"alltoallsingle", {WorkKind::collective, Collective::all_to_all}},
    {"reducescatter", {WorkKind::collective, Collective::reduce_scatter}},
    {"reducescatterv", {WorkKind::collective, Collective::reduce_scatter}},
    {"reducescatterbase", {WorkKind::collective, Collective::reduce_scatter}},
    {"reducescatteroop", {WorkKind::collective, Collective::reduce_scatter}},
    {"reducescattertensor", {WorkKind::collective, Collective::reduce_scatter}},
    {"reducescattertensorcoalesced", {WorkKind::collective, Collective::reduce_scatter}},
    {"barrier", {WorkKind::collective, Collective::barrier}},
    {"allbarrier", {WorkKind::collective, Collective::barrier}},
    {"send", {WorkKind::send, Collective::send_receive}},
    {"isend", {WorkKind::send, Collective::send_receive}},
    {"recv", {WorkKind::receive, Collective::send_receive}},
    {"irecv", {WorkKind::receive, Collective::send_receive}},
    {"recvanysource", {WorkKind::receive, Collective::send_receive}},
    {"wait", {WorkKind::marker, Collective::barrier}},
    {"init", {WorkKind::marker, Collective::barrier}},
    {"synchronize", {WorkKind::marker, Collective::barrier}},
}};

struct TraceTypeRow {
  std::string_view name;
  Type type;
};
constexpr std::array<TraceTypeRow, 37> type_rows = {{
    {"float", Type::float32},
    {"float32", Type::float32},
    {"fp32", Type::float32},
    {"half", Type::float16},
    {"float16", Type::float16},
    {"fp16", Type::float16},
    {"c10half", Type::float16},
    {"bfloat16", Type::bfloat16},
    {"bf16", Type::bfloat16},
    {"c10bfloat16", Type::bfloat16},
    {"double", Type::float64},
    {"float64", Type::float64},
    {"fp64", Type::float64},
    {"long", Type::int64},
    {"longint", Type::int64},
    {"int64", Type::int64},
    {"int", Type::int32},
    {"int32", Type::int32},
    {"uint32", Type::uint32},
    {"uint64", Type::uint64},
    {"unsignedint", Type::uint32},
    {"char", Type::int8},
    {"signedchar", Type::int8},
    {"int8", Type::int8},
    {"byte", Type::uint8},
    {"unsignedchar", Type::uint8},
    {"uint8", Type::uint8},
    {"bool", Type::uint8},
    {"float8e4m3", Type::float8_e4m3},
    {"float8e4m3fn", Type::float8_e4m3},
    {"float8e4m3fnuz", Type::float8_e4m3},
    {"c10float8e4m3fn", Type::float8_e4m3},
    {"float8e5m2", Type::float8_e5m2},
    {"float8e5m2fnuz", Type::float8_e5m2},
    {"c10float8e5m2", Type::float8_e5m2},
    {"fp8e4m3", Type::float8_e4m3},
    {"fp8e5m2", Type::float8_e5m2},
}};

template <class Rows>
auto find_row(const Rows& rows, const std::string& name) {
  return std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.name == name; });
}

std::optional<int> number_at(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end == digits.data() || number >= most_trace_ranks) return std::nullopt;
  return number;
}

}  // namespace

std::optional<CallName> find_call(std::string_view name) {
  std::string plain = letters(name);
  for (const std::string_view front : {"c10d", "nccl", "gloo"})
    if (plain.starts_with(front)) plain.erase(0, front.size());
  const auto found = find_row(call_rows, plain);
  return found == call_rows.end() ? std::nullopt : std::optional(found->call);
}

std::optional<Type> find_trace_type(std::string_view name) {
  // "Tensor(float)", "GenericList[Tensor(float)]", "['Tensor(float)']": the first tensor's.
  if (const std::size_t at = name.find("Tensor("); at != std::string_view::npos) {
    name.remove_prefix(at + 7);
    name = name.substr(0, name.find(')'));
  }
  std::string plain = letters(name);
  if (plain.starts_with("torch")) plain.erase(0, 5);
  const auto found = find_row(type_rows, plain);
  return found == type_rows.end() ? std::nullopt : std::optional(found->type);
}

void set_bytes(WorkNode& node, std::uint64_t bytes) {
  node.type = bytes % 4 == 0 ? Type::float32 : Type::uint8;
  node.elements = bytes / bytes_of(node.type);
}

std::uint64_t elements_of_call(Collective collective, std::uint64_t input, std::uint64_t output, std::uint64_t ranks) {
  const auto times = [&](std::uint64_t share) { return share > most_elements / ranks ? most_elements + 1 : share * ranks; };
  switch (collective) {
    case Collective::all_gather:
    case Collective::gather:
      return std::max(output, times(input));
    case Collective::reduce_scatter:
    case Collective::scatter:
      return std::max(input, times(output));
    case Collective::barrier:
      return 0;
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      return input != 0 ? input : output;
    default:
      return std::max(input, output);
  }
}

std::optional<std::vector<std::uint64_t>> counts_of(const std::vector<std::uint64_t>& splits, std::uint64_t elements) {
  std::uint64_t rows = 0;
  for (const std::uint64_t split : splits) {
    if (split > most_elements) return std::nullopt;
    rows += split;
    if (rows > most_elements) return std::nullopt;
  }
  if (rows == 0) return elements == 0 || splits.empty() ? std::optional(splits) : std::nullopt;
  if (elements % rows != 0) return std::nullopt;
  std::vector<std::uint64_t> counts = splits;
  for (std::uint64_t& count : counts) count *= elements / rows;
  return counts;
}

void set_counts(WorkNode& node, std::vector<std::uint64_t> sent, std::vector<std::uint64_t> received) {
  node.elements = 0;
  for (const std::uint64_t count : sent) node.elements += count;
  node.collective = Collective::all_to_all_v;
  node.send_counts = std::move(sent);
  node.receive_counts = std::move(received);
}

std::optional<int> rank_in_name(std::string_view path) {
  if (const std::size_t slash = path.find_last_of("/ "); slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const auto digit = [&](std::size_t at) { return at < path.size() && std::isdigit(static_cast<unsigned char>(path[at])) != 0; };
  std::string low(path);
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::size_t at = low.find("rank"); at != std::string::npos; at = low.find("rank", at + 1)) {
    std::size_t first = at + 4;
    if (first < low.size() && (low[first] == '-' || low[first] == '_' || low[first] == '.')) ++first;
    if (digit(first)) return number_at(path.substr(first));
  }
  // The number right before the extensions, behind a separator.
  constexpr std::string_view extensions[] = {".gz", ".tgz", ".tar", ".json", ".et", ".txt", ".log"};
  for (bool stripped = true; stripped;) {
    stripped = false;
    for (const std::string_view extension : extensions)
      if (path.ends_with(extension)) {
        path.remove_suffix(extension.size());
        stripped = true;
      }
  }
  std::size_t first = path.size();
  while (first > 0 && digit(first - 1)) --first;
  if (first == path.size() || first == 0 || (path[first - 1] != '.' && path[first - 1] != '_' && path[first - 1] != '-'))
    return std::nullopt;
  return number_at(path.substr(first));
}

}  // namespace railgauge
