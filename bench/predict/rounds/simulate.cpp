// The event loop of bench/predict/rounds/simulate.hpp.
#include "bench/predict/rounds/simulate.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <unordered_map>

#include "bench/predict/flows/fluid.hpp"

namespace railgauge::predict {
namespace {

// Messages from one rank to another: the n-th send meets the n-th receive. They arrive in order.
struct Channel {
  std::int32_t from = 0, to = 0;
  std::uint32_t sends = 0, receives = 0;           // posted
  std::uint32_t eager_arrived = 0, eager_met = 0;  // eager ones that are through, and receives of such that are posted
  double latency = 0;
  Medium medium = Medium::network;
  Path path;
};

struct InFlight {
  std::uint32_t channel = 0;
  bool eager = false;
};

enum class What : std::uint8_t { begin_round, post_send, flow };

struct Event {
  double time;
  What what;
  std::uint32_t subject;  // rank, or channel
  double bytes;
};
struct Later {
  bool operator()(const Event& a, const Event& b) const { return a.time > b.time; }
};

// Where ranks have many messages in flight at once, hardly two of them end at one time. What is less than a thousandth of the
// shortest time apart that such a round can take, by the fastest link, is then taken as one event.
constexpr std::size_t many = 32;
constexpr double grain_share = 1e-3;
double grain(std::span<const Steps> steps, std::span<const Sizes> sizes, const std::vector<double>& capacities) {
  double least = Fluid::never;
  const double fastest = capacities.empty() ? 1 : *std::max_element(capacities.begin(), capacities.end());
  for (std::size_t rank = 0; rank < steps.size(); ++rank)
    for (std::size_t round = 0; round < steps[rank].rounds(); ++round) {
      if (steps[rank].messages_of(round).size() < many) continue;
      double bytes = 0;
      for (const Message& message : steps[rank].messages_of(round))
        if (message.sends) bytes += sizes[rank].bytes(message.amount);
      if (bytes > 0) least = std::min(least, bytes / fastest);
    }
  return least == Fluid::never ? 0 : least * grain_share;
}

class Run {
 public:
  Run(std::span<const Steps> steps, std::span<const Sizes> sizes, Routes& routes, const Costs& costs,
      const std::vector<double>& capacities, std::span<const std::uint32_t> devices)
      : steps_(steps),
        sizes_(sizes),
        routes_(routes),
        costs_(costs),
        grain_(grain(steps, sizes, capacities)),
        fluid_(capacities, grain_),
        round_(steps.size(), 0),
        pending_(steps.size(), 0),
        carried_(capacities.size(), 0),
        devices_(devices) {
    if (devices.empty()) return;
    const std::size_t numbers = std::size_t{*std::max_element(devices.begin(), devices.end())} + 1;
    moving_.resize(numbers, 0);
    posting_.resize(numbers, 0);
  }

  Simulated run() {
    for (std::uint32_t rank = 0; rank < steps_.size(); ++rank) events_.push({0, What::begin_round, rank, 0});
    std::vector<std::uint32_t> ended;
    for (;;) {
      const double next = std::min(fluid_.next(), events_.empty() ? Fluid::never : events_.top().time);
      if (next == Fluid::never) break;
      ended.clear();
      fluid_.advance(next, ended);
      for (const std::uint32_t flow : ended) complete(flows_[flow]);
      // What rounding parts begins together, so that rates are found once.
      while (!events_.empty() && events_.top().time <= std::max(next * (1 + 1e-12), next + grain_)) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
    }
    if (done_ != steps_.size()) throw std::logic_error("ranks of a schedule wait for each other for ever");
    return {last_, std::move(carried_)};
  }

 private:
  void handle(const Event& event) {
    if (event.what == What::begin_round) return begin(event.subject);
    if (event.what == What::post_send) return post(channels_[event.subject], event.subject, true, event.bytes);
    const Path& path = channels_[event.subject].path;
    visit(path, [&](std::uint32_t arc, double share) { carried_[arc] += share * event.bytes; });
    const std::uint32_t flow = fluid_.start(path, event.bytes);
    if (flows_.size() <= flow) flows_.resize(flow + std::size_t{1});
    flows_[flow] = {event.subject, costs_.is_eager(channels_[event.subject].medium, event.bytes)};
  }

