// The table of formats.
#include "bench/workload/read/formats.hpp"

#include <array>

#include "bench/workload/read/chakra.hpp"
#include "bench/workload/read/kineto.hpp"
#include "bench/workload/read/nccl_log.hpp"
#include "bench/workload/read/param.hpp"
#include "bench/workload/read/pytorch_et.hpp"
#include "bench/workload/read/simai.hpp"

namespace railgauge {
namespace {

bool begins_with(std::string_view head, char bracket) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == bracket;
}
bool has(std::string_view head, std::string_view text) { return head.find(text) != std::string_view::npos; }

template <RankTrace (*Read)(TraceInput&)>
std::vector<RankTrace> one(TraceInput& input) {
  std::vector<RankTrace> traces;
  traces.push_back(Read(input));
  return traces;
}

// A message's length and its first field: of a version or an attribute; or an empty header and a node.
bool is_chakra(std::string_view head) {
  std::size_t at = 0;
  while (at < head.size() && at < 5 && (static_cast<unsigned char>(head[at]) & 128) != 0) ++at;
  if (at + 1 >= head.size() || at >= 5) return false;
  const char length = head[at], field = head[at + 1];
  if (at == 0 && length == 0) return head.size() > 2 && (head[2] == 0x08 || head[2] == 0x12);
  return field == 0x0a || field == 0x12;
}

constexpr std::array<TraceFormat, 6> rows = {{
    // docs/traces.md says what each is
    {"simai",
     [](std::string_view head) { return head.starts_with("HYBRID_") || head.starts_with("DATA") || head.starts_with("MODEL"); },
     one<read_simai>},
    {"nccl-log", [](std::string_view head) { return has(head, " NCCL INFO ") || has(head, " NCCL version "); }, read_nccl_log},
    {"kineto",
     [](std::string_view head) {
       return begins_with(head, '{') &&
              (has(head, "\"traceEvents\"") || has(head, "\"deviceProperties\"") || has(head, "\"distributedInfo\""));
     },
     one<read_kineto>},
    {"pytorch-et",
     [](std::string_view head) {
       return begins_with(head, '{') && has(head, "\"schema\"") && (has(head, "\"nodes\"") || has(head, "\"start_ts\""));
     },
     one<read_pytorch_et>},
    {"param", [](std::string_view head) { return begins_with(head, '['); }, one<read_param>},
    {"chakra", is_chakra, one<read_chakra>},
}};

}  // namespace

std::span<const TraceFormat> trace_formats() noexcept { return rows; }

const TraceFormat* find_trace_format(std::string_view head) noexcept {
  for (const TraceFormat& row : rows)
    if (row.recognise(head)) return &row;
  return nullptr;
}

}  // namespace railgauge
