// Calls of c10d become nodes.
#include "bench/workload/read/calls.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "bench/workload/read/elements.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

}  // namespace

std::vector<int> ranks_of_list(const Json* list, const std::string& where) {
  std::vector<int> ranks;
  for (const std::uint64_t rank : numbers_of(list, where)) {
    if (rank >= static_cast<std::uint64_t>(most_trace_ranks))
      throw Error(Fault::usage, fmt::format("{}: a group names rank {}, and {} ranks are the most that are read", where, rank,
                                            most_trace_ranks));
    ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

std::optional<int> number_of_ranks_in(const Json* value, const std::string& where, const char* what) {
  const std::optional<std::uint64_t> number = value == nullptr ? std::nullopt : whole(*value);
  if (!number) return std::nullopt;
  if (*number > static_cast<std::uint64_t>(most_trace_ranks))
    throw Error(Fault::usage,
                fmt::format("{}: {} {}: {} ranks are the most that are read", where, what, *number, most_trace_ranks));
  return static_cast<int>(*number);
}

std::vector<std::uint64_t> numbers_of(const Json* list, const std::string& where) {
  std::vector<std::uint64_t> numbers;
  if (list == nullptr) return numbers;
  if (list->is_string()) {
    const std::string text = list->get<std::string>();
    // Long lists end in "...": what is cut is not used.
    if (text.find("...") != std::string::npos) return numbers;
    const std::optional<Json> inner = parse_bounded(text);
    return inner && inner->is_array() ? numbers_of(&*inner, where) : numbers;
  }
  if (!list->is_array()) return numbers;
  for (const Json& one : *list) {
    const std::optional<std::uint64_t> number = whole(one);
    if (!number)
      throw Error(Fault::usage, fmt::format("{}: expected numbers in {}", where, printable(list->dump().substr(0, 60))));
    numbers.push_back(*number);
  }
  return numbers;
}

void add_groups(RankTrace& trace, const Json& list) {
  if (!list.is_array()) return;
  for (const Json& one : list) {
    const Json* const name = member_of(one, "pg_name");
    if (name == nullptr) continue;
    const int number = group_of(trace, name->is_string() ? text_of(name) : name->dump());
    TraceGroup& group = trace.groups[static_cast<std::size_t>(number)];
    group.kind = printable(text_of(member_of(one, "pg_desc")));
    if (group.kind == "undefined") group.kind.clear();
    for (const char* const key : {"group_size", "pg_size"})
      if (const auto size = number_of_ranks_in(member_of(one, key), trace.origin, key)) group.size = *size;
    std::vector<int> ranks = ranks_of_list(member_of(one, "ranks"), trace.origin);
    // The first group of a process has all ranks and lists none.
    if (!ranks.empty()) group.ranks = std::move(ranks);
    // Traces of before 2024 name a group by its address elsewhere.
    if (const Json* const address = member_of(one, "backend_id")) trace.by_name.emplace(address->dump(), number);
  }
}

std::vector<int> strided(std::int64_t start, std::int64_t stride, std::uint64_t size) {
  if (start < 0 || stride < 1 || size < 1 || size > static_cast<std::uint64_t>(most_trace_ranks)) return {};
  if (stride > most_trace_ranks || start + stride * static_cast<std::int64_t>(size - 1) >= most_trace_ranks) return {};
  std::vector<int> ranks;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(size); ++i) ranks.push_back(static_cast<int>(start + i * stride));
  return ranks;
}

TracedCall node_of(RankTrace& trace, const RecordedCall& call) {
  const auto fail = [&](const std::string& what) {
    return Error(Fault::usage, fmt::format("{}: {}: {}", trace.origin, call.where, what));
  };
  const std::optional<CallName> known = find_call(call.collective);
  if (!known || known->work == WorkKind::marker) throw fail(fmt::format("no call {} is known", printable(call.collective)));
  TracedCall made;
  WorkNode& node = made.node;
  node.work = known->work;
  node.collective = known->collective;
  node.name =
      node.work == WorkKind::collective ? std::string(name(node.collective)) : work_names[static_cast<std::size_t>(node.work)];
  node.reason = call.where;
  node.group = group_of(trace, call.group, call.description);
  TraceGroup& group = trace.groups[static_cast<std::size_t>(node.group)];
  if (group.size == 0) group.size = call.group_size;
  if (group.ranks.empty() && group.size != 0 && call.ranks.size() == static_cast<std::size_t>(group.size))
    group.ranks = call.ranks;
  const std::optional<Type> type = find_trace_type(call.type);
  if (!type && node.collective != Collective::barrier) throw fail(fmt::format("no type {} is known", printable(call.type)));
  node.type = type.value_or(Type::uint8);
  if (call.input > most_elements || call.output > most_elements) throw fail("more elements than any memory holds");
  if (node.work == WorkKind::collective) {
    if (row(node.collective).reduces) {
      node.op = Op::sum;
      trace.notes.insert("reductions are sums: the trace does not say which operation they had");
    }
    if (row(node.collective).rooted) {
      if (call.root < 0) throw fail("its root is missing");
      node.root = call.root;
    }
    node.elements = elements_of_call(node.collective, call.input, call.output, 1);
    const bool gathers = node.collective == Collective::all_gather || node.collective == Collective::gather;
    const bool scatters = node.collective == Collective::reduce_scatter || node.collective == Collective::scatter;
    made.share = (gathers && call.output <= call.input) || (scatters && call.input <= call.output);
    if (node.collective == Collective::all_to_all && !(call.sent.empty() && call.received.empty())) {
      // Where one side has no splits, its blocks are equal.
      const auto equal = [&](const std::vector<std::uint64_t>& other) { return std::vector<std::uint64_t>(other.size(), 1); };
      auto sent = counts_of(call.sent.empty() ? equal(call.received) : call.sent, call.input);
      auto received = counts_of(call.received.empty() ? equal(call.sent) : call.received, call.output);
      if (!sent || !received || sent->size() != received->size()) throw fail("its splits do not divide its elements");
      set_counts(node, std::move(*sent), std::move(*received));
    }
  } else {
    if (call.root < 0) throw fail("its peer is missing");
    node.peer = call.root;
    node.elements = node.work == WorkKind::send ? std::max(call.input, call.output) : std::max(call.output, call.input);
  }
  return made;
}

}  // namespace railgauge
