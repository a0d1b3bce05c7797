// Makes and connects queue pairs.
#include "transports/verbs/pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "base/error.hpp"

namespace railgauge::verbs {
namespace {

constexpr std::uint32_t packet_numbers = 0xffffff;  // they have 24 bits
constexpr std::uint8_t hop_limit = 64;
constexpr std::uint8_t wait_for_receiver = 12;  // 0.64 ms between tries, when it has no receive posted
constexpr std::uint64_t most_reads = 16;
constexpr int access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

ibv_mtu mtu_of(std::uint64_t bytes) {
  for (const ibv_mtu mtu : {IBV_MTU_4096, IBV_MTU_2048, IBV_MTU_1024, IBV_MTU_512})
    if (bytes >= 128U << mtu) return mtu;
  return IBV_MTU_256;
}

}  // namespace

Pair::Pair(const Port& port, const Options& options)
    : port_(port),
      options_(options),
      first_packet_(std::random_device{}() & packet_numbers),
      token_(port.listener() == nullptr ? 0 : port.listener()->next_token()) {}

Address::QueuePair Pair::end() const {
  return {.number = own_ ? own_->qp_num : 0, .first_packet = first_packet_, .token = token_};
}

// What a device takes inline is known only by asking for it.
template <typename Make>
void Pair::make_with_inline(const Size& size, const Make& create) {
  for (std::uint32_t bytes = options_.inline_bytes;; bytes /= 2) {
    ibv_qp_init_attr attributes{};
    attributes.send_cq = size.sent;
    attributes.recv_cq = size.received;
    attributes.qp_type = IBV_QPT_RC;
    attributes.cap = {
        .max_send_wr = size.sends, .max_recv_wr = size.receives, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = bytes};
    if (create(attributes)) {
      inline_bytes_ = std::min(options_.inline_bytes, attributes.cap.max_inline_data);
      return;
    }
    if (bytes == 0)
      throw failure(fmt::format("ibv_create_qp with {} sends and {} receives", size.sends, size.receives), port_.where(), errno);
  }
}

void Pair::make(const Size& size) {
  make_with_inline(size, [&](ibv_qp_init_attr& attributes) {
    own_.reset(ibv_create_qp(port_.domain(), &attributes));
    return own_ != nullptr;
  });
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.pkey_index = static_cast<std::uint16_t>(options_.pkey);
  attributes.port_num = port_.number();
  attributes.qp_access_flags = static_cast<unsigned>(access_flags | (port_.atomics() ? IBV_ACCESS_REMOTE_ATOMIC : 0));
  if (const int error =
          ibv_modify_qp(own_.get(), &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    throw failure("ibv_modify_qp to INIT", port_.where(), error);
}

void Pair::make(const Size& size, CmId id) {
  make_with_inline(size,
                   [&](ibv_qp_init_attr& attributes) { return rdma_create_qp(id.get(), port_.domain(), &attributes) == 0; });
  id_ = std::move(id);
}

void Pair::connect(const Address& theirs, const Address::QueuePair& end) {
  const Address mine = address_of(port_, options_.mtu);
  const std::uint8_t reads = reads_between(mine, theirs);
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = mtu_of(std::min(mine.mtu, theirs.mtu));
  attributes.dest_qp_num = static_cast<std::uint32_t>(end.number);
  attributes.rq_psn = static_cast<std::uint32_t>(end.first_packet);
  attributes.max_dest_rd_atomic = reads;
  attributes.min_rnr_timer = wait_for_receiver;
  ibv_ah_attr& path = attributes.ah_attr;
  path.port_num = port_.number();
  path.sl = static_cast<std::uint8_t>(options_.service_level);
  path.dlid = static_cast<std::uint16_t>(theirs.lid);
  // Within one InfiniBand subnet LIDs lead everywhere.
  const bool same_subnet = std::equal(theirs.gid.raw, theirs.gid.raw + 8, port_.gid().address.raw);
  if (port_.ethernet() || !same_subnet || options_.gid || mine.routed != 0 || theirs.routed != 0) {
    path.is_global = 1;
    path.grh.dgid = theirs.gid;
    path.grh.sgid_index = static_cast<std::uint8_t>(port_.gid().index);
    path.grh.hop_limit = hop_limit;
    path.grh.traffic_class = static_cast<std::uint8_t>(options_.traffic_class);
  }
  const std::string where = port_.ethernet() ? fmt::format("{} (GID {}) for {} (GID {})", port_.where(),
                                                           gid_text(port_.gid().address), theirs.where, gid_text(theirs.gid))
                                             : fmt::format("{} for {}", port_.where(), theirs.where);
  if (const int error = ibv_modify_qp(own_.get(), &attributes,
                                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
    throw failure("ibv_modify_qp to RTR", where, error, error == ETIMEDOUT ? Fault::lost : Fault::usage,
                  error == ENETUNREACH || error == EHOSTUNREACH
                      ? "; the kernel has no route between the two: have both network interfaces an address?"
                  : error == ETIMEDOUT ? "; the peer's network interface did not answer"
                                       : "");
  attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.timeout = static_cast<std::uint8_t>(options_.timeout);
  attributes.retry_cnt = static_cast<std::uint8_t>(options_.retries);
  attributes.rnr_retry = 7;
  attributes.sq_psn = first_packet_;
  attributes.max_rd_atomic = reads;
  if (const int error = ibv_modify_qp(
          own_.get(), &attributes,
          IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
    throw failure("ibv_modify_qp to RTS", where, error);
}

void Pair::post(ibv_send_wr& first) const {
  ibv_send_wr* refused = nullptr;
  if (const int error = ibv_post_send(get(), &first, &refused)) throw failure("ibv_post_send", port_.where(), error, Fault::lost);
}

void Pair::post(ibv_recv_wr& first) const {
  ibv_recv_wr* refused = nullptr;
  if (const int error = ibv_post_recv(get(), &first, &refused)) throw failure("ibv_post_recv", port_.where(), error, Fault::lost);
}

std::uint8_t reads_between(const Address& mine, const Address& theirs) {
  return static_cast<std::uint8_t>(std::min({mine.reads, theirs.reads, most_reads}));
}

}  // namespace railgauge::verbs
