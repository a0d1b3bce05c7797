// Waits for signals in a thread of its own.
#include "bench/ranks/interrupt.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace railgauge {

Interruption::Interruption(std::function<void()> at_once, Seconds grace, std::function<void(const std::string&)> act)
    : at_once_(std::move(at_once)), grace_(grace), act_(std::move(act)), stop_(eventfd(0, EFD_CLOEXEC)) {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&watched, signal);
  pthread_sigmask(SIG_BLOCK, &watched, &before_);
  signals_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0 || stop_ < 0) throw Error(Fault::usage, fmt::format("signalfd: {}", std::strerror(errno)));
  watcher_ = std::thread([this] { watch(); });
}

Interruption::~Interruption() {
  (void)eventfd_write(stop_, 1);
  watcher_.join();
  ::close(signals_);
  ::close(stop_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interruption::watch() const {
  std::array<pollfd, 2> entries{{{signals_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  signalfd_siginfo information{};
  for (;;) {
    (void)::poll(entries.data(), entries.size(), -1);
    if ((entries[1].revents & POLLIN) != 0) return;
    if (::read(signals_, &information, sizeof information) == static_cast<ssize_t>(sizeof information)) break;
  }
  at_once_();
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(grace_).count();
  if (::poll(&entries[1], 1, static_cast<int>(milliseconds)) > 0) return;
  const auto signal = static_cast<int>(information.ssi_signo);
  act_(fmt::format("interrupted by signal {} ({})", signal, strsignal(signal)));
}

}  // namespace railgauge
