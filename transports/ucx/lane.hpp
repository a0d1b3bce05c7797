// One lane of an endpoint: a UCX worker of its own, connected to the same lane of the ranks that it has met so far.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "transports/ucx/handles.hpp"
#include "transports/ucx/listener.hpp"

namespace railgauge::ucx {

struct Work;

// A connected rank. Stays where it is while the lane lives.
struct Peer {
  int rank = 0;
  ucp_ep_h endpoint = nullptr;
  ucs_status_t failure = UCS_OK;        // what UCX said when it lost this peer
  const Peer** first_failed = nullptr;  // of the lane
};

class UcxLane {
 public:
  using Clock = std::chrono::steady_clock;

  // `listen_at` names the network interface, or port of an RDMA device, at whose address this lane is connected; empty: by what
  // UCX tells of the worker.
  UcxLane(Group& group, ucp_context_h context, bool peer_errors, const std::string& listen_at);
  UcxLane(const UcxLane&) = delete;
  UcxLane& operator=(const UcxLane&) = delete;

  // Both ends of each pair call it at the same time. When it returns, every message of the pairs' set-up is through, so the
  // peers need no more progress from this rank. Throws Error(lost) that names the silent ranks.
  void connect(const std::vector<int>& ranks, const std::vector<Blob>& addresses);

  // Closes the connections and the worker, and stops waiting for peers at `deadline`. False when UCX still has something to do
  // with a peer, who may be dead: nothing of this lane may be destroyed then, since UCX aborts the process over it.
  [[nodiscard]] bool close(Clock::time_point deadline) noexcept;

  // Keeps what UCX may still write to until the worker is gone.
  void keep(std::unique_ptr<Work> unfinished) { unfinished_.push_back(std::move(unfinished)); }

  // What a peer needs to connect.
  [[nodiscard]] Blob address() const { return listener_ ? listener_->address() : address_of(worker_.get()); }

  [[nodiscard]] Peer* find(int rank) const noexcept;
  [[nodiscard]] ucp_worker_h worker() const noexcept { return worker_.get(); }
  [[nodiscard]] const Peer* failed() const noexcept { return failed_; }
  [[nodiscard]] std::uint64_t next_number() noexcept { return number_++; }

 private:
  class Hellos;
  void create_endpoint(int rank, ucp_ep_params_t parameters);
  void connect_to(int rank, const Blob& address);
  void await_request(int rank);
  [[nodiscard]] bool broken() const noexcept;

  Group& group_;
  bool peer_errors_;
  bool set_up_failed_ = false;  // with messages in flight
  const Peer* failed_ = nullptr;
  std::uint64_t number_ = 0;
  std::map<int, std::unique_ptr<Peer>> peers_;
  std::vector<std::unique_ptr<Work>> unfinished_;
  Worker worker_;                       // goes after the listener
  std::unique_ptr<Listener> listener_;  // null without
};

// Tags: the receiver's number of the Exchange above the sender's rank; the set-up's own tags have the highest bit set.
constexpr unsigned rank_bits = 24;
[[nodiscard]] constexpr ucp_tag_t exchange_tag(std::uint64_t receivers_number, int sender) {
  return (receivers_number << rank_bits) | static_cast<ucp_tag_t>(sender);
}

}  // namespace railgauge::ucx
