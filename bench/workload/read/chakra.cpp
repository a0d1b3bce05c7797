// Nodes in an order in which each comes behind those that it depends on.
#include "bench/workload/read/chakra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "bench/workload/chakra/kinds.hpp"
#include "bench/workload/read/calls.hpp"
#include "bench/workload/read/chakra_messages.hpp"
#include "bench/workload/read/elements.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_name = 100;  // of what is kept of a name

struct RawNode {
  std::uint64_t id = 0;
  TracedCall call;
  std::vector<std::uint64_t> control, data;  // ids of those that it depends on
};

class ChakraTrace {
 public:
  explicit ChakraTrace(TraceInput& input) : input_(input), messages_(input) { trace_.origin = input.origin(); }

  RankTrace read() {
    chakra::Header header;
    if (!messages_.next(header)) throw Error(Fault::usage, fmt::format("{}: the file is empty", trace_.origin));
    const ChakraAttributes attributes(header.attributes());
    own_ = attributes.text("schema") == chakra::own_schema;
    pytorch_ = !own_ && attributes.has("pid");
    if (own_) read_own_header(attributes);
    for (chakra::Step step; messages_.next(step); step.Clear()) take(step);
    if (raw_.empty()) throw Error(Fault::usage, fmt::format("{}: it has no nodes", trace_.origin));
    put_in_order();
    return std::move(trace_);
  }

 private:
  [[nodiscard]] Error fail(std::uint64_t id, const std::string& what) const {
    return {Fault::usage, fmt::format("{}: node {}: {}", trace_.origin, id, what)};
  }

  void read_own_header(const ChakraAttributes& attributes) {
    const auto small = [&](const char* key) {
      return static_cast<int>(std::clamp<std::int64_t>(attributes.whole(key).value_or(0), 0, most_trace_ranks));
    };
    trace_.ranks = small("ranks");
    trace_.rank = small("rank");
    trace_.steps = small("steps");
    trace_.items_per_step = std::clamp(attributes.real("items_per_step").value_or(0), 0.0, 1e18);
    trace_.item = printable(attributes.text("item").value_or(""));
    const auto groups = parse_bounded(attributes.text("groups").value_or(""));
    if (!groups || !groups->is_array()) return;
    add_groups(trace_, *groups);
    // Their numbers are ASTRA-sim's; here they have names.
    for (const nlohmann::json& one : *groups)
      if (const auto there = trace_.by_name.find(text_of(member_of(one, "pg_name"))); there != trace_.by_name.end())
        trace_.groups[static_cast<std::size_t>(there->second)].name = text_of(member_of(one, "name"));
  }

  void take(const chakra::Step& step) {
    if (raw_.size() >= most_nodes)
      throw Error(Fault::usage, fmt::format("{}: it has more than {} nodes: trace fewer steps", trace_.origin, most_nodes));
    RawNode made;
    made.id = step.id();
    edges_ += static_cast<std::size_t>(step.control_dependences_size()) + static_cast<std::size_t>(step.data_dependences_size());
    if (edges_ > most_edges) throw fail(made.id, fmt::format("there are more than {} dependences", most_edges));
    made.control.assign(step.control_dependences().begin(), step.control_dependences().end());
    made.data.assign(step.data_dependences().begin(), step.data_dependences().end());
    WorkNode& node = made.call.node;
    node.name = printable(step.name().substr(0, own_ ? std::string::npos : most_name));
    node.reason = fmt::format("node {}", step.id());
    const ChakraAttributes attributes(step.attributes());
    if (!own_ && step.start_micros() != 0) node.start = Seconds(static_cast<double>(step.start_micros()) * 1e-6);
    const bool host = attributes.flag("is_cpu_op", false);
    switch (step.type()) {
      case chakra::send_node:
      case chakra::receive_node:
        read_message(step, attributes, made);
        break;
      case chakra::collective_node:
        if (host || (!attributes.has("comm_size") && !attributes.has("comm_type"))) {
          compute(step, attributes, host, node);
          trace_.notes.insert("collectives of the host are taken for its time alone: the device's stand beside them");
        } else {
          read_collective(step, attributes, made.call);
        }
        break;
      case chakra::compute_node:
      case chakra::load_node:
      case chakra::store_node:
        compute(step, attributes, host, node);
        break;
      case chakra::metadata_node:
        read_metadata(step);
        break;
      case 0:
        break;  // a node without a type joins others
      default:
        if (step.type() > 10) throw fail(made.id, fmt::format("no type {} of nodes is known", step.type()));
        compute(step, attributes, host, node);
    }
    if (own_) read_own(attributes, node);
    raw_.push_back(std::move(made));
  }

