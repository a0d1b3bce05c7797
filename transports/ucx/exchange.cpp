// Posts and completes prepared messages.
#include "transports/ucx/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <unordered_map>

#include "base/error.hpp"

namespace railgauge::ucx {
namespace {

void complete(Operation& operation, ucs_status_t status) {
  operation.request = nullptr;
  if (status == UCS_OK) [[likely]] {
    --*operation.pending;
  } else if (operation.work->failed == nullptr) {  // the round stays pending, so that test() looks here
    operation.work->failed = &operation;
    operation.work->failure = status;
  }
}

void on_sent(void*, ucs_status_t status, void* user) { complete(*static_cast<Operation*>(user), status); }
void on_received(void*, ucs_status_t status, const ucp_tag_recv_info_t*, void* user) {
  complete(*static_cast<Operation*>(user), status);
}

// `answer` is what UCX returned and is not null: the call goes on, or failed.
[[gnu::noinline, gnu::cold]] void refused(Operation& operation, ucs_status_ptr_t answer) {
  ++*operation.pending;
  complete(operation, UCS_PTR_STATUS(answer));
}

// A call that UCX finishes by its callback before it returns is counted down before it is counted up: the sum is the same.
inline void note(Operation& operation, ucs_status_ptr_t answer) {
  if (UCS_PTR_IS_ERR(answer)) [[unlikely]]
    return refused(operation, answer);
  ++*operation.pending;
  operation.request = answer;
}

}  // namespace

void UcxExchange::post(std::size_t round) {
  Work& work = *work_;
  const Work::Step step = work.steps[round];
  for (std::uint32_t i = step.first_send; i < step.end_send; ++i) {
    Operation& send = work.sends[i];
    const ucs_status_ptr_t answer = ucp_tag_send_nbx(send.endpoint, send.address, send.bytes, send.tag, &send.parameters);
    if (answer != nullptr) note(send, answer);
  }
  for (std::uint32_t i = step.first_receive; i < step.end_receive; ++i) {
    Operation& receive = work.receives[i];
    const ucs_status_ptr_t answer =
        ucp_tag_recv_nbx(worker_, receive.address, receive.bytes, receive.tag, ~ucp_tag_t{0}, &receive.parameters);
    if (answer != nullptr) note(receive, answer);
  }
}

bool UcxExchange::test(std::size_t round) {
  const std::uint32_t& pending = work_->pending[round];
  if (pending == 0) return true;
  ucp_worker_progress(worker_);
  if (pending == 0) return true;
  if (lane_.failed() != nullptr || work_->failed != nullptr) [[unlikely]]
    fail();
  return false;
}

void UcxExchange::fail() const {
  if (const Peer* peer = lane_.failed(); peer != nullptr)
    throw Error(Fault::lost, fmt::format("UCX lost the connection to rank {}: {}", peer->rank, ucs_status_string(peer->failure)));
  const Operation& operation = *work_->failed;
  const bool send = operation.endpoint != nullptr;
  throw Error(Fault::lost, fmt::format("{} of {} bytes {} rank {}: {}", send ? "ucp_tag_send_nbx" : "ucp_tag_recv_nbx",
                                       operation.bytes, send ? "to" : "from", operation.peer, ucs_status_string(work_->failure)));
}

UcxExchange::~UcxExchange() {
  for (Operation& receive : work_->receives)
    if (receive.request != nullptr) ucp_request_cancel(worker_, receive.request);
  const auto under_way = [](const std::vector<Operation>& operations) {
    return std::any_of(operations.begin(), operations.end(), [](const Operation& one) { return one.request != nullptr; });
  };
  if (under_way(work_->receives) || under_way(work_->sends)) lane_.keep(std::move(work_));
}

std::unique_ptr<Work> make_work(const std::vector<Resolved>& messages, std::size_t rounds, std::size_t request_bytes) {
  auto work = std::make_unique<Work>();
  work->pending.resize(rounds);
  work->steps.resize(rounds);

  struct Receive {
    const Resolved* resolved;
    std::uint32_t posted;
  };
  std::vector<Receive> receives;
  std::vector<const Resolved*> sends;
  std::unordered_map<ucp_tag_t, std::uint32_t> latest;  // round at which a receive of that tag is posted
  for (const Resolved& one : messages) {
    if (one.message.kind == Message::Kind::send) {
      sends.push_back(&one);
      continue;
    }
    // No earlier than the one before: an elided message, whose credit says nothing, may follow one whose target is free later.
    std::uint32_t& posted = latest[one.tag];
    posted = std::max({posted, std::min(one.round, one.message.credit), one.round == 0 ? 0 : one.round - 1});
    receives.push_back({&one, posted});
  }
  // Stable, so that receives of one tag stay in order.
  std::stable_sort(receives.begin(), receives.end(), [](const Receive& a, const Receive& b) { return a.posted < b.posted; });

  // Requests live from post to test of their round; receives of two rounds can be in flight at once.
  std::vector<std::uint32_t> send_count(rounds), receive_count(rounds);
  for (const Resolved* one : sends) ++send_count[one->round];
  for (const Receive& one : receives) ++receive_count[one.resolved->round];
  const auto most = [](const std::vector<std::uint32_t>& counts) {
    return counts.empty() ? std::size_t{0} : std::size_t{*std::max_element(counts.begin(), counts.end())};
  };
  const std::size_t send_slots = most(send_count), receive_slots = most(receive_count);
  constexpr std::size_t line = 64;
  const std::size_t stride = (request_bytes + line - 1) / line * line;
  const std::size_t storage = std::max(line, stride * (send_slots + 2 * receive_slots));
  work->requests.reset(static_cast<std::byte*>(std::aligned_alloc(line, storage)));
  if (work->requests == nullptr) throw std::bad_alloc();
  std::fill_n(work->requests.get(), storage, std::byte{0});
  const auto slot = [&](std::size_t index) -> void* { return work->requests.get() + stride * (index + 1); };

  const auto fill = [&](Operation& operation, const Resolved& one, void* request) {
    operation.pending = &work->pending[one.round];
    operation.address = one.message.address;
    operation.bytes = one.message.bytes;
    operation.tag = one.tag;
    operation.peer = one.message.peer;
    operation.work = work.get();
    ucp_request_param_t& parameters = operation.parameters;
    parameters.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    parameters.user_data = &operation;
    parameters.request = request;
    parameters.memory_type = one.type;
    if (one.memory != nullptr) {
      parameters.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
      parameters.memh = one.memory;
    }
  };

  work->sends.resize(sends.size());
  work->receives.resize(receives.size());
  std::fill(send_count.begin(), send_count.end(), 0);
  std::fill(receive_count.begin(), receive_count.end(), 0);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const std::uint32_t round = sends[i]->round;
    fill(work->sends[i], *sends[i], slot(send_count[round]++));
    work->sends[i].endpoint = sends[i]->endpoint;
    work->sends[i].parameters.cb.send = on_sent;
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    const std::uint32_t round = receives[i].resolved->round;
    fill(work->receives[i], *receives[i].resolved, slot(send_slots + receive_slots * (round % 2) + receive_count[round]++));
    work->receives[i].parameters.cb.recv = on_received;
  }
  std::uint32_t send = 0, receive = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Work::Step& step = work->steps[round];
    step.first_send = send;
    while (send < sends.size() && sends[send]->round == round) ++send;
    step.end_send = send;
    step.first_receive = receive;
    while (receive < receives.size() && receives[receive].posted == round) ++receive;
    step.end_receive = receive;
  }
  return work;
}

}  // namespace railgauge::ucx
