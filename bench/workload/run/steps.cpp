// The loop over steps: restore, barrier, run, check, agree; bench/workload/run/steps.hpp.
#include "bench/workload/run/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.hpp"
#include "bench/group/gather_json.hpp"
#include "bench/measure/rest.hpp"
#include "bench/session/clocks.hpp"
#include "bench/workload/analyse/exposed.hpp"
#include "bench/workload/channels.hpp"
#include "bench/workload/run/executor.hpp"
#include "bench/workload/run/rank_plans.hpp"
#include "transports/oversubscribed.hpp"

namespace railgauge {
namespace {

constexpr std::uint64_t fewest_steps = 5, most_steps = 10'000;
constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;  // of timelines

Blob blob_of_doubles(const double* values, std::size_t count) {
  Blob blob(count * sizeof(double));
  if (count != 0) std::memcpy(blob.data(), values, blob.size());
  return blob;
}

// How often a rank uses one channel in a step.
std::uint64_t most_uses_of(const Channels& channels) {
  std::uint64_t most = 0;
  for (const std::vector<int>& of_rank : channels.of_node) {
    std::vector<std::uint64_t> uses(channels.all.size());
    for (const int channel : of_rank)
      if (channel != no_channel) most = std::max(most, ++uses[static_cast<std::size_t>(channel)]);
  }
  return most;
}

class Steps {
 public:
  Steps(Group& group, const ChosenTransport& transport, const Workload& workload, const StepOptions& options)
      : group_(group),
        options_(options),
        nodes_(workload.nodes[static_cast<std::size_t>(group.rank())]),
        channels_(channels_of(workload, matches_of(workload))),
        most_uses_(most_uses_of(channels_)),
        oversubscribed_(any_host_is_oversubscribed(group) || options.shared_cores),
        plans_(group, transport, options.device, workload, channels_, oversubscribed_),
        computations_(make_computations(options.computing, Executor::computing_streams(nodes_), clock_, plans_.device(),
                                        plans_.free_stream())),
        executor_(nodes_, calls(), *computations_, clock_) {
    patience_.check = [&] { group_.check(); };
    patience_.watchdog = options.watchdog;
    patience_.yield = oversubscribed_ || takes_cores(options.computing, plans_.device());
    if (group.size() > 1) {
      clocks_ = std::make_unique<Clocks>(group, plans_.endpoint(), plans_.messenger(), plans_.empty_messages(), clock_,
                                         oversubscribed_);
      clocks_->read();
    }
  }

  ~Steps() {
    clocks_.reset();
    plans_.disconnect();
  }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  RunResult run(const std::function<void(const StepRecord&)>& tell) {
    RunResult result;
    const std::size_t keep =
        std::clamp<std::size_t>(most_kept_bytes / std::max<std::size_t>(1, nodes_.size() * sizeof(Interval)), 1, most_steps);
    std::vector<std::vector<Interval>> kept;
    const Seconds begin = clock_.now();
    result.wrong = everybodys_check(run_checked());  // warm-up
    if (result.wrong) return result;
    (void)run_part(Part::communication);
    result.wrong = everybodys_check(plans_.check(epoch_));
    if (result.wrong) return result;
    while (!is_over(result.steps.size(), clock_.now() - begin)) {
      StepRecord record;
      record.step = result.steps.size() + 1;
      std::vector<Interval> times = run_part(Part::all);
      result.wrong = everybodys_check(plans_.check(epoch_));
      if (result.wrong) return result;
      add_all(record, times);
      const std::vector<Interval> communication = run_part(Part::communication);
      result.wrong = everybodys_check(plans_.check(epoch_));
      if (result.wrong) return result;
      record.alone_communication = spread(communication);
      record.alone_computation = slowest_computation(run_part(Part::computation));
      if (kept.size() < keep) kept.push_back(std::move(times));
      result.steps.push_back(record);
      if (group_.rank() == 0) tell(record);
    }
    if (clocks_) clocks_->read();  // what came before lies between two readings now
    gather_timeline(result, kept);
    gather_algorithms(result);
    if (const std::string why = plans_.why_staged(); !why.empty())
      result.notes.push_back("messages pass through memory of the host: " + why);
    return result;
  }

