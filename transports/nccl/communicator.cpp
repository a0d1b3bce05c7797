// Starts, watches and ends a communicator.
#include "transports/nccl/communicator.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "transports/nccl/call.hpp"
#include "transports/nccl/driver.hpp"
#include "transports/nccl/ras.hpp"

namespace railgauge::nccl {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds parting{10};
constexpr std::chrono::milliseconds look{20}, watch_interval{200};

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

// What a call of NCCL in a thread of its own comes to. It is shared: a call that never returns is left behind with it.
struct WatchedCall {
  std::mutex mutex;
  std::condition_variable over;
  bool done = false;
  ncclResult_t code = ncclSuccess;
  std::string words;
  ncclComm_t handle = nullptr;

  [[nodiscard]] bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock guard(mutex);
    return over.wait_for(guard, time, [this] { return done; });
  }
};

namespace {

// Threads that are still in NCCL when the program ends must not see it taken apart.
void leave_behind() {
  static std::once_flag once;
  std::call_once(once, [] {
    on_exit(
        [](int code, void*) {
          std::fflush(nullptr);
          std::_Exit(code);
        },
        nullptr);
  });
}

// Null: there is none. An abort too may wait, for a kernel that does not look up.
void wait_or_leave(const std::shared_ptr<WatchedCall>& errand) noexcept {
  if (errand != nullptr && !errand->wait_for(parting)) leave_behind();
}

std::shared_ptr<WatchedCall> send_off(void* context, std::function<ncclResult_t(ncclComm_t*)> call) {
  auto errand = std::make_shared<WatchedCall>();
  std::thread([errand, context, call = std::move(call)] {
    make_current(context);  // NCCL takes the GPU that is current in the thread of the call
    ncclComm_t handle = nullptr;
    const ncclResult_t code = call(&handle);
    const std::lock_guard guard(errand->mutex);
    errand->code = code;
    errand->handle = handle;
    if (code != ncclSuccess) errand->words = words_of(code, nullptr);
    errand->done = true;
    errand->over.notify_all();
  }).detach();
  return errand;
}

// Whether NCCL says that it was asked for what it cannot do, and not that something went wrong.
bool is_refusal(ncclResult_t code) { return code == ncclInvalidArgument || code == ncclInvalidUsage; }

ncclUniqueId agree_on_id(Group& group) {
  ncclUniqueId id{};
  Blob mine;
  std::string refusal;
  if (group.rank() == 0) {
    if (const ncclResult_t code = ncclGetUniqueId(&id); code != ncclSuccess)
      refusal = "ncclGetUniqueId on rank 0: " + words_of(code, nullptr);
    mine.resize(sizeof id + refusal.size());
    std::memcpy(mine.data(), &id, sizeof id);
    std::memcpy(mine.data() + sizeof id, refusal.data(), refusal.size());
  }
  const std::vector<Blob> all = group.allgather(mine);
  const Blob& first = all.front();
  if (first.size() < sizeof id) throw Error(Fault::usage, "rank 0 runs another version of the nccl transport");
  if (first.size() > sizeof id)
    throw Error(Fault::usage, std::string(reinterpret_cast<const char*>(first.data()) + sizeof id, first.size() - sizeof id));
  std::memcpy(&id, first.data(), sizeof id);
  return id;
}

}  // namespace

Communicator::Communicator(Group& group, const std::string& gpu, Patience patience)
    : group_(group), thrown_before_(std::uncaught_exceptions()), context_(current_context()), patience_(std::move(patience)) {
  start(agree_on_id(group), gpu);
  watch_ = std::thread([this] { watch(); });
}

