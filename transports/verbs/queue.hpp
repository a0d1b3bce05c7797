// A queue pair of an Exchange with its accounting: how many work requests may be posted, and how many notices the peer can take.
#pragma once

#include <cstdint>
#include <vector>

#include "transports/verbs/address.hpp"
#include "transports/verbs/counters.hpp"
#include "transports/verbs/pair.hpp"
#include "transports/verbs/port.hpp"
#include "transports/verbs/settings.hpp"

namespace railgauge::verbs {

// How a message says that it has come. iWARP, and soft-iWARP above all, has no immediate data: there a small message follows.
enum class Notice : std::uint8_t { immediate, message };

// Each notice takes a receive that the peer has posted. A receiver posts them again a quarter at a time, and then writes into the
// sender's memory how many it has posted again in all: a sender that knows of no free one waits, because an RDMA device that
// finds none makes the sender try again much later, and an iWARP device breaks the connection.
class Queue {
 public:
  Queue(const Port& port, const Options& options, Notice notice, Counters& counters, std::uint32_t index);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Makes the queue pair, with all receives posted; its completions go to `completions`. Throws Error(usage).
  void make(ibv_cq* completions);
  void make(ibv_cq* completions, CmId id);
  // Connects a queue pair that was made without rdma_cm.
  void connect(const Address& theirs, const Address::QueuePair& end) { pair_.connect(theirs, end); }
  // What a queue pair of either kind must know of the far end.
  void meet(const Address& theirs, const Address::QueuePair& end);

  [[nodiscard]] Address::QueuePair end() const;

  // How many work requests may be posted now, and how many of them may be notices.
  [[nodiscard]] std::uint32_t room() const noexcept { return depth_ - static_cast<std::uint32_t>(posted_ - completed_); }
  [[nodiscard]] std::uint32_t notices() const noexcept {
    return their_receives_ - static_cast<std::uint32_t>(noticed_ - consumed_.load());
  }
  // Posts the chain from `first` to `last`: `count` requests, `notices` of them with a notice. A chain that is not signalled may
  // be made so, since requests that are over make room only when a later one is reported.
  void post(ibv_send_wr& first, ibv_send_wr& last, std::uint32_t count, std::uint32_t notices);

  // Requests that were posted, and those known to be over, since the beginning.
  [[nodiscard]] std::uint64_t posted() const noexcept { return posted_; }
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_; }

  void on_sent() noexcept;  // a completion of a send
  // A completion of a receive: posts receives again where a quarter is used up. Gives what the notice said; `immediate` is what
  // the completion holds.
  [[nodiscard]] std::uint32_t on_received(std::uint32_t immediate);
  // Whether the peer does not know yet of receives that were posted again, since nothing could be posted; report() tries again.
  [[nodiscard]] bool report_due() const noexcept { return reported_ != reposted_; }
  void report() {
    if (report_due()) try_report();
  }
  // Posts a request whose completion says that all before it are over, and reached the peer. There must be room().
  void flush();

  // Work requests of one number each, with what does not change filled in.
  [[nodiscard]] ibv_send_wr write_request(ibv_sge& from, std::uint64_t target, std::uint32_t key) const noexcept;
  [[nodiscard]] std::uint32_t number() const noexcept { return pair_.number(); }
  [[nodiscard]] std::uint32_t depth() const noexcept { return depth_; }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }  // among those of its connection

  static constexpr std::uint64_t receive_mark = 1;  // in wr_id, beside the address of the Queue

 private:
  [[nodiscard]] Pair::Size size(ibv_cq* completions) const noexcept { return {depth_, depth_, completions, completions}; }
  void post_all_receives();
  void try_report();

  const Port& port_;
  Notice notice_;
  std::uint32_t index_;
  std::uint32_t depth_, quarter_;

  std::uint64_t posted_ = 0, completed_ = 0, last_signalled_ = 0;
  std::vector<std::uint64_t> signalled_;  // a ring: what was posted when each signalled request was
  std::uint32_t oldest_ = 0, newest_ = 0;
  std::uint64_t noticed_ = 0;
  std::uint32_t their_receives_ = 0;
  Counter consumed_;  // written by the peer

  std::vector<ibv_recv_wr> receives_;
  std::vector<ibv_sge> receive_parts_;
  std::vector<std::uint64_t> notice_words_;  // what small messages bring
  Memory notice_memory_;
  std::uint64_t received_ = 0, reposted_ = 0, reported_ = 0;
  Counter report_;  // what is written to the peer
  ibv_sge report_part_{};
  ibv_send_wr report_request_{};

  Pair pair_;  // goes before all that it uses
};

}  // namespace railgauge::verbs
