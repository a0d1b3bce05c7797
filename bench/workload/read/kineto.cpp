// Events by their category; times in microseconds.
#include "bench/workload/read/kineto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "bench/workload/read/calls.hpp"
#include "bench/workload/read/elements.hpp"
#include "bench/workload/read/timeline.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_kernels = 1'000'000;

struct KernelTime {
  double start = 0, end = 0;
};

struct Event {
  RecordedCall call;
  std::uint64_t id = 0;  // External id; 0: none
  double start = 0, end = 0;
  bool carries = false;  // says what it carried
};

std::uint64_t number_or_zero(const Json* value) { return value == nullptr ? 0 : whole(*value).value_or(0); }

class Profile {
 public:
  explicit Profile(TraceInput& input) { trace_.origin = input.origin(); }

  void take(const Json& event, std::size_t number) {
    const std::string category = text_of(member_of(event, "cat"));
    const std::string name = text_of(member_of(event, "name"));
    if (name.starts_with("ProfilerStep#")) {
      steps_.insert(name);
      return;
    }
    const bool host = name == "record_param_comms";
    const bool device = category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
    if (!host && !device) return;
    const auto start = time(event, "ts"), duration = time(event, "dur");
    if (!start || !duration || *duration < 0)
      throw Error(Fault::usage, fmt::format("{}: event {} ({}) has no ts and dur that are numbers", trace_.origin, number,
                                            printable(name.substr(0, 60))));
    Event it;
    it.start = *start;
    it.end = *start + *duration;
    if (device && !is_nccl(name)) {
      if (computations_.size() >= most_kernels)
        throw Error(Fault::usage, fmt::format("{}: it has more than {} kernels: trace fewer steps", trace_.origin, most_kernels));
      computations_.push_back({it.start, it.end});
      return;
    }
    if (host_.size() + kernels_.size() >= most_nodes)
      throw Error(Fault::usage, fmt::format("{}: it has more than {} calls: trace fewer steps", trace_.origin, most_nodes));
    it.call.where = fmt::format("event {}", number);
    if (const Json* const details = member_of(event, "args")) read_details(*details, it);
    (host ? host_ : kernels_).push_back(std::move(it));
  }

  void take_member(const Json& distributed) {
    const std::string where = trace_.origin + ": distributedInfo";
    if (const auto rank = number_of_ranks_in(member_of(distributed, "rank"), where, "rank")) trace_.rank = rank;
    if (const auto size = number_of_ranks_in(member_of(distributed, "world_size"), where, "world_size")) trace_.ranks = *size;
    if (const Json* const groups = member_of(distributed, "pg_config")) add_groups(trace_, *groups);
  }

  RankTrace finish() {
    std::unordered_map<std::uint64_t, KernelTime> kernel_of;
    for (const Event& kernel : kernels_)
      if (kernel.id != 0) {
        const auto [there, is_new] = kernel_of.try_emplace(kernel.id, KernelTime{kernel.start, kernel.end});
        // Several kernels of one call: from the first to the last.
        if (!is_new) there->second = {std::min(there->second.start, kernel.start), std::max(there->second.end, kernel.end)};
      }
    std::vector<TimedCall> calls;
    std::set<std::uint64_t> known;
    for (const Event& event : host_) {
      if (!event.carries) continue;
      const auto name = find_call(event.call.collective);
      if (name && name->work == WorkKind::marker) continue;
      TimedCall call{make(event), event.start, event.start, event.end};
      if (const auto kernel = kernel_of.find(event.id); event.id != 0 && kernel != kernel_of.end()) {
        call.start = std::max(kernel->second.start, event.start);
        call.end = std::max(kernel->second.end, call.start);
        known.insert(event.id);
      } else {
        trace_.notes.insert("calls without a kernel of their own have the times of the host's call");
      }
      calls.push_back(std::move(call));
    }
    for (const Event& kernel : kernels_) {
      if (known.contains(kernel.id) && kernel.id != 0) continue;
      if (!kernel.carries)
        throw Error(Fault::usage,
                    fmt::format("{}: {}: NCCL's kernel does not say what it carried: PyTorch 2.2 or newer records it",
                                trace_.origin, kernel.call.where));
      calls.push_back({make(kernel), kernel.start, kernel.start, kernel.end});
    }
    if (calls.empty())
      throw Error(Fault::usage,
                  fmt::format("{}: it has neither record_param_comms nor NCCL kernels: the job was not distributed, or "
                              "PyTorch is older than 2.0",
                              trace_.origin));
    if (computations_.empty())
      trace_.notes.insert(
          "it has no kernels but those of NCCL: all calls are taken for exposed, and the time between them for computation");
    else
      trace_.notes.insert("a computation that begins when a call has just ended, and no other ran, is taken to wait for it");
    trace_.steps = static_cast<int>(steps_.size());
    add_timeline(trace_, std::move(calls), std::move(computations_));
    return std::move(trace_);
  }

