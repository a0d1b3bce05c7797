// Makes, connects and feeds queue pairs.
#include "transports/verbs/queue.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace railgauge::verbs {
namespace {

std::uint32_t depth_of(const Port& port, const Options& options) {
  const auto most = static_cast<std::uint32_t>(std::max(port.device().max_qp_wr, 8));
  return std::min(options.depth, most) / 4 * 4;
}

}  // namespace

Queue::Queue(const Port& port, const Options& options, Notice notice, Counters& counters, std::uint32_t index)
    : port_(port),
      notice_(notice),
      index_(index),
      depth_(depth_of(port, options)),
      quarter_(depth_ / 4),
      signalled_(depth_),
      consumed_(counters.take()),
      report_(counters.take()),
      pair_(port, options) {}

Address::QueuePair Queue::end() const {
  Address::QueuePair end = pair_.end();
  end.consumed = consumed_.address();
  end.consumed_key = consumed_.remote_key;
  return end;
}

void Queue::make(ibv_cq* completions) {
  pair_.make(size(completions));
  post_all_receives();
}

void Queue::make(ibv_cq* completions, CmId id) {
  pair_.make(size(completions), std::move(id));
  post_all_receives();
}

void Queue::meet(const Address& theirs, const Address::QueuePair& end) {
  their_receives_ = static_cast<std::uint32_t>(theirs.receives);
  report_part_ = {.addr = report_.address(), .length = sizeof(std::uint64_t), .lkey = report_.local_key};
  report_request_ = write_request(report_part_, end.consumed, static_cast<std::uint32_t>(end.consumed_key));
}

// All receives are the same but for where a small message goes; each quarter is one chain.
void Queue::post_all_receives() {
  receives_.assign(depth_, {});
  if (notice_ == Notice::message) {
    receive_parts_.assign(depth_, {});
    notice_words_.assign(depth_, 0);
    notice_memory_.reset(
        ibv_reg_mr(port_.domain(), notice_words_.data(), depth_ * sizeof(std::uint64_t), int{IBV_ACCESS_LOCAL_WRITE}));
    if (!notice_memory_) throw failure("ibv_reg_mr of notices", port_.where(), errno);
  }
  for (std::uint32_t i = 0; i < depth_; ++i) {
    ibv_recv_wr& receive = receives_[i];
    receive.wr_id = reinterpret_cast<std::uintptr_t>(this) | receive_mark;
    receive.next = (i + 1) % quarter_ == 0 ? nullptr : &receives_[i + 1];
    if (notice_ == Notice::immediate) continue;
    receive_parts_[i] = {.addr = reinterpret_cast<std::uintptr_t>(&notice_words_[i]),
                         .length = sizeof(std::uint64_t),
                         .lkey = notice_memory_->lkey};
    receive.sg_list = &receive_parts_[i];
    receive.num_sge = 1;
  }
  for (std::uint32_t first = 0; first < depth_; first += quarter_) pair_.post(receives_[first]);
}

ibv_send_wr Queue::write_request(ibv_sge& from, std::uint64_t target, std::uint32_t key) const noexcept {
  ibv_send_wr request{};
  request.wr_id = reinterpret_cast<std::uintptr_t>(this);
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = pair_.inline_flag(from.length);
  request.sg_list = &from;
  request.num_sge = from.length == 0 ? 0 : 1;
  request.wr.rdma.remote_addr = target;
  request.wr.rdma.rkey = key;
  return request;
}

void Queue::post(ibv_send_wr& first, ibv_send_wr& last, std::uint32_t count, std::uint32_t notices) {
  posted_ += count;
  noticed_ += notices;
  const unsigned flags = last.send_flags;
  if (posted_ - last_signalled_ >= quarter_) last.send_flags |= IBV_SEND_SIGNALED;
  if ((last.send_flags & IBV_SEND_SIGNALED) != 0) {
    last_signalled_ = posted_;
    signalled_[newest_] = posted_;
    newest_ = newest_ + 1 == depth_ ? 0 : newest_ + 1;
  }
  pair_.post(first);
  last.send_flags = flags;
}

void Queue::on_sent() noexcept {
  completed_ = signalled_[oldest_];
  oldest_ = oldest_ + 1 == depth_ ? 0 : oldest_ + 1;
}

std::uint32_t Queue::on_received(std::uint32_t immediate) {
  const std::uint64_t slot = received_++ % depth_;
  const std::uint32_t said = notice_ == Notice::immediate ? immediate : static_cast<std::uint32_t>(notice_words_[slot]);
  if (received_ - reposted_ == quarter_) {
    pair_.post(receives_[static_cast<std::size_t>(reposted_ % depth_)]);
    reposted_ += quarter_;
    try_report();
  }
  return said;
}

void Queue::flush() {
  report_request_.send_flags |= IBV_SEND_SIGNALED;
  try_report();
  report_request_.send_flags &= ~static_cast<unsigned>(IBV_SEND_SIGNALED);
}

void Queue::try_report() {
  if (room() == 0) return;
  std::atomic_ref(*report_.value).store(reposted_, std::memory_order_release);
  report_request_.next = nullptr;
  post(report_request_, report_request_, 1, 0);
  reported_ = reposted_;
}

}  // namespace railgauge::verbs