  static void compute(const chakra::Step& step, const ChakraAttributes& attributes, bool host, WorkNode& node) {
    node.work = WorkKind::compute;
    node.duration = Seconds(static_cast<double>(std::min<std::uint64_t>(step.duration_micros(), std::uint64_t{1} << 50)) * 1e-6);
    // The host, and each of the device's streams.
    const std::int64_t stream = attributes.whole("stream").value_or(0);
    node.stream = host ? 0 : 1 + static_cast<int>(std::clamp<std::int64_t>(stream, 0, 1 << 20));
    node.flops = std::max(0.0, attributes.real("num_ops").value_or(0));
  }

  int group_of_node(const ChakraAttributes& attributes) {
    const std::string name = attributes.text("pg_name").value_or("");
    return group_of(trace_, name);
  }

  [[nodiscard]] std::uint64_t size_of(const chakra::Step& step, const ChakraAttributes& attributes) const {
    const auto size = attributes.whole("comm_size");
    if (!size || *size < 0) throw fail(step.id(), "its comm_size is missing");
    return static_cast<std::uint64_t>(*size);
  }

  // Of bytes and, where PyTorch said it, the type of the first tensor.
  static void size(WorkNode& node, std::uint64_t bytes, const chakra::Step& step) {
    const std::optional<Type> type = find_trace_type(step.inputs().types());
    if (type && bytes % bytes_of(*type) == 0) {
      node.type = *type;
      node.elements = bytes / bytes_of(*type);
    } else {
      set_bytes(node, bytes);
    }
  }

  void read_message(const chakra::Step& step, const ChakraAttributes& attributes, RawNode& made) {
    WorkNode& node = made.call.node;
    node.work = step.type() == chakra::send_node ? WorkKind::send : WorkKind::receive;
    node.collective = Collective::send_receive;
    node.group = group_of_node(attributes);
    size(node, size_of(step, attributes), step);
    const auto peer = attributes.whole(node.work == WorkKind::send ? "comm_dst" : "comm_src");
    if (!peer || *peer < 0 || *peer >= most_trace_ranks)
      throw fail(step.id(), node.work == WorkKind::send ? "its comm_dst is missing" : "its comm_src is missing");
    node.peer = static_cast<int>(*peer);
    node.tag = static_cast<int>(std::clamp<std::int64_t>(attributes.whole("comm_tag").value_or(0), 0, INT32_MAX));
    made.call.global = true;
  }

  void read_collective(const chakra::Step& step, const ChakraAttributes& attributes, TracedCall& call) {
    WorkNode& node = call.node;
    const auto number = attributes.whole("comm_type");
    constexpr auto known = static_cast<std::int64_t>(std::size(chakra::collectives_by_number));
    if (!number || *number < 0 || *number >= known)
      throw fail(step.id(), number ? fmt::format("no comm_type {} is known", *number) : "its comm_type is missing");
    node.work = WorkKind::collective;
    node.collective = chakra::collectives_by_number[*number];
    node.group = group_of_node(attributes);
    if (node.collective != Collective::barrier) size(node, size_of(step, attributes), step);
    if (row(node.collective).reduces) {
      node.op = Op::sum;
      if (!own_) trace_.notes.insert("reductions are sums: the trace does not say which operation they had");
    }
    if (row(node.collective).rooted) {
      const auto root = attributes.whole("comm_root");
      node.root = root ? static_cast<int>(std::clamp<std::int64_t>(*root, -1, most_trace_ranks)) : 0;
      if (!own_ && !root)
        trace_.notes.insert("the roots of broadcasts and reductions are not in the trace: taken for rank 0 of their groups");
    }
    const bool gathers = node.collective == Collective::all_gather || node.collective == Collective::gather;
    if (gathers && !own_) {
      // PyTorch's converter writes the input of one rank, ASTRA-sim's generators the whole.
      const bool tensors = pytorch_ || step.inputs().values().find('[') != std::string::npos;
      call.share = tensors;
      trace_.notes.insert(tensors ? "comm_size of all_gather is taken for the input of one rank, as PyTorch's converter writes it"
                                  : "comm_size of all_gather is taken for the whole output, as ASTRA-sim's generators write it");
    }
  }