 private:
  static bool is_nccl(const std::string& name) {
    return name.starts_with("ncclKernel") || name.starts_with("ncclDevKernel") || name.find("ncclSymk") != std::string::npos ||
           name.starts_with("rcclKernel") || name.starts_with("rcclGenericKernel");
  }

  static std::optional<double> time(const Json& event, const char* key) {
    const Json* const value = member_of(event, key);
    const std::optional<double> number = value == nullptr ? std::nullopt : finite(*value);
    constexpr double most = 1e18;  // microseconds
    return number && *number < most && *number > -most ? std::optional(*number * 1e-6) : std::nullopt;
  }

  void read_details(const Json& details, Event& it) const {
    it.id = number_or_zero(member_of(details, "External id"));
    RecordedCall& call = it.call;
    call.collective = text_of(member_of(details, "Collective name"));
    it.carries = !call.collective.empty();
    if (!it.carries) return;
    call.type = text_of(member_of(details, "dtype"));
    call.group = text_of(member_of(details, "Process Group Name"));
    call.description = printable(text_of(member_of(details, "Process Group Description")));
    if (call.description == "undefined") call.description.clear();
    call.input = number_or_zero(member_of(details, "In msg nelems"));
    call.output = number_or_zero(member_of(details, "Out msg nelems"));
    const std::string where = fmt::format("{}: {}", trace_.origin, call.where);
    call.sent = numbers_of(member_of(details, "In split size"), where);
    call.received = numbers_of(member_of(details, "Out split size"), where);
    call.group_size = number_of_ranks_in(member_of(details, "Group size"), where, "Group size").value_or(0);
    call.ranks = ranks_of_list(member_of(details, "Process Group Ranks"), where);
    if (call.ranks.empty())
      if (const Json* const stride = member_of(details, "Global rank stride"))
        call.ranks = strided(static_cast<std::int64_t>(number_or_zero(member_of(details, "Global rank start"))),
                             static_cast<std::int64_t>(std::min<std::uint64_t>(whole(*stride).value_or(0), most_trace_ranks)),
                             static_cast<std::uint64_t>(call.group_size));
    for (const char* const key : {"Root Rank", "Dst Rank", "Src Rank"})
      if (const auto rank = number_of_ranks_in(member_of(details, key), where, key)) call.root = *rank;
  }

  TracedCall make(const Event& event) {
    RecordedCall call = event.call;
    const auto name = find_call(call.collective);
    if (name && call.root < 0 && name->work == WorkKind::collective && row(name->collective).rooted) {
      call.root = 0;
      trace_.notes.insert("the roots of broadcasts and reductions are not in the trace: taken for rank 0 of their groups");
    }
    return node_of(trace_, call);
  }

  RankTrace trace_;
  std::vector<Event> host_, kernels_;
  std::vector<BusyTime> computations_;
  std::set<std::string> steps_;
};

}  // namespace

RankTrace read_kineto(TraceInput& input) {
  Profile profile(input);
  read_elements(input, {"traceEvents",
                        {"distributedInfo"},
                        [&](const Json& event, std::size_t number) { profile.take(event, number); },
                        [&](const std::string&, const Json& value) { profile.take_member(value); }});
  return profile.finish();
}

}  // namespace railgauge
