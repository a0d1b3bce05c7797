// A training step as data: for each rank the computations, collectives and messages, and what each of them waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "base/words.hpp"

namespace railgauge {

// What a node of a workload does. `marker` takes no time and only joins predecessors (the end of a step, a wait of a trace).
enum class WorkKind : std::uint8_t { compute, collective, send, receive, marker };
inline constexpr const char* work_names[] = {"compute", "collective", "send", "receive", "marker"};  // by WorkKind

// Ranks that communicate: a communicator. A rank's position in `ranks` is its rank in the group.
struct ProcessGroup {
  std::string name;        // unique within the workload
  std::string kind;        // data, tensor, pipeline, expert, context, or what a trace calls it; may be empty
  std::vector<int> ranks;  // of the workload, each once, at least one
  int whole = 0;           // its size, where `ranks` has only those that stand for others; 0: it has all
  [[nodiscard]] int size() const { return whole != 0 ? whole : static_cast<int>(ranks.size()); }
  [[nodiscard]] const std::string& label() const { return kind.empty() ? name : kind; }  // groups of one kind have one
  friend bool operator==(const ProcessGroup&, const ProcessGroup&) = default;
};

// A node of one rank. Nodes of one rank and one stream run one after the other, in the order of the list; nodes of different
// streams may overlap. The n-th call of a collective in a group is the same on all of its ranks.
struct WorkNode {
  WorkKind work = WorkKind::marker;
  std::string name;                  // of the layer or call, for people; the same on all ranks of a collective
  std::string reason;                // the formula that its size or time comes from, with its source; or its place in the file
  int stream = 0;                    // computations and communication of a rank have different streams
  std::vector<std::uint32_t> after;  // predecessors: smaller positions in the same rank's list

  // collective, send, receive
  Collective collective = Collective::all_reduce;
  int group = 0;  // position in Workload::groups
  int root = 0;   // rank in the group of a rooted collective
  int peer = 0;   // rank in the group of a send or receive
  int tag = 0;    // of a send or receive: the n-th send of a group, pair and tag meets the n-th receive of these
  Type type = Type::float32;
  Op op = Op::none;  // of collectives that reduce
  // Elements of one call, as nccl-tests counts S: the larger of input and output (all_gather and reduce_scatter: the full
  // buffer). With uneven counts: the sum of what this rank sends.
  std::uint64_t elements = 0;
  // all_to_all_v: elements to and from each rank of the group; empty otherwise.
  std::vector<std::uint64_t> send_counts, receive_counts;

  // compute
  Seconds duration{0};           // on the hardware that the workload was made for or traced on
  double flops = 0;              // where it is known: of the model's formulas
  std::optional<Seconds> start;  // of a trace: when it started, since the trace's beginning (also of communication)

  [[nodiscard]] std::uint64_t bytes() const { return elements * bytes_of(type); }
  [[nodiscard]] bool communicates() const { return work != WorkKind::compute && work != WorkKind::marker; }
  friend bool operator==(const WorkNode&, const WorkNode&) = default;
};

struct Workload {
  std::string name;    // resnet50, or the file's
  std::string source;  // how it was made: model and parameters, or format and file
  int ranks = 0;
  std::vector<ProcessGroup> groups;
  std::vector<std::vector<WorkNode>> nodes;  // by rank; empty for ranks of which no trace was given
  int alike = 1;                             // so many ranks that follow each other do the same, in calls that are alike
  int steps = 1;                             // training steps that the lists hold, one after the other
  double items_per_step = 0;                 // images, sentences or tokens of a step of all ranks; 0 where it is not known
  std::string item;                          // image, sentence, token
  std::vector<std::string> notes;            // what a reader assumed, for people
};

}  // namespace railgauge
