// A timer of one thread.
#include "transports/verbs/native/tick.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

#include "base/error.hpp"

namespace railgauge::verbs {
namespace {

constexpr long between = 100'000'000;  // nanoseconds

// Of the real-time signals the last: libraries that use one take the first.
int signal_number() { return SIGRTMAX; }

[[noreturn]] void refused(const char* call) { throw Error(Fault::usage, std::string(call) + ": " + std::strerror(errno)); }

void take_signal() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_handler = [](int) {};
    sigemptyset(&action.sa_mask);
    action.sa_flags = 0;  // calls are not begun again
    if (sigaction(signal_number(), &action, nullptr) != 0) refused("sigaction");
  });
}

}  // namespace

Tick::Tick() {
  take_signal();
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number();
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) refused("timer_create");
  const itimerspec period{.it_interval = {.tv_sec = 0, .tv_nsec = between}, .it_value = {.tv_sec = 0, .tv_nsec = between}};
  if (timer_settime(timer_, 0, &period, nullptr) != 0) refused("timer_settime");
}

Tick::~Tick() { timer_delete(timer_); }

}  // namespace railgauge::verbs
