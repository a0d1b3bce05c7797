// The handles of libibverbs and librdmacm as owned types, and their errors as ours.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace railgauge::verbs {

// "CALL on WHERE: what the error number means", and `hint` behind it. `number` is what the call left in errno, or returned.
[[nodiscard]] Error failure(std::string_view call, std::string_view where, int number, Fault fault = Fault::usage,
                            std::string_view hint = "");

template <auto function>
struct Free {
  template <typename Handle>
  void operator()(Handle* handle) const noexcept {
    (void)function(handle);
  }
};
using Context = std::unique_ptr<ibv_context, Free<ibv_close_device>>;
using Domain = std::unique_ptr<ibv_pd, Free<ibv_dealloc_pd>>;
using Memory = std::unique_ptr<ibv_mr, Free<ibv_dereg_mr>>;
using Events = std::unique_ptr<ibv_comp_channel, Free<ibv_destroy_comp_channel>>;
using Completions = std::unique_ptr<ibv_cq, Free<ibv_destroy_cq>>;
using QueuePair = std::unique_ptr<ibv_qp, Free<ibv_destroy_qp>>;
using CmEvents = std::unique_ptr<rdma_event_channel, Free<rdma_destroy_event_channel>>;

// An identifier of rdma_cm, with its queue pair when it has one.
struct FreeId {
  void operator()(rdma_cm_id* id) const noexcept {
    if (id->qp != nullptr) rdma_destroy_qp(id);
    (void)rdma_destroy_id(id);
  }
};
using CmId = std::unique_ptr<rdma_cm_id, FreeId>;

// What a completion's status usually means, and what to look at.
[[nodiscard]] std::string_view meaning_of(ibv_wc_status status) noexcept;

// What a completion that is no success says, as Error(lost). `call` ends in "to" or "from"; `peer` is peer_text(); `number` of
// the queue pair; `state` is what the port says of itself now.
[[nodiscard]] Error completion_error(const ibv_wc& completion, std::string_view call, std::string_view peer, std::uint32_t number,
                                     std::string_view where, std::string_view state);

// "ACTIVE", "DOWN", ...
[[nodiscard]] std::string_view state_name(ibv_port_state state) noexcept;

}  // namespace railgauge::verbs
