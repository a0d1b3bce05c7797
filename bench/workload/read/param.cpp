// Entries with "comms" are calls, those with "compute" computations.
#include "bench/workload/read/param.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "bench/workload/read/calls.hpp"
#include "bench/workload/read/elements.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

enum class EntryKind : std::uint8_t { call, wait, computation };

struct Entry {
  EntryKind kind = EntryKind::call;
  RecordedCall call;
  std::string request;          // empty: none
  std::optional<double> start;  // seconds
  double flops = 0;
  std::string name;  // of a computation
};

class CommunicationTrace {
 public:
  explicit CommunicationTrace(TraceInput& input) { trace_.origin = input.origin(); }

  void take(const Json& entry, std::size_t number) {
    Entry it;
    it.call.where = fmt::format("entry {}", number);
    const Json* const start = member_of(entry, "startTime_ns");
    if (const auto time = start == nullptr ? std::nullopt : finite(*start)) it.start = *time * 1e-9;
    if (const Json* const request = member_of(entry, "req"); request != nullptr && !request->is_null() && *request != Json(-1))
      it.request = request->dump();
    if (const Json* const computation = member_of(entry, "compute")) {
      it.kind = EntryKind::computation;
      it.name = printable(text_of(computation));
      it.flops = flops(entry);
    } else if (const Json* const comms = member_of(entry, "comms")) {
      it.call.collective = text_of(comms);
      const auto known = find_call(it.call.collective);
      if (!known) throw fail(it, fmt::format("no call {} is known", printable(it.call.collective)));
      add_group(entry, it);
      if (known->work == WorkKind::marker) {
        if (!it.call.collective.ends_with("wait") && !it.call.collective.ends_with("Wait")) return;
        it.kind = EntryKind::wait;
      } else {
        read_call(entry, it, known->work);
      }
    } else {
      return;  // a marker of the trace
    }
    if (entries_.size() >= most_nodes) throw fail(it, fmt::format("there are more than {} entries", most_nodes));
    entries_.push_back(std::move(it));
  }

  RankTrace finish() {
    std::map<std::string, std::size_t> last_wait;
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].kind == EntryKind::wait) last_wait[entries_[i].request] = i;
    IssueOrder order(trace_);
    std::map<std::string, std::uint32_t> issued;
    bool calls = false, times = true;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      bool blocked = entry.kind == EntryKind::wait;
      if (entry.kind == EntryKind::computation) {
        WorkNode node;
        node.name = entry.name;
        node.reason = entry.call.where;
        node.flops = entry.flops;
        if (entry.start) node.start = Seconds(*entry.start);
        node.duration = Seconds(until_next(i));
        order.compute(std::move(node));
        continue;
      }
      if (entry.kind == EntryKind::wait) {
        if (const auto call = issued.find(entry.request); call != issued.end()) order.wait(call->second);
      } else {
        TracedCall call = node_of(trace_, entry.call);
        if (entry.start) call.node.start = Seconds(*entry.start);
        call.global = call.node.work != WorkKind::collective || row(call.node.collective).rooted;
        const std::uint32_t at = order.call(std::move(call));
        calls = true;
        const auto wait = last_wait.find(entry.request);
        blocked = entry.request.empty() || wait == last_wait.end() || wait->second < i;
        if (blocked)
          order.wait(at);
        else
          issued[entry.request] = at;
      }
      times = times && entry.start;
      if (!blocked)
        order.compute(Seconds(until_next(i)), "computation", entry.start ? std::optional(Seconds(*entry.start)) : std::nullopt);
    }
    if (!calls) throw Error(Fault::usage, fmt::format("{}: it has no calls", trace_.origin));
    trace_.notes.insert(
        times ? "the time from an asynchronous call to the next entry is taken for computation, and the time from a "
                "synchronous call or a wait for communication"
              : "entries without startTime_ns have no computation behind them");
    return std::move(trace_);
  }

 private:
  [[nodiscard]] Error fail(const Entry& entry, const std::string& what) const {
    return {Fault::usage, fmt::format("{}: {}: {}", trace_.origin, entry.call.where, what)};
  }

  [[nodiscard]] double until_next(std::size_t i) const {
    if (i + 1 >= entries_.size() || !entries_[i].start || !entries_[i + 1].start) return 0;
    return std::max(0.0, *entries_[i + 1].start - *entries_[i].start);
  }

  static double flops(const Json& entry) {
    const auto number = [&](const char* key) {
      const Json* const value = member_of(entry, key);
      return value == nullptr ? 0.0 : std::clamp(finite(*value).value_or(0), 0.0, 1e12);
    };
    const double square = number("mm_dim");
    const double count = std::max(number("count"), 1.0);
    if (square > 0) return 2 * square * square * square * count;
    return 2 * number("mm0_dim0") * number("mm0_dim1") * number("mm1_dim1") * count;
  }

  void add_group(const Json& entry, Entry& it) {
    const Json* const id = member_of(entry, "pg_id");
    it.call.group = id == nullptr || id->is_null() ? "0" : id->is_string() ? id->get<std::string>() : id->dump();
    TraceGroup& group = trace_.groups[static_cast<std::size_t>(group_of(trace_, it.call.group))];
    const std::string where = fmt::format("{}: {}", trace_.origin, it.call.where);
    it.call.ranks = ranks_of_list(member_of(entry, "global_ranks"), where);
    if (!it.call.ranks.empty() && group.ranks.empty()) {
      group.ranks = it.call.ranks;
      group.size = static_cast<int>(group.ranks.size());
    }
    if (const auto size = number_of_ranks_in(member_of(entry, "world_size"), where, "world_size")) {
      it.call.group_size = *size;
      if (group.size == 0) group.size = it.call.group_size;
    }
  }

  void read_call(const Json& entry, Entry& it, WorkKind work) {
    const auto elements = [&](const char* key) {
      const Json* const value = member_of(entry, key);
      if (value == nullptr || value->is_null()) return std::uint64_t{0};
      const auto number = whole(*value);
      if (!number) throw fail(it, fmt::format("{} is no number of elements", key));
      return *number;
    };
    it.call.input = elements("in_msg_size");
    it.call.output = elements("out_msg_size");
    it.call.type = text_of(member_of(entry, "dtype"));
    const std::string where = fmt::format("{}: {}", trace_.origin, it.call.where);
    it.call.sent = numbers_of(member_of(entry, "in_split"), where);
    it.call.received = numbers_of(member_of(entry, "out_split"), where);
    const char* const other = work == WorkKind::send ? "dst_rank" : work == WorkKind::receive ? "src_rank" : "root";
    if (const auto rank = number_of_ranks_in(member_of(entry, other), where, other)) it.call.root = *rank;
  }

  RankTrace trace_;
  std::vector<Entry> entries_;
};

}  // namespace

RankTrace read_param(TraceInput& input) {
  CommunicationTrace trace(input);
  read_elements(input, {"", {}, [&](const Json& entry, std::size_t number) { trace.take(entry, number); }, {}});
  return trace.finish();
}

}  // namespace railgauge
