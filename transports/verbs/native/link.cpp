// Connects the two ranks, and polls.
#include "transports/verbs/native/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "transports/words.hpp"

namespace railgauge::verbs {
namespace {

constexpr std::uint32_t control_requests = 16;  // room for them beside the operations
constexpr std::size_t polled = 32;
constexpr std::chrono::seconds settle_deadline{60};
// The other rank may have need of this core.
constexpr std::chrono::nanoseconds first_nap{100'000}, longest_nap{100'000'000};

Completions make_completions(Port& port, std::size_t entries, ibv_comp_channel* events) {
  if (entries > static_cast<std::size_t>(port.device().max_cqe))
    throw Error(Fault::usage,
                fmt::format("{} completions are needed and {} has {}: choose a lower verbs.depth or verbs.queue_pairs", entries,
                            port.where(), port.device().max_cqe));
  Completions completions(ibv_create_cq(port.context(), static_cast<int>(entries), nullptr, events, 0));
  if (!completions) throw failure(fmt::format("ibv_create_cq of {} entries", entries), port.where(), errno);
  return completions;
}

}  // namespace

Link::Link(Group& group, Port& port, const Options& options, const NativeRun& run, std::uint32_t receives, bool oversubscribed)
    : group_(group),
      port_(port),
      peer_(run.peer),
      oversubscribed_(oversubscribed),
      memory_(port.memory_of(run.source, run.stride * run.slots)),
      counters_(port),
      watch_(port, options),
      done_(polled),
      taken_(polled) {
  if (run.bytes > port.attributes().max_msg_sz)
    throw Error(Fault::usage, fmt::format("{} carries messages of up to {} bytes", port.where(), port.attributes().max_msg_sz));
  if (options.events) {
    events_.reset(ibv_create_comp_channel(port.context()));
    if (!events_) throw failure("ibv_create_comp_channel", port.where(), errno);
    tick_.emplace();
  }
  const std::uint32_t sends = options.depth + control_requests;
  sent_ = make_completions(port, std::size_t{sends} * options.queue_pairs, events_.get());
  received_ = make_completions(port, std::size_t{receives} * options.queue_pairs + 1, events_.get());
  const Pair::Size size{sends, receives, sent_.get(), received_.get()};

  Address mine = address_of(port, options.mtu);
  std::vector<std::uint64_t> words{reinterpret_cast<std::uintptr_t>(run.source),
                                   reinterpret_cast<std::uintptr_t>(run.target),
                                   memory_.rkey,
                                   run.bytes,
                                   run.slots,
                                   run.messages};
  for (std::uint32_t i = 0; i < options.queue_pairs; ++i) {
    pairs_.push_back(std::make_unique<Pair>(port, options));
    if (port.listener() == nullptr) pairs_.back()->make(size);
    mine.ends.push_back(pairs_.back()->end());
    for (std::size_t word = 0; word < words_a_pair; ++word) {
      Control& control = control_.emplace_back();
      control.mine = counters_.take();
      control.theirs_copy = counters_.take();
      words.insert(words.end(), {control.mine.address(), control.mine.remote_key});
    }
  }
  append(words, mine);
  const std::array peers{run.peer};
  const std::vector<std::uint64_t> answer = to_words(group.exchange(peers, std::array{to_blob(words)}).front());
  std::span<const std::uint64_t> rest(answer);
  if (rest.size() < words.size()) throw Error(Fault::usage, fmt::format("rank {} is not preparing the same operation", run.peer));
  their_source_ = rest[0];
  their_target_ = rest[1];
  their_key_ = static_cast<std::uint32_t>(rest[2]);
  if (rest[3] != run.bytes || rest[4] != run.slots || rest[5] != run.messages)
    throw Error(Fault::usage, fmt::format("rank {} and rank {} do not mean the same operation", group.rank(), run.peer));
  rest = rest.subspan(6);
  for (Control& control : control_) {
    control.there = rest[0];
    control.key = rest[1];
    rest = rest.subspan(2);
  }
  const Address theirs = take_address(rest, run.peer);
  check_compatible(mine, group.rank(), theirs, run.peer);
  peer_text_ = peer_text(run.peer, group.nodes()[static_cast<std::size_t>(run.peer)], theirs);
  if (port.listener() != nullptr) {
    std::vector<Rendezvous> rendezvous;
    const bool active = group.rank() < run.peer;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      rendezvous.push_back({.peer = run.peer,
                            .active = active,
                            .token = active ? theirs.ends[i].token : mine.ends[i].token,
                            .there = theirs.listens,
                            .take = [&, i](CmId id) { pairs_[i]->make(size, std::move(id)); }});
    port.listener()->connect(rendezvous,
                             {.reads = reads_between(mine, theirs),
                              .retries = static_cast<std::uint8_t>(options.retries),
                              .timeout = static_cast<std::uint8_t>(options.timeout),
                              .traffic_class = static_cast<std::uint8_t>(options.traffic_class)},
                             [&] { group.check(); });
  } else {
    for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_[i]->connect(theirs, theirs.ends[i]);
  }
  (void)group.exchange(peers, std::array{Blob{}});
}

std::span<const Link::Done> Link::poll(ibv_cq* completions, const char* call) {
  const int count = ibv_poll_cq(completions, static_cast<int>(taken_.size()), taken_.data());
  if (count < 0) throw failure("ibv_poll_cq", port_.where(), errno, Fault::lost);
  if (count != 0) watch_.moved();
  for (int i = 0; i < count; ++i) {
    const ibv_wc& one = taken_[static_cast<std::size_t>(i)];
    const auto pair = static_cast<std::uint32_t>(one.wr_id >> 32);
    if (one.status != IBV_WC_SUCCESS) [[unlikely]] {
      group_.check();
      throw completion_error(one, call, peer_text_, pairs_[pair]->number(), port_.where(), port_.state_now());
    }
    done_[static_cast<std::size_t>(i)] = {pair, static_cast<std::uint32_t>(one.wr_id)};
  }
  return {done_.data(), static_cast<std::size_t>(count)};
}

void Link::sleep() {
  ibv_cq* completions = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(events_.get(), &completions, &context) == 0)
    ibv_ack_cq_events(completions, 1);
  else if (errno == EINTR || errno == EAGAIN)
    check();
  else
    throw failure("ibv_get_cq_event", port_.where(), errno, Fault::lost);
}

void Link::arm(bool sends, Wakes receives) {
  const auto ask = [&](ibv_cq* completions, bool solicited) {
    if (const int error = ibv_req_notify_cq(completions, solicited ? 1 : 0))
      throw failure("ibv_req_notify_cq", port_.where(), error);
  };
  if (sends) ask(sent_.get(), false);
  if (receives != Wakes::nothing) ask(received_.get(), receives == Wakes::solicited);
}

void Link::tell(Word word, std::uint64_t value, std::size_t pair) {
  const Control& control = control_[index(word, pair)];
  std::atomic_ref(*control.theirs_copy.value).store(value, std::memory_order_release);
  ibv_sge part{.addr = control.theirs_copy.address(), .length = sizeof(std::uint64_t), .lkey = control.theirs_copy.local_key};
  ibv_send_wr request{};
  request.wr_id = id(pair, 0);
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = IBV_SEND_SIGNALED | pairs_[pair]->inline_flag(part.length);
  request.sg_list = &part;
  request.num_sge = 1;
  request.wr.rdma.remote_addr = control.there;
  request.wr.rdma.rkey = static_cast<std::uint32_t>(control.key);
  pairs_[pair]->post(request);
}

std::uint64_t Link::told(Word word, std::size_t pair) const noexcept { return control_[index(word, pair)].mine.load(); }

void Link::meet() { (void)group_.exchange(std::array{peer_}, std::array{Blob{}}); }

void Link::await(Word word, std::uint64_t value, std::size_t pair, const char* what) {
  const auto began = std::chrono::steady_clock::now();
  const auto deadline = began + settle_deadline;
  // To wake while the other rank measures takes time from it on a core that both have. Mostly it takes as long as the last times.
  int naps = 0;
  for (auto nap = first_nap; told(word, pair) < value; ++naps) {
    (void)sent();
    check();
    if (std::chrono::steady_clock::now() > deadline)
      throw Error(Fault::lost, fmt::format("{} did not {} within {} s", peer_text_, what, settle_deadline.count()));
    std::this_thread::sleep_for(naps == 0 ? usual_wait_ : nap);
    if (naps != 0) nap = std::min(2 * nap, longest_nap);
  }
  if (naps > 1)
    usual_wait_ = (std::chrono::steady_clock::now() - began) * 9 / 8;
  else if (naps == 1)
    usual_wait_ = usual_wait_ * 63 / 64;
  usual_wait_ = std::clamp(usual_wait_, first_nap, longest_nap);
}

}  // namespace railgauge::verbs
