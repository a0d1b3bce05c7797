// Connects queue pairs, takes their completions, and lets them go.
#include "transports/verbs/lane.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "base/backoff.hpp"
#include "base/error.hpp"

namespace railgauge::verbs {
namespace {

constexpr std::chrono::seconds close_deadline{2};
constexpr int longest_sleep = 5;  // milliseconds: then the group is asked whether all ranks live

Queue& queue_of(std::uint64_t id) { return *reinterpret_cast<Queue*>(static_cast<std::uintptr_t>(id & ~Queue::receive_mark)); }

}  // namespace

Channel::Channel(VerbsLane& lane) : number(lane.add(*this)), arrived(lane.queue_pairs()), lane_(lane) {}
Channel::~Channel() { lane_.remove(number); }

VerbsLane::VerbsLane(Group& group, Port& port, const Options& options)
    : group_(group),
      port_(port),
      options_(options),
      notice_(port.iwarp() ? Notice::message : Notice::immediate),
      counters_(port),
      watch_(port, options) {
  if (!options.events) return;
  events_.reset(ibv_create_comp_channel(port.context()));
  if (!events_) throw failure("ibv_create_comp_channel", port.where(), errno);
}

VerbsLane::~VerbsLane() { close(); }

Connection* VerbsLane::find(int rank) const noexcept {
  const auto found = peers_.find(rank);
  return found == peers_.end() ? nullptr : found->second.get();
}

std::uint32_t VerbsLane::add(Channel& channel) {
  channels_.push_back(&channel);
  return static_cast<std::uint32_t>(channels_.size() - 1);
}

ibv_cq* VerbsLane::make_completions(std::size_t queue_pairs) {
  const std::size_t wanted = 2 * queue_pairs * options_.depth;
  if (wanted > static_cast<std::size_t>(port_.device().max_cqe))
    throw Error(Fault::usage,
                fmt::format("{} queue pairs of {} sends and receives need {} completions, and {} has {}: choose a lower "
                            "verbs.depth or verbs.queue_pairs",
                            queue_pairs, options_.depth, wanted, port_.where(), port_.device().max_cqe));
  Completions completions(ibv_create_cq(port_.context(), static_cast<int>(wanted), nullptr, events_.get(), 0));
  if (!completions) throw failure(fmt::format("ibv_create_cq of {} entries", wanted), port_.where(), errno);
  completions_.push_back(std::move(completions));
  return completions_.back().get();
}

std::vector<Address> VerbsLane::introduce(std::span<const int> ranks) {
  std::vector<Address> addresses;
  if (ranks.empty()) return addresses;
  // One queue of completions for as many peers as it has room for.
  const std::size_t fit = std::max<std::size_t>(
      1, static_cast<std::size_t>(port_.device().max_cqe) / (std::size_t{2} * options_.queue_pairs * options_.depth));
  ibv_cq* completions = nullptr;  // rdma_cm makes queue pairs, and what they need, later
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i % fit == 0 && port_.listener() == nullptr)
      completions = make_completions(std::min(fit, ranks.size() - i) * options_.queue_pairs);
    auto connection = std::make_unique<Connection>();
    connection->rank = ranks[i];
    connection->left = counters_.take();
    connection->farewell = counters_.take();
    *connection->farewell.value = 1;
    Address address = address_of(port_, options_.mtu);
    for (std::uint32_t q = 0; q < options_.queue_pairs; ++q) {
      connection->queues.push_back(std::make_unique<Queue>(port_, options_, notice_, counters_, q));
      if (port_.listener() == nullptr) connection->queues.back()->make(completions);
      address.ends.push_back(connection->queues.back()->end());
    }
    address.receives = connection->queues.front()->depth();
    address.left = connection->left.address();
    address.left_key = connection->left.remote_key;
    addresses.push_back(std::move(address));
    peers_[ranks[i]] = std::move(connection);
  }
  return addresses;
}