 private:
  std::vector<Runnable*> calls() const {
    std::vector<Runnable*> list;
    for (const int channel : channels_.of_node[static_cast<std::size_t>(group_.rank())])
      list.push_back(channel == no_channel ? nullptr : plans_.plan(static_cast<std::size_t>(channel)));
    return list;
  }

  // All ranks go by rank 0's answer.
  bool is_over(std::size_t steps, Seconds elapsed) {
    if (options_.steps) return steps >= *options_.steps;
    const double over = steps >= most_steps || (steps >= fewest_steps && elapsed >= options_.max_time) ? 1 : 0;
    return gather_doubles(&over, 1)[0][0] != 0;
  }

  std::vector<Interval> run_part(Part part, const Executor::CallEnded& call_ended = nullptr) {
    if (part != Part::computation) plans_.restore(++epoch_);
    group_.barrier();
    pass_barrier();
    std::vector<Interval> times(nodes_.size());
    executor_.run(part, times, patience_, call_ended);
    return times;
  }

  // All of a step, in which each call has inputs of its own and is checked as soon as it has ended on this rank. The first that
  // is wrong.
  std::optional<RankPlans::WrongCall> run_checked() {
    const std::uint64_t first = epoch_ + 1;
    const std::vector<int>& channel_of = channels_.of_node[static_cast<std::size_t>(group_.rank())];
    std::optional<RankPlans::WrongCall> wrong;
    (void)run_part(Part::all, [&](std::uint32_t node, std::uint32_t nth) {
      const auto channel = static_cast<std::size_t>(channel_of[node]);
      if (!wrong) wrong = plans_.check(channel, first + nth);
      plans_.restore(channel, first + nth + 1);
    });
    epoch_ = first + most_uses_;
    return wrong;
  }

  // So that all begin within microseconds of each other.
  void pass_barrier() {
    Runnable& barrier = plans_.barrier();
    barrier.start();
    const Seconds since = clock_.now();
    for (std::uint64_t spins = 1; !barrier.test(); ++spins) {
      if (!oversubscribed_ && spins % 256 != 0) continue;
      group_.check();
      const Seconds waited = clock_.now() - since;
      if (waited >= options_.watchdog)
        throw Error(Fault::lost,
                    fmt::format("rank {} has waited {:.3g} s for the barrier before a step", group_.rank(), waited.count()));
      if (oversubscribed_) rest(waited, usual_nap);
    }
  }

  // Of the lowest rank that has wrong data; the same on all.
  std::optional<WrongData> everybodys_check(const std::optional<RankPlans::WrongCall>& mine) {
    std::string text;
    if (mine) {
      Mistake mistake = mine->mistake;
      mistake.rank = group_.rank();
      const Channel& channel = channels_.all[mine->channel];
      text = fmt::format("{} of {} {} elements over ranks {}: {}", channel.collective ? name(channel.what) : "message",
                         channel.elements, name(channel.type), fmt::join(channel.ranks, ", "), sentence(mistake));
    }
    const std::vector<nlohmann::json> all = gather_json(group_, text);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (const auto its = all[rank].get<std::string>(); !its.empty()) return WrongData{static_cast<int>(rank), its};
    return std::nullopt;
  }

  std::vector<std::vector<double>> gather_doubles(const double* values, std::size_t count) {
    std::vector<std::vector<double>> result;
    for (const Blob& blob : group_.allgather(blob_of_doubles(values, count))) {
      std::vector<double>& its = result.emplace_back(blob.size() / sizeof(double));
      if (!its.empty()) std::memcpy(its.data(), blob.data(), its.size() * sizeof(double));
    }
    return result;
  }

  [[nodiscard]] double reference(double mine) const {
    return clocks_ ? clocks_->lines()[static_cast<std::size_t>(group_.rank())].to_reference(mine) : mine;
  }

