// The prepared messages of one lane: every call to UCX with its arguments ready.
#pragma once

#include <memory>
#include <vector>

#include "transports/ucx/lane.hpp"

namespace railgauge::ucx {

// One prepared call of ucp_tag_send_nbx or ucp_tag_recv_nbx.
struct Operation {
  std::uint32_t* pending = nullptr;  // of its round
  void* address = nullptr;
  std::size_t bytes = 0;
  ucp_tag_t tag = 0;
  ucp_ep_h endpoint = nullptr;  // of a send
  ucp_request_param_t parameters{};
  void* request = nullptr;  // while UCX has it
  Work* work = nullptr;
  std::int32_t peer = 0;
};

// Everything that UCX may touch while messages are in flight; outlives the Exchange when they do not end with it.
struct Work {
  struct Step {
    std::uint32_t first_send, end_send, first_receive, end_receive;  // receives: those posted with this round
  };
  struct FreeStorage {
    void operator()(std::byte* storage) const noexcept { std::free(storage); }
  };
  std::vector<Operation> sends, receives;
  std::vector<Step> steps;
  std::vector<std::uint32_t> pending;  // by round: calls that have not completed
  std::unique_ptr<std::byte, FreeStorage> requests;
  const Operation* failed = nullptr;
  ucs_status_t failure = UCS_OK;
};

// A receive is posted one round early where its target is free by then (Message::credit): a message that comes before its
// receive would be copied aside first. Within a round sends go first, because nothing arrives before test() looks.
class UcxExchange final : public Exchange {
 public:
  UcxExchange(UcxLane& lane, std::unique_ptr<Work> work) : lane_(lane), worker_(lane.worker()), work_(std::move(work)) {}
  ~UcxExchange() override;

  void post(std::size_t round) override;
  bool test(std::size_t round) override;

 private:
  [[noreturn]] void fail() const;

  UcxLane& lane_;
  ucp_worker_h worker_;
  std::unique_ptr<Work> work_;
};

// One message and where it goes, as the endpoint has resolved it.
struct Resolved {
  Message message;
  std::uint32_t round = 0;
  ucp_tag_t tag = 0;
  ucp_ep_h endpoint = nullptr;
  ucp_mem_h memory = nullptr;  // null for no bytes
  ucs_memory_type_t type = UCS_MEMORY_TYPE_HOST;
};

// `messages` in the order of their rounds. `request_bytes` is UCX's own part of a request.
[[nodiscard]] std::unique_ptr<Work> make_work(const std::vector<Resolved>& messages, std::size_t rounds,
                                              std::size_t request_bytes);

}  // namespace railgauge::ucx
