// Connects and disconnects the worker of a lane.
#include "transports/ucx/lane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "transports/ucx/exchange.hpp"

namespace railgauge::ucx {
namespace {

constexpr std::chrono::seconds connect_deadline{60};
constexpr ucp_tag_t setup_tag = ucp_tag_t{1} << 63;

void on_failure(void* argument, ucp_ep_h, ucs_status_t status) {
  auto* peer = static_cast<Peer*>(argument);
  peer->failure = status;
  if (*peer->first_failed == nullptr) *peer->first_failed = peer;
}

}  // namespace

// Two empty messages in each direction, one after the other: the first makes UCX choose and connect its transports, and is
// flushed; who has the peer's second knows that the peer is done with that, and may stop moving UCX on.
class UcxLane::Hellos {
 public:
  Hellos(UcxLane& lane, const std::vector<int>& ranks) : lane_(lane) {
    for (const int rank : ranks) talks_.push_back({.peer = lane.find(rank)});
  }
  ~Hellos() {
    for (Talk& talk : talks_)
      for (void*& request : talk.requests) drop(request);
  }
  Hellos(const Hellos&) = delete;
  Hellos& operator=(const Hellos&) = delete;

  void exchange(ucp_tag_t phase) {
    const ucp_tag_t tag = setup_tag | (phase << rank_bits);
    const ucp_request_param_t none{};
    ucp_request_param_t waited{};
    waited.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    for (Talk& talk : talks_) {
      const ucp_tag_t theirs = tag | static_cast<ucp_tag_t>(talk.peer->rank);
      const ucp_tag_t mine = tag | static_cast<ucp_tag_t>(lane_.group_.rank());
      talk.requests[0] = ucp_tag_recv_nbx(lane_.worker(), nullptr, 0, theirs, ~ucp_tag_t{0}, &waited);
      talk.requests[1] = ucp_tag_send_nbx(talk.peer->endpoint, nullptr, 0, mine, &none);
    }
    wait("ucp_tag_send_nbx");
    if (phase != 0) return;  // a flush may need the peer to move, and the peer may be gone from here by now
    for (Talk& talk : talks_) talk.requests[0] = ucp_ep_flush_nbx(talk.peer->endpoint, &none);
    wait("ucp_ep_flush_nbx");
  }

 private:
  struct Talk {
    Peer* peer = nullptr;
    std::array<void*, 2> requests{};
  };

  void wait(const char* call) {
    const auto deadline = Clock::now() + connect_deadline;
    Backoff backoff;
    for (unsigned turn = 1;; ++turn) {
      const unsigned moved = ucp_worker_progress(lane_.worker());
      if (turn % 64 == 0 || moved == 0) {
        std::vector<int> silent;
        for (Talk& talk : talks_)
          if (!finished(talk, call)) silent.push_back(talk.peer->rank);
        if (silent.empty()) return;
        lane_.group_.check();
        if (Clock::now() > deadline)
          throw Error(Fault::lost, fmt::format("rank {} heard nothing from rank {} over UCX for {} s while connecting: see that "
                                               "their devices reach each other, or choose others with --set ucx.devices=...",
                                               lane_.group_.rank(), fmt::join(silent, ", rank "), connect_deadline.count()));
        if (moved == 0) backoff.pause();
      }
    }
  }

  bool finished(Talk& talk, const char* call) {
    bool all = true;
    for (void*& request : talk.requests) {
      if (request == nullptr) continue;
      const ucs_status_t status = UCS_PTR_IS_ERR(request) ? UCS_PTR_STATUS(request) : ucp_request_check_status(request);
      if (status == UCS_INPROGRESS) {
        all = false;
        continue;
      }
      if (!UCS_PTR_IS_ERR(request)) ucp_request_free(request);
      request = nullptr;
      if (status != UCS_OK)
        throw Error(Fault::lost,
                    fmt::format("{} to rank {} while connecting: {}", call, talk.peer->rank, ucs_status_string(status)));
    }
    return all;
  }

  void drop(void*& request) noexcept {
    if (request == nullptr || UCS_PTR_IS_ERR(request)) return;
    ucp_request_cancel(lane_.worker(), request);
    ucp_request_free(request);
    request = nullptr;
    lane_.set_up_failed_ = true;
  }

