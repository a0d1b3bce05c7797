// A communicator of NCCL with a deadline on everything that may wait: NCCL's own calls wait for ever for a rank that is gone.
#pragma once

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "transports/group.hpp"
#include "transports/nccl/settings.hpp"

namespace railgauge::nccl {

struct WatchedCall;

class Communicator {
 public:
  // Collective over the group, which outlives it, on the GPU that is current in this thread, whose name is `gpu`. Throws
  // Error(lost) when the ranks have not met within the deadline or one of them died meanwhile, Error(usage) when NCCL refuses.
  // What comes to a deadline says what NCCL's RAS service knows of missing ranks.
  Communicator(Group& group, const std::string& gpu, Patience patience);
  // Ends it: in order when all ranks live, no call failed and nothing is being thrown, else by ncclCommAbort. What takes longer
  // than ten seconds is left behind.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] ncclComm_t handle() const noexcept { return handle_; }
  [[nodiscard]] int rank() const noexcept { return group_.rank(); }
  // A call failed, a rank is lost, or something is being thrown: what is in the stream may never end.
  [[nodiscard]] bool broken() const noexcept;
  // It is broken from now on, and ncclCommAbort is in progress when this returns. Only its end may follow.
  void give_up() noexcept;

  // Around calls that may wait for peers, as ncclGroupEnd does while it connects them. One that is still in progress when a rank
  // is lost, or after the time above, is ended by ncclCommAbort from another thread, which the library allows for this alone;
  // end_call() throws then.
  void begin_call() noexcept { began_.store(now(), std::memory_order_release); }
  void end_call() {
    if (began_.exchange(idle, std::memory_order_acq_rel) == taken) aborted_in_call();
  }
  // Ends the call and throws Error(lost) that says why it was ended by us, or else what NCCL said of it: Error(usage) where it
  // says that it was asked for what it cannot do.
  [[noreturn]] void failed(ncclResult_t code, const std::string& call);
  // Throws Error(lost) when NCCL knows of an error that came after the calls.
  void check_later();

 private:
  static constexpr std::int64_t idle = 0, taken = -1;
  static std::int64_t now() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  void start(const ncclUniqueId& id, const std::string& gpu);
  void watch();
  [[nodiscard]] std::string overdue(std::int64_t began) const;
  void begin_abort() noexcept;
  [[noreturn]] void aborted_in_call();

  Group& group_;
  const int thrown_before_;
  void* const context_;  // of the GPU
  const Patience patience_;
  ncclComm_t handle_ = nullptr;
  std::shared_ptr<WatchedCall> abort_;  // null while it is not asked for
  bool failed_ = false;
  std::atomic<std::int64_t> began_{idle};  // of the call in progress; idle: there is none; taken: the watch ends it
  std::mutex mutex_;                       // over what follows
  std::condition_variable wake_;
  bool ending_ = false;
  std::string why_aborted_;
  std::thread watch_;
};

// For what is asked again and again whether it is done: looks now and then whether it never will be.
class LaterErrors {
 public:
  // Always true. Throws as check_later() does.
  bool look(Communicator& communicator) {
    if (++times_ % times_between_looks == 0) communicator.check_later();
    return true;
  }

 private:
  static constexpr std::uint32_t times_between_looks = 1024;
  std::uint32_t times_ = 0;
};

}  // namespace railgauge::nccl