  // Groups of PyTorch, whose list stands in the inputs: ['[{"pg_name": ...}]'].
  void read_metadata(const chakra::Step& step) {
    const std::string& values = step.inputs().values();
    const std::size_t begin = values.find("[{"), end = values.rfind("}]");
    if (begin == std::string::npos || end == std::string::npos || end < begin) return;
    std::string list = values.substr(begin, end + 2 - begin);
    std::string plain;
    for (const char c : list)
      if (c != '\\') plain.push_back(c);
    if (const auto groups = parse_bounded(plain)) add_groups(trace_, *groups);
  }

  // What railgauge keeps besides, since Chakra has no place for it.
  void read_own(const ChakraAttributes& attributes, WorkNode& node) const {
    node.reason = attributes.text("reason").value_or("");
    node.stream = static_cast<int>(std::clamp<std::int64_t>(attributes.whole("stream").value_or(0), 0, INT32_MAX));
    node.duration = Seconds(std::max(0.0, attributes.real("duration_seconds").value_or(0)));
    node.flops = std::max(0.0, attributes.real("flops").value_or(0));
    if (const auto start = attributes.real("start_seconds")) node.start = Seconds(*start);
    if (!node.communicates()) return;
    const std::uint64_t bytes = node.bytes();
    if (const auto type = find_type(attributes.text("element_type").value_or(""))) {
      node.type = *type;
      node.elements = bytes / bytes_of(*type);
    }
    if (const auto op = find_op(attributes.text("reduction").value_or("")); op && node.op != Op::none) node.op = *op;
    if (node.collective == Collective::all_to_all && attributes.has("send_counts"))
      set_counts(node, attributes.list("send_counts"), attributes.list("receive_counts"));
  }

  void put_in_order() {
    for (std::size_t i = 0; i < raw_.size(); ++i)
      if (!by_id_.try_emplace(raw_[i].id, static_cast<std::uint32_t>(i)).second) throw fail(raw_[i].id, "the id is there twice");
    if (!place(true)) {
      trace_.notes.insert("the control dependences contradict those of data: the latter alone are taken");
      (void)place(false);
    }
    if (trace_.nodes.size() == raw_.size()) return;
    for (const RawNode& node : raw_)
      if (!placed_[by_id_.at(node.id)]) throw fail(node.id, "it depends on itself, by way of others or directly");
  }