void Communicator::start(const ncclUniqueId& id, const std::string& gpu) {
  const std::string call = fmt::format("ncclCommInitRank of rank {} on {}", group_.rank(), gpu);
  const auto errand = send_off(context_, [id, size = group_.size(), rank = group_.rank()](ncclComm_t* handle) {
    return ncclCommInitRank(handle, size, id, rank);
  });
  const auto deadline = Clock::now() + patience_.deadline;
  try {
    while (!errand->wait_for(look)) {
      group_.check();
      if (Clock::now() >= deadline)
        throw Error(Fault::lost,
                    fmt::format("{} has not met the other ranks within {:.3g} s: see that they reach each other over "
                                "the interface that NCCL_SOCKET_IFNAME names (NCCL_DEBUG=INFO tells which it takes){}",
                                call, seconds(patience_.deadline), said_by_ras(patience_.ras)));
    }
  } catch (const Error&) {
    leave_behind();
    throw;
  }
  if (errand->code == ncclSuccess) {
    handle_ = errand->handle;
    return;
  }
  // A peer that died while it was being met is an error to NCCL before it is known to the group.
  for (int looks = 0; looks < 50 && !is_refusal(errand->code) && errand->code != ncclUnhandledCudaError; ++looks) {
    group_.check();
    std::this_thread::sleep_for(look);
  }
  throw Error(errand->code == ncclRemoteError ? Fault::lost : Fault::usage, call + ": " + errand->words);
}

Communicator::~Communicator() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  watch_.join();
  if (broken()) {
    begin_abort();
    wait_or_leave(abort_);
    return;
  }
  try {
    wait_or_leave(send_off(context_, [handle = handle_](ncclComm_t*) { return ncclCommDestroy(handle); }));
  } catch (const std::exception&) {
    leave_behind();  // no thread to be had
  }
}

bool Communicator::broken() const noexcept {
  if (failed_ || std::uncaught_exceptions() > thrown_before_) return true;
  try {
    group_.check();
    return false;
  } catch (const Error&) { return true; }
}

void Communicator::give_up() noexcept {
  failed_ = true;
  const std::lock_guard guard(mutex_);  // the watch may be about to
  begin_abort();
}

// At most once.
void Communicator::begin_abort() noexcept {
  const ncclComm_t handle = std::exchange(handle_, nullptr);
  if (handle == nullptr) return;
  try {
    abort_ = send_off(context_, [handle](ncclComm_t*) { return ncclCommAbort(handle); });
  } catch (const std::exception&) { leave_behind(); }
}

// Why a call that began then is to be ended; empty while it may go on.
std::string Communicator::overdue(std::int64_t began) const {
  const Clock::duration waited = Clock::now() - Clock::time_point(Clock::duration(began));
  if (waited < watch_interval) return {};
  try {
    group_.check();
  } catch (const Error& lost) { return lost.what(); }
  if (waited < patience_.deadline) return {};
  return fmt::format("a call of NCCL on rank {} had not returned after {:.3g} s{}", group_.rank(), seconds(patience_.deadline),
                     said_by_ras(patience_.ras));
}

void Communicator::watch() {
  std::unique_lock guard(mutex_);
  while (!wake_.wait_for(guard, watch_interval, [this] { return ending_; })) {
    std::int64_t began = began_.load(std::memory_order_acquire);
    if (began <= idle) continue;
    const std::string why = overdue(began);
    // Only while it is that same call: the thread that makes it uses the communicator otherwise.
    if (why.empty() || !began_.compare_exchange_strong(began, taken, std::memory_order_acq_rel)) continue;
    why_aborted_ = why;
    begin_abort();
    wait_or_leave(abort_);
    return;
  }
}

void Communicator::aborted_in_call() {
  failed_ = true;
  const std::lock_guard guard(mutex_);  // the watch lets go of it when it has aborted
  throw Error(Fault::lost, why_aborted_);
}

void Communicator::failed(ncclResult_t code, const std::string& call) {
  failed_ = true;
  const std::string words = words_of(code, nullptr);
  end_call();
  group_.check();  // a rank that died says more than what NCCL makes of it
  throw Error(is_refusal(code) ? Fault::usage : Fault::lost, fmt::format("{} on rank {}: {}", call, group_.rank(), words));
}

void Communicator::check_later() {
  ncclResult_t later = ncclSuccess;
  const ncclResult_t code = ncclCommGetAsyncError(handle_, &later);
  if (code != ncclSuccess) failed(code, "ncclCommGetAsyncError");
  if (later != ncclSuccess && later != ncclInProgress) failed(later, "NCCL, some time after a call");
}

}  // namespace railgauge::nccl
