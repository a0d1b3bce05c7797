// Forks, and waits.
#include "bench/validate/run/local_agents.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include "base/error.hpp"

namespace railgauge::validate {
namespace {

constexpr std::chrono::seconds moment{3};
constexpr std::chrono::seconds stopped_patience{15};  // longer than a conductor's with somebody who is silent

pid_t fork_off(HeldSignals& signals, const std::function<int()>& life) {
  std::cout.flush();
  std::fflush(nullptr);  // or the child writes it again
  const pid_t self = getpid();
  const pid_t process = fork();
  if (process < 0) throw Error(Fault::usage, std::string("an agent could not be started: fork: ") + std::strerror(errno));
  if (process > 0) return process;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != self) _exit(static_cast<int>(Fault::lost));
  (void)sigprocmask(SIG_SETMASK, &signals.before(), nullptr);
  int code = static_cast<int>(Fault::usage);
  try {
    code = life();
  } catch (const std::exception& error) { std::fprintf(stderr, "railgauge: %s\n", error.what()); }
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

void LocalAgents::start(const std::function<int()>& life) { processes_.push_back(fork_off(signals_, life)); }

int live_guarded(HeldSignals& signals, const std::function<int()>& life) {
  const pid_t process = fork_off(signals, life);
  bool stopped = false;
  std::chrono::steady_clock::time_point until;  // while it is stopped
  while (true) {
    int status = 0;
    const pid_t changed = waitpid(process, &status, WUNTRACED | WCONTINUED | (stopped ? WNOHANG : 0));
    if (changed < 0 && errno != EINTR) return 0;
    if (changed == process) {
      if (WIFEXITED(status)) return WEXITSTATUS(status);
      if (WIFSIGNALED(status)) return 0;
      stopped = WIFSTOPPED(status);
      if (stopped) until = std::chrono::steady_clock::now() + stopped_patience;
      continue;
    }
    if (!stopped) continue;
    if (std::chrono::steady_clock::now() > until) {
      (void)kill(process, SIGKILL);
      (void)waitpid(process, nullptr, 0);
      return 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

LocalAgents::~LocalAgents() {
  const auto until = std::chrono::steady_clock::now() + moment;
  for (const pid_t process : processes_) {
    while (waitpid(process, nullptr, WNOHANG) == 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    (void)kill(process, SIGKILL);  // of one that has ended and was waited for there is none
    (void)kill(process, SIGCONT);
    (void)waitpid(process, nullptr, 0);
  }
}

}  // namespace railgauge::validate