  [[nodiscard]] std::vector<std::uint32_t> predecessors(const RawNode& node, bool control) {
    std::vector<std::uint32_t> found;
    const auto add = [&](const std::vector<std::uint64_t>& ids) {
      for (const std::uint64_t id : ids) {
        const auto there = by_id_.find(id);
        if (there != by_id_.end())
          found.push_back(there->second);
        else
          trace_.notes.insert("nodes depend on some that the file lacks: those dependences are left out");
      }
    };
    if (control) add(node.control);
    add(node.data);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // Each node behind its predecessors; among those that are ready the one with the smallest id first, since ids grow in the order
  // in which the program ran. False, and nothing placed, for a cycle that leaving out the control dependences may break.
  bool place(bool control) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    std::vector<std::uint32_t> missing(raw_.size(), 0);
    for (std::size_t i = 0; i < raw_.size(); ++i)
      for (const std::uint32_t before : predecessors(raw_[i], control)) {
        edges.emplace_back(before, static_cast<std::uint32_t>(i));
        ++missing[i];
      }
    std::sort(edges.begin(), edges.end());
    using Ready = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    for (std::size_t i = 0; i < raw_.size(); ++i)
      if (missing[i] == 0) ready.emplace(raw_[i].id, static_cast<std::uint32_t>(i));
    std::vector<std::uint32_t> sequence, position(raw_.size());
    placed_.assign(raw_.size(), false);
    while (!ready.empty()) {
      const std::uint32_t i = ready.top().second;
      ready.pop();
      position[i] = static_cast<std::uint32_t>(sequence.size());
      placed_[i] = true;
      sequence.push_back(i);
      for (auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair(i, std::uint32_t{0}));
           edge != edges.end() && edge->first == i; ++edge)
        if (--missing[edge->second] == 0) ready.emplace(raw_[edge->second].id, edge->second);
    }
    if (sequence.size() != raw_.size()) return false;
    std::map<std::tuple<int, WorkKind, int, bool>, int> streams;
    trace_.nodes.reserve(raw_.size());
    for (const std::uint32_t i : sequence) {
      TracedCall& call = raw_[i].call;
      for (const std::uint32_t before : predecessors(raw_[i], control)) call.node.after.push_back(position[before]);
      if (!own_ && !pytorch_) pass_over_sends(raw_[i].id, call.node.after);
      std::sort(call.node.after.begin(), call.node.after.end());
      if (!own_ && call.node.communicates()) set_stream(call.node, streams);
      if (call.share) trace_.shares.push_back(position[i]);
      if (call.global) trace_.global.insert(position[i]);
      trace_.nodes.push_back(std::move(call.node));
    }
    return true;
  }

  // A send of ASTRA-sim ends once its bytes are in flight, whether or not the receiver is there: what depends on it waits for
  // what the send itself has waited for. Rings whose ranks all send first would hang otherwise.
  void pass_over_sends(std::uint64_t id, std::vector<std::uint32_t>& after) {
    const auto sends = [&](std::uint32_t before) { return trace_.nodes[before].work == WorkKind::send; };
    if (std::none_of(after.begin(), after.end(), sends)) return;
    std::vector<std::uint32_t> others;
    for (const std::uint32_t before : after) {
      if (!sends(before)) {
        others.push_back(before);
        continue;
      }
      const std::vector<std::uint32_t>& its = trace_.nodes[before].after;
      edges_ += its.size();
      if (edges_ > most_edges) throw fail(id, fmt::format("there are more than {} dependences", most_edges));
      others.insert(others.end(), its.begin(), its.end());
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    after = std::move(others);
    trace_.notes.insert("what depends on a send does not wait for its receiver, as in ASTRA-sim");
  }

  // Collectives of a group have a stream, and so have messages of a peer in one direction: nothing in a trace makes them wait for
  // each other.
  static void set_stream(WorkNode& node, std::map<std::tuple<int, WorkKind, int, bool>, int>& streams) {
    const bool message = node.work != WorkKind::collective;
    constexpr int behind_computations = (1 << 20) + 2;
    const auto number = behind_computations + static_cast<int>(streams.size());
    node.stream = streams.try_emplace({node.group, node.work, message ? node.peer : 0, message}, number).first->second;
  }

  TraceInput& input_;
  ChakraMessages messages_;
  RankTrace trace_;
  std::vector<RawNode> raw_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;  // positions in raw_
  std::vector<bool> placed_;
  std::size_t edges_ = 0;
  bool own_ = false, pytorch_ = false;
};

}  // namespace

RankTrace read_chakra(TraceInput& input) { return ChakraTrace(input).read(); }

std::map<std::string, std::vector<int>> read_chakra_groups(TraceInput& input) {
  std::map<std::string, std::vector<int>> groups;
  std::string text;
  for (std::string line; input.line(line);) text += line + "\n";
  const std::optional<nlohmann::json> all = parse_bounded(text);
  if (!all || !all->is_object()) throw Error(Fault::usage, fmt::format("{}: expected groups, {{\"0\": [0, 1]}}", input.origin()));
  for (const auto& [name, value] : all->items()) {
    const nlohmann::json* const ranks = value.is_object() ? member_of(value, "ranks") : &value;
    std::vector<int>& members = groups[name];
    for (const std::uint64_t rank : numbers_of(ranks, input.origin())) {
      if (rank >= static_cast<std::uint64_t>(most_trace_ranks))
        throw Error(Fault::usage, fmt::format("{}: group {} names rank {}", input.origin(), printable(name), rank));
      members.push_back(static_cast<int>(rank));
    }
    if (members.empty()) throw Error(Fault::usage, fmt::format("{}: group {} has no ranks", input.origin(), printable(name)));
  }
  return groups;
}

}  // namespace railgauge
