// Forks, and waits.
#include "bench/validate/crew.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>

#include "base/error.hpp"

namespace railgauge::validate {
namespace {

constexpr std::chrono::seconds moment{3};

}  // namespace

void Crew::start(const std::function<int()>& life) {
  std::cout.flush();
  std::fflush(nullptr);  // or the child writes it again
  const pid_t self = getpid();
  const pid_t process = fork();
  if (process < 0) throw Error(Fault::usage, std::string("an agent could not be started: fork: ") + std::strerror(errno));
  if (process > 0) {
    processes_.push_back(process);
    return;
  }
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != self) _exit(static_cast<int>(Fault::lost));
  (void)sigprocmask(SIG_SETMASK, &signals_.before(), nullptr);
  int code = static_cast<int>(Fault::usage);
  try {
    code = life();
  } catch (const std::exception& error) { std::fprintf(stderr, "railgauge: %s\n", error.what()); }
  std::fflush(nullptr);
  _exit(code);
}

Crew::~Crew() {
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
