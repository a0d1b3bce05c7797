// What PyTorch records of a call of c10d, wherever a trace keeps it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload/read/rank_trace.hpp"

namespace railgauge {

struct RecordedCall {
  std::string where;  // "node 437", for sentences
  std::string collective, type, group, description;
  std::uint64_t input = 0, output = 0;        // elements
  std::vector<std::uint64_t> sent, received;  // splits; empty: equal
  int root = -1;                              // or peer, rank in the group
  std::vector<int> ranks;                     // of the group; empty: unknown
  int group_size = 0;                         // 0: unknown
};

// [3, 4] or "[3, 4]"; empty for anything else. Throws Error(usage) that begins with `where` for numbers that are none.
[[nodiscard]] std::vector<std::uint64_t> numbers_of(const nlohmann::json* list, const std::string& where);

// Ranks in a group, of the same lists. Throws Error(usage) that begins with `where` also for one beyond most_trace_ranks.
[[nodiscard]] std::vector<int> ranks_of_list(const nlohmann::json* list, const std::string& where);
// A rank, or how many there are; nothing for null and what is no number that counts. Throws Error(usage) "WHERE: WHAT 999999 ..."
// for more than most_trace_ranks.
[[nodiscard]] std::optional<int> number_of_ranks_in(const nlohmann::json* value, const std::string& where, const char* what);

// The groups of "## process_group:init ##" and of distributedInfo: [{pg_name, pg_desc, ranks, group_size or pg_size}].
void add_groups(RankTrace& trace, const nlohmann::json& list);
// start, start + stride, ...; empty where they make no group.
[[nodiscard]] std::vector<int> strided(std::int64_t start, std::int64_t stride, std::uint64_t size);

// The call, without its dependences. Throws Error(usage) "ORIGIN: WHERE: ...".
[[nodiscard]] TracedCall node_of(RankTrace& trace, const RecordedCall& call);

}  // namespace railgauge