  // From the first begin on any rank to the last end.
  double spread(const std::vector<Interval>& times) {
    double ends[2] = {0, 0};
    if (!times.empty()) {
      ends[0] = times.front().start;
      for (const Interval& interval : times) {
        ends[0] = std::min(ends[0], interval.start);
        ends[1] = std::max(ends[1], interval.end);
      }
      for (double& end : ends) end = reference(end);
    }
    const auto all = gather_doubles(ends, 2);
    double first = all[0][0], last = all[0][1];
    for (const std::vector<double>& its : all) {
      first = std::min(first, its[0]);
      last = std::max(last, its[1]);
    }
    return last - first;
  }

  void add_all(StepRecord& record, const std::vector<Interval>& times) {
    record.seconds = spread(times);
    const RankExposure mine = exposure_of(nodes_, times);
    const double values[] = {mine.computing, mine.all.communicating, mine.all.exposed};
    const auto all = gather_doubles(values, 3);
    for (const std::vector<double>& its : all) {
      record.computing += its[0] / static_cast<double>(all.size());
      record.communicating += its[1] / static_cast<double>(all.size());
      record.exposed += its[2] / static_cast<double>(all.size());
    }
  }

  double slowest_computation(const std::vector<Interval>& times) {
    const double mine = exposure_of(nodes_, times).computing;
    double slowest = 0;
    for (const std::vector<double>& its : gather_doubles(&mine, 1)) slowest = std::max(slowest, its[0]);
    return slowest;
  }

  void gather_timeline(RunResult& result, const std::vector<std::vector<Interval>>& kept) {
    std::vector<std::size_t> order(std::min(kept.size(), result.steps.size()));
    if (order.empty()) return;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);  // of two in the middle the faster
    std::nth_element(order.begin(), middle, order.end(),
                     [&](std::size_t a, std::size_t b) { return result.steps[a].seconds < result.steps[b].seconds; });
    result.shown = result.steps[*middle].step;
    std::vector<double> mine;
    for (const Interval& interval : kept[*middle]) {
      mine.push_back(reference(interval.start));
      mine.push_back(reference(interval.end));
    }
    const auto all = gather_doubles(mine.data(), mine.size());
    if (group_.rank() != 0) return;
    double first = 0;
    for (const std::vector<double>& its : all)
      for (std::size_t i = 0; i < its.size(); i += 2) first = first == 0 ? its[i] : std::min(first, its[i]);
    for (const std::vector<double>& its : all) {
      std::vector<Interval>& rank = result.timeline.emplace_back();
      for (std::size_t i = 0; i + 1 < its.size(); i += 2) rank.push_back({its[i] - first, its[i + 1] - first});
    }
  }

  void gather_algorithms(RunResult& result) {
    std::set<std::string> mine, all;
    for (std::size_t c = 0; c < channels_.all.size(); ++c)
      if (const std::string algorithm = plans_.algorithm(c); !algorithm.empty())
        mine.insert(fmt::format("{} by {}", name(channels_.all[c].what), algorithm));
    for (const nlohmann::json& its : gather_json(group_, nlohmann::json(mine)))
      for (const nlohmann::json& each : its) all.insert(each.get<std::string>());
    result.algorithms.assign(all.begin(), all.end());
  }

  Group& group_;
  const StepOptions& options_;
  const std::vector<WorkNode>& nodes_;
  Clock clock_ = steady_clock();
  Channels channels_;
  std::uint64_t most_uses_;
  bool oversubscribed_;
  RankPlans plans_;
  std::unique_ptr<Computations> computations_;
  Executor executor_;
  Executor::Patience patience_;
  std::unique_ptr<Clocks> clocks_;
  std::uint64_t epoch_ = 0;
};

}  // namespace

RunResult run_steps(Group& group, const ChosenTransport& transport, const Workload& workload, const StepOptions& options,
                    const std::function<void(const StepRecord&)>& tell) {
  if (group.size() != workload.ranks)
    throw Error(Fault::usage,
                fmt::format("workload {} has {} ranks, and {} were started", workload.name, workload.ranks, group.size()));
  Steps steps(group, transport, workload, options);
  RunResult result = steps.run(tell);
  group.barrier();
  return result;
}

}  // namespace railgauge
