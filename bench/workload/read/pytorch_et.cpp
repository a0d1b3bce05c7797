// Nodes of both layouts: keys apart ("input_shapes"), and, since 1.0.2, members of "inputs" and "attrs".
#include "bench/workload/read/pytorch_et.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "bench/workload/read/calls.hpp"
#include "bench/workload/read/elements.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

struct Recorded {
  std::uint64_t id = 0;
  bool waits = false;
  std::string sequence;  // what a wait has of its call: its number, of its group where PyTorch counts by group
  std::string group;     // of a wait, as its call has it; empty: unknown
  int own_rank = -1;     // in the group
  RecordedCall call;
};

// [id, storage, offset, elements, bytes, device]
bool is_tensor(const Json& value) {
  return value.is_array() && value.size() >= 5 && value[3].is_number() && value[4].is_number();
}

// The tensors of a value that is one or has lists of them.
void tensors_of(const Json& value, std::vector<std::uint64_t>& elements) {
  if (!value.is_array()) return;
  if (is_tensor(value)) {
    elements.push_back(std::min(whole(value[3]).value_or(0), most_elements));
    return;
  }
  for (const Json& inner : value) tensors_of(inner, elements);
}

std::uint64_t sum(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t total = 0;
  for (const std::uint64_t number : numbers) total = std::min(total + number, most_elements + 1);
  return total;
}

int small(const Json& value) {
  const auto number = whole(value);
  return number && *number < static_cast<std::uint64_t>(most_trace_ranks) ? static_cast<int>(*number) : -1;
}

class ExecutionTrace {
 public:
  explicit ExecutionTrace(TraceInput& input) { trace_.origin = input.origin(); }

  void take(const Json& node) {
    const std::string name = text_of(member_of(node, "name"));
    if (name == "record_param_comms") {
      if (const auto recorded = record(node)) records_.push_back(*recorded);
      if (records_.size() > most_nodes)
        throw Error(Fault::usage, fmt::format("{}: it has more than {} calls", trace_.origin, most_nodes));
    } else if (name.starts_with("## process_group:init ##")) {
      const Json* const values = values_of(node, "inputs");
      if (values == nullptr || values->empty()) return;
      if (const auto groups = parse_bounded(text_of(&values->front()))) add_groups(trace_, *groups);
    } else if (name.starts_with("ProfilerStep#")) {
      ++profiled_;
    } else if (name.starts_with("Optimizer.step#")) {
      ++optimised_;
    }
  }

  RankTrace finish() {
    std::stable_sort(records_.begin(), records_.end(), [](const Recorded& a, const Recorded& b) { return a.id < b.id; });
    IssueOrder order(trace_);
    std::map<std::pair<std::string, std::string>, std::uint32_t> issued;  // by group and sequence; by no group, the last call
    for (Recorded& recorded : records_) {
      if (recorded.waits) {
        // A wait for a call of before the trace waits for nothing.
        if (const auto found = issued.find({recorded.group, recorded.sequence}); found != issued.end()) order.wait(found->second);
        continue;
      }
      TracedCall call = node_of(trace_, recorded.call);
      const int group = call.node.group;
      const std::uint32_t at = order.call(std::move(call));
      for (const std::string& key : {recorded.call.group, std::string()}) issued[{key, recorded.sequence}] = at;
      learn_rank(group, recorded.own_rank);
    }
    if (trace_.nodes.empty())
      throw Error(Fault::usage, fmt::format("{}: no node record_param_comms is in it: the job was not distributed, or PyTorch "
                                            "is older than 2.0",
                                            trace_.origin));
    trace_.steps = profiled_ != 0 ? profiled_ : optimised_;
    trace_.notes.insert("execution traces have no times: the computations between the calls are left out");
    return std::move(trace_);
  }

 private:
  static const Json* values_of(const Json& node, const char* which) {
    const Json* const side = member_of(node, which);
    if (side == nullptr) return nullptr;
    const Json* const values = side->is_object() ? member_of(*side, "values") : side;
    return values != nullptr && values->is_array() ? values : nullptr;
  }

  static std::map<std::string, const Json*> attributes_of(const Json& node) {
    std::map<std::string, const Json*> attributes;
    const Json* const list = member_of(node, "attrs");
    if (list == nullptr || !list->is_array()) return attributes;
    for (const Json& one : *list)
      if (const Json* const value = member_of(one, "value")) attributes.emplace(text_of(member_of(one, "name")), value);
    return attributes;
  }

  // Where the name of the call stands: behind tensors, sequence, group and rank, or without tensors.
  static std::size_t name_position(const Json& values) {
    for (const std::size_t at : {std::size_t{4}, std::size_t{3}})
      if (at < values.size() && values[at].is_string() && values[at - 1].is_number() &&
          (values[at - 2].is_number() || values[at - 2].is_array() || values[at - 2].is_string()))
        return at;
    return 0;
  }

