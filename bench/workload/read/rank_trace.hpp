// What one rank's trace says, in the words of its file; join() puts the ranks together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge {

// A trace of more is refused.
inline constexpr std::size_t most_nodes = 250'000, most_edges = 4'000'000, most_groups = 262'144, most_members = 4'000'000;
inline constexpr int most_trace_ranks = 200'000;
inline constexpr std::uint64_t most_elements = std::uint64_t{1} << 44;  // of one call

struct TraceGroup {
  std::string name, kind;
  std::vector<int> ranks;  // empty: all ranks, or those that say that they are in it
  int size = 0;            // 0: unknown
  std::string id;          // the same on all of its ranks; empty where the file has none
  int position = -1;       // of this rank in the group; -1: unknown
};

struct RankTrace {
  std::string origin;                  // the file
  std::optional<int> rank;             // as the trace says
  int ranks = 0;                       // of the job; 0: unknown
  std::vector<TraceGroup> groups;      // with group_of()
  std::map<std::string, int> by_name;  // positions of groups
  std::vector<WorkNode> nodes;         // their group is a position in `groups`
  std::vector<std::uint32_t> shares;   // nodes whose `elements` are of one rank, to be multiplied by the group's size
  std::set<std::uint32_t> global;      // nodes whose root or peer is a rank of the job, not of the group
  int steps = 0;                       // 0: unknown
  double items_per_step = 0;           // of all ranks; 0: unknown
  std::string item;
  std::set<std::string> notes;
};

// A call, and what join() has yet to do to it.
struct TracedCall {
  WorkNode node;
  bool share = false;   // its elements are of one rank: to be multiplied by the group's size
  bool global = false;  // its root or peer is a rank of the job
};

// A node in the order in which a rank's program issues them: what is issued waits for what the program has waited for.
class IssueOrder {
 public:
  explicit IssueOrder(RankTrace& trace) : trace_(trace) {}
  // Appends a call, which runs in the stream of its group and, if it is a message, of its peer and direction.
  std::uint32_t call(TracedCall call);
  // Appends to the stream of computations. Nothing where it would take no time.
  void compute(Seconds duration, const std::string& name, std::optional<Seconds> start = std::nullopt);
  // What follows waits for that node.
  void wait(std::uint32_t node);
  // The same, of a node that is complete: a computation with flops and such.
  void compute(WorkNode node);

 private:
  std::vector<std::uint32_t> after();
  RankTrace& trace_;
  std::set<std::uint32_t> frontier_;
  std::map<std::tuple<int, int, int>, int> streams_;  // group, direction and peer
};

// Position of the group in the trace; made where it is not there yet. Throws Error(usage) for too many.
int group_of(RankTrace& trace, const std::string& name, const std::string& kind = "");

// Throws Error(usage) when the trace holds as many nodes as are read.
void expect_room(const RankTrace& trace);

// "allreduce", "_allgather_base", "ncclDevKernel_..." have other functions: a call as PyTorch names it.
struct CallName {
  WorkKind work = WorkKind::collective;
  Collective collective = Collective::all_reduce;
};
// Nothing for a name that is not known.
[[nodiscard]] std::optional<CallName> find_call(std::string_view name);
// "Float", "c10::BFloat16", "Long", "float32", "torch.int64", "Tensor(long int)"; nothing for others.
[[nodiscard]] std::optional<Type> find_trace_type(std::string_view name);
// As many elements of 4 bytes as divide it, else of 1.
void set_bytes(WorkNode& node, std::uint64_t bytes);

// S of a collective from the elements of one rank's input and output (0 where unknown) in a group of so many ranks.
[[nodiscard]] std::uint64_t elements_of_call(Collective collective, std::uint64_t input, std::uint64_t output,
                                             std::uint64_t ranks);

// Counts of an uneven all-to-all: splits are rows of tensors whose elements all together are `elements`. Empty where the splits
// are. Nothing where they do not divide.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> counts_of(const std::vector<std::uint64_t>& splits,
                                                                  std::uint64_t elements);
// Makes it an all_to_all_v of these counts.
void set_counts(WorkNode& node, std::vector<std::uint64_t> sent, std::vector<std::uint64_t> received);

// The rank that a file's name tells: NAME.3.et, rank-3.json, eg_3.json.
[[nodiscard]] std::optional<int> rank_in_name(std::string_view path);

}  // namespace railgauge
