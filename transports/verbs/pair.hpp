// A reliable connected (RC) queue pair.
#pragma once

#include <cstdint>

#include "transports/verbs/address.hpp"
#include "transports/verbs/port.hpp"
#include "transports/verbs/settings.hpp"

namespace railgauge::verbs {

class Pair {
 public:
  // How many sends and receives can be posted, the receives' parts, and where both are reported.
  struct Size {
    std::uint32_t sends = 0, receives = 0;
    ibv_cq *sent = nullptr, *received = nullptr;
  };

  Pair(const Port& port, const Options& options);

  // Makes the queue pair; it takes receives from then on. Throws Error(usage).
  void make(const Size& size);
  // The same on an identifier of rdma_cm, which connects it.
  void make(const Size& size, CmId id);
  // Connects a queue pair that was made without rdma_cm.
  void connect(const Address& theirs, const Address::QueuePair& end);

  // What the peer needs to connect; number is 0 before make().
  [[nodiscard]] Address::QueuePair end() const;

  [[nodiscard]] ibv_qp* get() const noexcept { return id_ ? id_->qp : own_.get(); }
  [[nodiscard]] std::uint32_t number() const noexcept { return get()->qp_num; }
  // What travels inside a work request at the most, as asked for and as far as the device goes.
  [[nodiscard]] std::uint32_t inline_bytes() const noexcept { return inline_bytes_; }
  [[nodiscard]] unsigned inline_flag(std::size_t bytes) const noexcept {
    return bytes <= inline_bytes_ ? unsigned{IBV_SEND_INLINE} : 0U;
  }

  void post(ibv_send_wr& first) const;  // throws Error(lost)
  void post(ibv_recv_wr& first) const;

 private:
  template <typename Make>
  void make_with_inline(const Size& size, const Make& create);

  const Port& port_;
  const Options& options_;
  std::uint32_t inline_bytes_ = 0;
  std::uint32_t first_packet_;
  std::uint64_t token_;
  QueuePair own_;
  CmId id_;
};

// RDMA reads and atomics that can be in flight between two ports.
[[nodiscard]] std::uint8_t reads_between(const Address& mine, const Address& theirs);

}  // namespace railgauge::verbs