void VerbsLane::connect(std::span<const int> ranks, std::span<const Address> theirs) {
  if (ranks.empty()) return;
  const Address mine = address_of(port_, options_.mtu);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Connection& connection = *find(ranks[i]);
    connection.theirs = theirs[i];
    Address both = mine;
    both.ends.resize(connection.queues.size());
    check_compatible(both, group_.rank(), theirs[i], ranks[i]);
    for (std::size_t q = 0; q < connection.queues.size(); ++q) connection.queues[q]->meet(theirs[i], theirs[i].ends[q]);
  }
  if (port_.listener() != nullptr) {
    meet_by_cm(ranks, theirs);
  } else {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      for (std::size_t q = 0; q < theirs[i].ends.size(); ++q) find(ranks[i])->queues[q]->connect(theirs[i], theirs[i].ends[q]);
  }
  for (const int rank : ranks) find(rank)->met = true;
}

void VerbsLane::meet_by_cm(std::span<const int> ranks, std::span<const Address> theirs) {
  std::vector<Rendezvous> rendezvous;
  std::uint8_t reads = std::numeric_limits<std::uint8_t>::max();
  const Address mine = address_of(port_, options_.mtu);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    reads = std::min(reads, reads_between(mine, theirs[i]));
    for (std::size_t q = 0; q < theirs[i].ends.size(); ++q) {
      Queue& queue = *find(ranks[i])->queues[q];
      const bool active = group_.rank() < ranks[i];
      rendezvous.push_back({.peer = ranks[i],
                            .active = active,
                            .token = active ? theirs[i].ends[q].token : queue.end().token,
                            .there = theirs[i].listens,
                            .take = [this, &queue](CmId id) { queue.make(make_completions(1), std::move(id)); }});
    }
  }
  port_.listener()->connect(rendezvous,
                            {.reads = reads,
                             .retries = static_cast<std::uint8_t>(options_.retries),
                             .timeout = static_cast<std::uint8_t>(options_.timeout),
                             .traffic_class = static_cast<std::uint8_t>(options_.traffic_class)},
                            [this] { group_.check(); });
}

std::size_t VerbsLane::progress() {
  if (failed_) throw *failed_;
  std::array<ibv_wc, 16> taken;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by ibv_poll_cq
  std::size_t all = 0;
  for (const Completions& completions : completions_) {
    const int count = ibv_poll_cq(completions.get(), static_cast<int>(taken.size()), taken.data());
    if (count < 0) throw failure("ibv_poll_cq", port_.where(), errno, Fault::lost);
    for (int i = 0; i < count; ++i) take(taken[static_cast<std::size_t>(i)]);
    all += static_cast<std::size_t>(count);
  }
  if (all != 0) watch_.moved();
  if (!reports_due_) return all;
  reports_due_ = false;
  for (const auto& [rank, connection] : peers_)
    for (const auto& queue : connection->queues) {
      queue->report();
      reports_due_ = reports_due_ || queue->report_due();
    }
  return all;
}

void VerbsLane::take(const ibv_wc& completion) {
  if (completion.status != IBV_WC_SUCCESS) [[unlikely]]
    return fail(completion);
  Queue& queue = queue_of(completion.wr_id);
  if ((completion.wr_id & Queue::receive_mark) == 0) return queue.on_sent();
  const std::uint32_t said = queue.on_received(ntohl(completion.imm_data));
  reports_due_ = reports_due_ || queue.report_due();
  Channel* channel = channels_[said & ~grant_mark];
  if (channel == nullptr) return;  // of an Exchange that is gone
  if ((said & grant_mark) != 0)
    ++channel->granted;
  else
    ++channel->arrived[queue.index()];
}