  UcxLane& lane_;
  std::vector<Talk> talks_;
};

UcxLane::UcxLane(Group& group, ucp_context_h context, bool peer_errors, const std::string& listen_at)
    : group_(group),
      peer_errors_(peer_errors),
      worker_(make_worker(context, static_cast<std::uint64_t>(group.rank()))),
      listener_(listen_at.empty() ? nullptr : std::make_unique<Listener>(worker_.get(), listen_at)) {
  if (group.size() >= (1 << rank_bits)) throw Error(Fault::usage, "the ucx transport serves fewer than 16777216 ranks");
}

Peer* UcxLane::find(int rank) const noexcept {
  const auto found = peers_.find(rank);
  return found == peers_.end() ? nullptr : found->second.get();
}

void UcxLane::create_endpoint(int rank, ucp_ep_params_t parameters) {
  auto peer = std::make_unique<Peer>(Peer{.rank = rank, .first_failed = &failed_});
  parameters.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.err_mode = peer_errors_ ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE;
  parameters.err_handler.cb = on_failure;
  parameters.err_handler.arg = peer.get();
  const ucs_status_t status = ucp_ep_create(worker_.get(), &parameters, &peer->endpoint);
  if (status != UCS_OK) {
    const char* hint = peer_errors_ ? "; with error handling on fewer of UCX's transports can be used (--set "
                                      "ucx.error_handling=off)"
                                    : "; both ranks need a transport in common (--set ucx.tls=...)";
    throw Error(Fault::usage,
                fmt::format("ucp_ep_create from rank {} to rank {}: {}{}", group_.rank(), rank, ucs_status_string(status), hint));
  }
  peers_[rank] = std::move(peer);
}

void UcxLane::connect_to(int rank, const Blob& address) {
  ucp_ep_params_t parameters{};
  if (listener_ && rank != group_.rank()) {
    parameters.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
    parameters.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER | UCP_EP_PARAMS_FLAGS_SEND_CLIENT_ID;
    parameters.sockaddr = {reinterpret_cast<const sockaddr*>(address.data()), static_cast<socklen_t>(address.size())};
  } else {
    parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    parameters.address = reinterpret_cast<const ucp_address_t*>(address.data());
  }
  create_endpoint(rank, parameters);
}

void UcxLane::await_request(int rank) {
  const auto deadline = Clock::now() + connect_deadline;
  Backoff backoff;
  std::optional<ucp_conn_request_h> request;
  while (!(request = listener_->take(static_cast<std::uint64_t>(rank)))) {
    if (ucp_worker_progress(worker_.get()) != 0) continue;
    group_.check();
    if (Clock::now() > deadline)
      throw Error(Fault::lost, fmt::format("rank {} did not connect to rank {} over UCX within {} s: see that it reaches the "
                                           "address of its device (ucx.devices)",
                                           rank, group_.rank(), connect_deadline.count()));
    backoff.pause();
  }
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
  parameters.conn_request = *request;
  create_endpoint(rank, parameters);
}

// With listeners the lower rank of a pair connects.
void UcxLane::connect(const std::vector<int>& ranks, const std::vector<Blob>& addresses) {
  if (ranks.empty()) return;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == group_.rank())
      connect_to(ranks[i], address_of(worker_.get()));
    else if (!listener_ || group_.rank() < ranks[i])
      connect_to(ranks[i], addresses[i]);
  }
  for (const int rank : ranks)
    if (listener_ && group_.rank() > rank) await_request(rank);
  Hellos hellos(*this, ranks);
  hellos.exchange(0);
  hellos.exchange(1);
}

bool UcxLane::broken() const noexcept {
  if (failed_ != nullptr || set_up_failed_ || !unfinished_.empty()) return true;
  try {
    group_.check();
    return false;
  } catch (const Error&) { return true; }
}

bool UcxLane::close(Clock::time_point deadline) noexcept {
  if (broken()) return false;
  std::vector<void*> closing;
  for (auto& [rank, peer] : peers_) {
    const ucp_request_param_t none{};
    void* request = ucp_ep_close_nbx(peer->endpoint, &none);
    if (UCS_PTR_IS_PTR(request)) closing.push_back(request);
  }
  for (Backoff backoff; !closing.empty(); backoff.pause()) {
    ucp_worker_progress(worker_.get());
    std::erase_if(closing, [](void* request) {
      if (ucp_request_check_status(request) == UCS_INPROGRESS) return false;
      ucp_request_free(request);
      return true;
    });
    if (closing.empty()) break;
    if (Clock::now() > deadline || broken()) return false;
  }
  // The failure callback may still run while the worker is destroyed: the peers stay until then.
  listener_.reset();
  worker_.reset();
  peers_.clear();
  return true;
}

}  // namespace railgauge::ucx
