// The thread that calls them.
#include "tests/softgpu/engine/host_functions.hpp"

#include <thread>

namespace softgpu {
namespace {

thread_local bool within = false;

}  // namespace

HostFunctions::HostFunctions() {
  std::thread([state = state_] { serve(state); }).detach();
}

std::shared_ptr<std::atomic<bool>> HostFunctions::run(void (*function)(void*), void* argument) {
  auto done = std::make_shared<std::atomic<bool>>(false);
  const std::scoped_lock lock(state_->mutex);
  state_->calls.push_back({function, argument, done});
  state_->changed.notify_one();
  return done;
}

bool HostFunctions::is_within() noexcept { return within; }

void HostFunctions::serve(const std::shared_ptr<State>& state) {
  within = true;
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&] { return !state->calls.empty(); });
    const Call call = state->calls.front();
    state->calls.pop_front();
    lock.unlock();
    call.function(call.argument);
    call.done->store(true, std::memory_order_release);
    lock.lock();
  }
}

}  // namespace softgpu
