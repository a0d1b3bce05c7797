// A message there and one back: half of it is the latency of a write, or of a send.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "transports/verbs/native/operations.hpp"

namespace railgauge::verbs {
namespace {

// The last byte of a message is its number, which a receiver of writes waits for: devices write in order, as long as the network
// keeps packets in order. A receiver of sends is told by the card.
class PingPong final : public LinkedNative {
 public:
  PingPong(std::unique_ptr<Link> link, Operation operation, const NativeRun& run, const Options& options)
      : LinkedNative(std::move(link)), run_(run), writes_(operation == Operation::write), depth_(options.depth) {
    if (run.bytes == 0) throw Error(Fault::usage, "the latency of a message of 0 bytes: choose at least 1");
    part_ = {.addr = 0, .length = static_cast<std::uint32_t>(run.bytes), .lkey = this->link().memory().lkey};
    request_.sg_list = &part_;
    request_.num_sge = 1;
    request_.opcode = writes_ ? IBV_WR_RDMA_WRITE : IBV_WR_SEND;
    request_.wr.rdma.rkey = this->link().their_key();
    inline_ = this->link().pair(0).inline_flag(run.bytes);
    if (writes_) return;
    receive_part_ = part_;
    receive_.sg_list = &receive_part_;
    receive_.num_sge = 1;
    for (std::uint32_t i = 0; i < depth_; ++i) offer();
  }

  void start() override {
    ++number_;
    waiting_ = 0;
    if (run_.initiates) say();
  }

  bool test() override {
    if (!heard() && !rest()) return false;
    if (!run_.initiates) say();
    return true;
  }

 private:
  [[nodiscard]] std::uint64_t offset(std::uint64_t number) const {
    return (number - 1) % run_.slots * run_.stride;
  }  // numbers begin with 1

  // The peer has the message before this one, so its source is free.
  void say() {
    std::byte* const source = run_.source + offset(number_);
    source[run_.bytes - 1] = static_cast<std::byte>(number_);
    part_.addr = reinterpret_cast<std::uintptr_t>(source);
    request_.wr.rdma.remote_addr = link().their_target() + offset(number_);
    request_.send_flags = inline_;
    if (++unsignalled_ >= depth_ / 2) {
      request_.send_flags |= IBV_SEND_SIGNALED;
      unsignalled_ = 0;
      (void)link().sent();  // of the last time
    }
    link().pair(0).post(request_);
  }

  bool heard() {
    if (!writes_) {
      if (link().received().empty()) return false;
      offer();
      return true;
    }
    auto& last = reinterpret_cast<unsigned char&>(run_.target[offset(number_) + run_.bytes - 1]);
    return std::atomic_ref(last).load(std::memory_order_acquire) == static_cast<unsigned char>(number_);
  }

  void offer() {
    receive_part_.addr = reinterpret_cast<std::uintptr_t>(run_.target) + offset(++offered_);
    receive_.wr_id = Link::id(0, 1);
    link().pair(0).post(receive_);
  }

  // Waits where the card wakes; whether it was heard then.
  bool rest() {
    if (!link().sleeps()) {
      if (++waiting_ % 256 == 0) look();
      return false;
    }
    link().arm(false, Link::Wakes::each);
    if (heard()) return true;
    link().sleep();
    if (heard()) return true;
    look();
    return false;
  }

  void look() {
    (void)link().sent();  // what failed is reported there
    link().check();
  }

  NativeRun run_;
  bool writes_;
  std::uint32_t depth_, unsignalled_ = 0;
  unsigned inline_ = 0;
  std::uint64_t number_ = 0, offered_ = 0, waiting_ = 0;
  ibv_sge part_{}, receive_part_{};
  ibv_send_wr request_{};
  ibv_recv_wr receive_{};
};

}  // namespace

std::unique_ptr<Native> make_ping_pong(std::unique_ptr<Link> link, Operation operation, const NativeRun& run,
                                       const Options& options) {
  if (operation == Operation::write && options.events)
    throw Error(Fault::usage, "the latency of a write is seen in memory, which wakes nobody: leave --events out");
  return std::make_unique<PingPong>(std::move(link), operation, run, options);
}

}  // namespace railgauge::verbs
