// What libibverbs' numbers mean to a person.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transports/verbs/handles.hpp"

namespace railgauge::verbs {
namespace {

struct Meaning {
  ibv_wc_status status;
  std::string_view words;
};
constexpr std::array meanings{
    Meaning{IBV_WC_LOC_LEN_ERR, "a message was longer than the memory that was posted for it"},
    Meaning{IBV_WC_LOC_QP_OP_ERR, "this end could not send: its port or network interface is usually down"},
    Meaning{IBV_WC_LOC_PROT_ERR, "this end's memory is not registered for it"},
    Meaning{IBV_WC_WR_FLUSH_ERR, "the queue pair had failed, or had been closed, before"},
    Meaning{IBV_WC_BAD_RESP_ERR, "the far end gave an answer that makes no sense"},
    Meaning{IBV_WC_LOC_ACCESS_ERR, "this end's memory does not allow what the far end did"},
    Meaning{IBV_WC_REM_INV_REQ_ERR, "the far end cannot do what it was asked for"},
    Meaning{IBV_WC_REM_ACCESS_ERR,
            "the far end refused the key or the address: that memory is not, or no longer, registered there"},
    Meaning{IBV_WC_REM_OP_ERR, "the far end failed while it did it"},
    Meaning{IBV_WC_RETRY_EXC_ERR, "no acknowledgement came: the far end or the path to it is down, or its process is gone"},
    Meaning{IBV_WC_RNR_RETRY_EXC_ERR, "the far end had no receive posted"},
    Meaning{IBV_WC_REM_ABORT_ERR, "the far end gave up"},
    Meaning{IBV_WC_FATAL_ERR, "the device failed"},
    Meaning{IBV_WC_RESP_TIMEOUT_ERR, "the far end did not answer in time"},
};

}  // namespace

std::string_view meaning_of(ibv_wc_status status) noexcept {
  const auto row = std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& one) { return one.status == status; });
  return row == meanings.end() ? "the device says no more" : row->words;
}

Error completion_error(const ibv_wc& completion, std::string_view call, std::string_view peer, std::uint32_t number,
                       std::string_view where, std::string_view state) {
  return {Fault::lost, fmt::format("{} {} on queue pair {} of {} failed: {} (status {}, vendor {:#x}): {}; {}", call, peer,
                                   number, where, ibv_wc_status_str(completion.status), static_cast<int>(completion.status),
                                   completion.vendor_err, meaning_of(completion.status), state)};
}

std::string_view state_name(ibv_port_state state) noexcept {
  constexpr std::array<std::string_view, 6> names{"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
  const auto index = static_cast<std::size_t>(state);
  return index < names.size() ? names[index] : "unknown";
}

}  // namespace railgauge::verbs