  std::uint32_t channel(std::int32_t from, std::int32_t to) {
    const auto [at, fresh] = numbers_.try_emplace(pair_key(from, to), static_cast<std::uint32_t>(channels_.size()));
    if (fresh) {
      Route route = routes_.between(from, to);
      channels_.push_back({from, to, 0, 0, 0, 0, costs_.latency(route), route.medium, std::move(route.path)});
    }
    return at->second;
  }

  void begin(std::uint32_t rank) {
    const Steps& steps = steps_[rank];
    if (round_[rank] == steps.rounds()) {
      ++done_;
      last_ = std::max(last_, fluid_.now());
      return;
    }
    const auto messages = steps.messages_of(round_[rank]);
    pending_[rank] = static_cast<std::uint32_t>(messages.size());
    if (messages.empty()) return end(rank);
    double at = devices_.empty() ? fluid_.now() : std::max(fluid_.now(), posting_[devices_[rank]]);
    for (const Message& message : messages) {
      const auto me = static_cast<std::int32_t>(rank);
      const std::uint32_t number = message.sends ? channel(me, message.peer) : channel(message.peer, me);
      const double bytes = sizes_[rank].bytes(message.amount);
      if (!message.sends || at == fluid_.now())
        post(channels_[number], number, message.sends, bytes);
      else
        events_.push({at, What::post_send, number, bytes});
      if (message.sends) at += costs_.gap;
    }
    if (!devices_.empty()) posting_[devices_[rank]] = at;
  }

  void post(Channel& it, std::uint32_t number, bool sends, double bytes) {
    const std::uint32_t mine = (sends ? it.sends : it.receives)++;
    if (costs_.is_eager(it.medium, bytes)) {
      if (!sends) {
        if (++it.eager_met <= it.eager_arrived) done(it.to);
        return;
      }
    } else if ((sends ? it.receives : it.sends) <= mine) {
      return;
    }
    events_.push({fluid_.now() + it.latency + costs_.handshake(it.medium, bytes), What::flow, number, bytes});
  }

  void complete(const InFlight& flow) {
    Channel& it = channels_[flow.channel];
    const bool received = !flow.eager || ++it.eager_arrived <= it.eager_met;
    done(it.from);
    if (received) done(it.to);
  }

  // One message less for the rank to wait for in its round.
  void done(std::int32_t rank) {
    if (--pending_[static_cast<std::size_t>(rank)] == 0) end(static_cast<std::uint32_t>(rank));
  }

  void end(std::uint32_t rank) {
    const double local = costs_.local(moved(steps_[rank], sizes_[rank], round_[rank]));
    ++round_[rank];
    double at = fluid_.now() + local;
    if (!devices_.empty() && local > 0) {
      double& moving = moving_[devices_[rank]];
      at = std::max(fluid_.now(), moving) + local;
      moving = at;
    }
    events_.push({at, What::begin_round, rank, 0});
  }

  std::span<const Steps> steps_;
  std::span<const Sizes> sizes_;
  Routes& routes_;
  const Costs& costs_;
  double grain_;
  Fluid fluid_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<Channel> channels_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<InFlight> flows_;  // of each flow
  std::vector<std::size_t> round_;
  std::vector<std::uint32_t> pending_;  // transfers of the round that are not complete
  std::vector<double> carried_;
  std::span<const std::uint32_t> devices_;
  std::vector<double> moving_, posting_;  // of each device: until when it moves data and posts
  std::size_t done_ = 0;
  double last_ = 0;
};

}  // namespace

Simulated simulate(std::span<const Steps> steps, std::span<const Sizes> sizes, Routes& routes, const Costs& costs,
                   const std::vector<double>& capacities, std::span<const std::uint32_t> devices) {
  return Run(steps, sizes, routes, costs, capacities, devices).run();
}

}  // namespace railgauge::predict