  std::optional<Recorded> record(const Json& node) {
    const Json* const id = member_of(node, "id");
    Recorded it;
    it.id = id != nullptr ? whole(*id).value_or(0) : 0;
    it.call.where = fmt::format("node {}", it.id);
    const Json* const values = values_of(node, "inputs");
    const std::size_t at = values == nullptr ? 0 : name_position(*values);
    if (at == 0)
      throw Error(Fault::usage,
                  fmt::format("{}: {}: its inputs are not those of record_param_comms", trace_.origin, it.call.where));
    it.call.collective = (*values)[at].get<std::string>();
    it.sequence = (*values)[at - 3].dump();
    const auto known = find_call(it.call.collective);
    if (known && known->work == WorkKind::marker) {
      it.waits = known->collective == Collective::barrier;
      it.group = known_group((*values)[at - 2]);
      return it.call.collective == "init" ? std::nullopt : std::optional(std::move(it));
    }
    const std::map<std::string, const Json*> attributes = attributes_of(node);
    const auto attribute = [&](const char* key) {
      const auto found = attributes.find(key);
      return found == attributes.end() ? nullptr : found->second;
    };
    name_group(it.call, (*values)[at - 2]);
    const int number = small((*values)[at - 1]);
    const bool own = known && known->work == WorkKind::collective && !row(known->collective).rooted;
    it.own_rank = own ? number : -1;
    it.call.root = number;
    sizes(it.call, node, *values, at);
    if (const Json* const type = attribute("dtype")) it.call.type = text_of(type);
    if (const Json* const in = attribute("in_msg_nelems")) it.call.input = whole(*in).value_or(it.call.input);
    if (const Json* const out = attribute("out_msg_nelems")) it.call.output = whole(*out).value_or(it.call.output);
    // Behind the splits: start, stride and size of the group, or in 1.0.2 its size alone.
    const std::size_t rest = values->size() - at - 1;
    if (rest >= 5) {
      it.call.group_size = std::max(small((*values)[at + 5]), 0);
      it.call.ranks = strided(small((*values)[at + 3]), small((*values)[at + 4]), static_cast<std::uint64_t>(it.call.group_size));
    } else if (rest == 3) {
      it.call.group_size = std::max(small((*values)[at + 3]), 0);
    }
    return it;
  }

  // Of a wait: what name_group() has made of the same value; empty where it tells none.
  [[nodiscard]] std::string known_group(const Json& group) const {
    if (group.is_array() && group.size() == 2) return text_of(&group[0]);
    const auto known = trace_.by_name.find(group.is_string() ? group.get<std::string>() : group.dump());
    return known == trace_.by_name.end() ? std::string() : trace_.groups[static_cast<std::size_t>(known->second)].name;
  }

  void name_group(RecordedCall& call, const Json& group) {
    if (group.is_array() && group.size() == 2) {
      call.group = text_of(&group[0]);
      call.description = text_of(&group[1]);
      if (call.description == "undefined") call.description.clear();
    } else {
      call.group = group.is_string() ? group.get<std::string>() : group.dump();
      // The address of a group differs from rank to rank: groups are numbered in the order of their first call.
      if (!trace_.by_name.contains(call.group)) {
        const std::string numbered = fmt::format("group {}", ++addresses_);
        trace_.by_name.emplace(call.group, group_of(trace_, numbered));
        trace_.notes.insert(
            "groups are known by their addresses alone: the first one that each rank uses is taken for the same "
            "group of all ranks, and so on");
      }
      call.group = trace_.groups[static_cast<std::size_t>(trace_.by_name.at(call.group))].name;
    }
  }

  void sizes(RecordedCall& call, const Json& node, const Json& values, std::size_t at) const {
    std::vector<std::uint64_t> in, out;
    if (at == 4) tensors_of(values[0], in);
    if (const Json* const outputs = values_of(node, "outputs")) tensors_of(*outputs, out);
    call.input = sum(in);
    call.output = sum(out);
    const Json* types = member_of(node, "input_types");
    if (const Json* const inputs = member_of(node, "inputs"); types == nullptr && inputs != nullptr)
      types = member_of(*inputs, "types");
    if (types != nullptr && types->is_array() && !types->empty()) call.type = text_of(&types->front());
    if (at + 2 < values.size()) {
      const std::string where = fmt::format("{}: {}", trace_.origin, call.where);
      call.sent = numbers_of(&values[at + 1], where);
      call.received = numbers_of(&values[at + 2], where);
    }
    // An all-to-all of lists of tensors has a tensor for each rank.
    if (call.sent.empty() && call.received.empty() && in.size() > 1 && in.size() == out.size() && find_call(call.collective) &&
        find_call(call.collective)->collective == Collective::all_to_all) {
      call.sent = in;
      call.received = out;
    }
  }

  // Of a call that is not rooted, the number is this rank's in the group.
  void learn_rank(int number, int own) {
    if (trace_.rank || own < 0) return;
    const TraceGroup& group = trace_.groups[static_cast<std::size_t>(number)];
    if (group.ranks.empty())
      trace_.rank = own;
    else if (static_cast<std::size_t>(own) < group.ranks.size())
      trace_.rank = group.ranks[static_cast<std::size_t>(own)];
  }

  RankTrace trace_;
  std::vector<Recorded> records_;
  int profiled_ = 0, optimised_ = 0, addresses_ = 0;
};

}  // namespace

RankTrace read_pytorch_et(TraceInput& input) {
  ExecutionTrace trace(input);
  read_elements(input, {"nodes", {}, [&](const Json& node, std::size_t) { trace.take(node); }, {}});
  return trace.finish();
}

}  // namespace railgauge