void VerbsLane::fail(const ibv_wc& completion) {
  const Queue* queue = &queue_of(completion.wr_id);
  const Connection* to = nullptr;
  for (const auto& [rank, connection] : peers_)
    for (const auto& one : connection->queues)
      if (one.get() == queue) to = connection.get();
  if (to == nullptr || to->left.load() != 0) return;  // it has all that it wanted, and its queue pairs are gone
  const bool received = (completion.wr_id & Queue::receive_mark) != 0;
  const std::string& node = group_.nodes()[static_cast<std::size_t>(to->rank)];
  failed_ = completion_error(completion, received ? "ibv_post_recv from" : "ibv_post_send to",
                             peer_text(to->rank, node, to->theirs), queue->number(), port_.where(), port_.state_now());
  throw *failed_;
}

// Armed first and looked at once more, since an event may be of something that was taken already, and what came before is none.
void VerbsLane::sleep() {
  for (const Completions& completions : completions_)
    if (const int error = ibv_req_notify_cq(completions.get(), 0); error != 0)
      throw failure("ibv_req_notify_cq", port_.where(), error);
  if (progress() != 0) return;
  pollfd readable{events_->fd, POLLIN, 0};
  if (poll(&readable, 1, longest_sleep) != 1) return watch_.look();
  ibv_cq* completions = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(events_.get(), &completions, &context) == 0) ibv_ack_cq_events(completions, 1);
}

bool VerbsLane::broken() const noexcept {
  if (failed_) return true;
  try {
    group_.check();
    return false;
  } catch (const Error&) { return true; }
}

bool VerbsLane::drained(Clock::time_point deadline, std::span<const Draining> queues) {
  for (Backoff backoff;
       !std::all_of(queues.begin(), queues.end(),
                    [](const Draining& one) { return one.connection->left.load() != 0 || one.queue->completed() >= one.until; });
       backoff.pause()) {
    progress();
    if (Clock::now() > deadline || broken()) return false;
  }
  return true;
}

// What is in flight must reach the peers before the queue pairs go, and nobody waits for a peer that has gone: each writes that
// it is about to, when all it sent has come.
void VerbsLane::close() noexcept {
  try {
    if (broken()) return;
    const auto deadline = Clock::now() + close_deadline;
    std::vector<Draining> waited;
    for (const auto& [rank, connection] : peers_)
      for (const auto& queue : connection->queues) {
        if (!connection->met || connection->left.load() != 0) continue;
        while (queue->room() == 0) {
          progress();
          if (Clock::now() > deadline || broken()) return;
        }
        queue->flush();
        waited.push_back({connection.get(), queue.get(), queue->posted()});
      }
    if (!drained(deadline, waited)) return;
    struct Farewell {
      ibv_sge part;
      ibv_send_wr request;
    };
    std::vector<Farewell> farewells(peers_.size());  // stay where they are
    auto next = farewells.begin();
    waited.clear();
    for (const auto& [rank, connection] : peers_) {
      if (!connection->met || connection->left.load() != 0) continue;
      Queue& queue = *connection->queues.front();
      next->part = {
          .addr = connection->farewell.address(), .length = sizeof(std::uint64_t), .lkey = connection->farewell.local_key};
      next->request =
          queue.write_request(next->part, connection->theirs.left, static_cast<std::uint32_t>(connection->theirs.left_key));
      next->request.send_flags |= IBV_SEND_SIGNALED;
      queue.post(next->request, next->request, 1, 0);
      ++next;
      waited.push_back({connection.get(), &queue, queue.posted()});
    }
    if (!drained(deadline, waited)) return;
    // Over TCP, what a device reports as sent may still wait in this host.
    Backoff backoff;
    while (port_.iwarp() && Clock::now() < deadline && !broken() &&
           std::any_of(peers_.begin(), peers_.end(),
                       [](const auto& one) { return one.second->met && one.second->left.load() == 0; })) {
      progress();
      backoff.pause();
    }
  } catch (const std::exception&) {
    // The peer is gone, or the device fails: there is nothing left to wait for.
  }
}

}  // namespace railgauge::verbs
