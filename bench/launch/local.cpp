// Starts, watches and ends the local ranks of a run.
#include "bench/launch/local.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/control_tree.hpp"
#include "bench/launch/process_state.hpp"
#include "bench/launch/sentences.hpp"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Seconds usual_patience{3};                              // with those that are left when one has ended
constexpr std::chrono::duration<int, std::milli> stop_step{500};  // between two looks at ranks that are stopped

struct Child {
  int rank = 0;
  pid_t process = 0;
  Descriptor handle;  // pidfd: readable when the process has ended
  bool ended = false;
  int stopped_by = 0;  // the signal, while it is stopped
  Seconds stopped_for{0};
};

// SIGINT, SIGTERM and SIGHUP are blocked and read from a descriptor while this lives; so is SIGCHLD, which tells of stops too.
class Signals {
 public:
  Signals() {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&watched, signal);
    // Where our parent ignores the ends of its children, we would never hear of those of ours.
    (void)std::signal(SIGCHLD, SIG_DFL);
    pthread_sigmask(SIG_BLOCK, &watched, &before_);
    handle_ = Descriptor(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Signals() { restore(); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  void restore() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  [[nodiscard]] int handle() const noexcept { return handle_.get(); }
  // 0 when none has come.
  [[nodiscard]] int next() const {
    signalfd_siginfo information{};
    while (read(handle_.get(), &information, sizeof information) == sizeof information)
      if (information.ssi_signo != SIGCHLD) return static_cast<int>(information.ssi_signo);
    return 0;
  }

 private:
  sigset_t before_{};
  Descriptor handle_;
};

void say(const std::string& sentence) { fmt::print(stderr, "railgauge: {}\n", sentence); }

[[noreturn]] void become(int rank, pid_t supervisor, const Signals& signals, const LocalBody& body, RootListener* listener,
                         const std::string& address) {
  int code = static_cast<int>(Fault::usage);
  // The supervisor may have died before the kernel was asked to tell.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != supervisor) _exit(static_cast<int>(Fault::lost));
  signals.restore();
  if (rank != 0 && listener != nullptr) listener->close();
  try {
    code = body(rank, address, rank == 0 ? listener : nullptr);
  } catch (const std::exception& error) {
    say(fmt::format("rank {}: {}", rank, error.what()));
    const auto* known = dynamic_cast<const Error*>(&error);
    if (known != nullptr) code = static_cast<int>(known->fault());
  }
  std::cout.flush();
  std::fflush(nullptr);
  _exit(code);
}

class Supervisor {
 public:
  Supervisor(int ranks, const LocalBody& body, const LocalEvents& events, const Slice* slice) : events_(events) {
    if (slice == nullptr) own_.emplace(Reach::machine);
    RootListener* const listener = slice == nullptr ? &*own_ : slice->listener;
    const std::string address = slice == nullptr ? own_->address() : slice->root_address;
    const int first = slice == nullptr ? 0 : slice->first;
    speaks_ = first <= ranks;
    const pid_t self = getpid();
    std::cout.flush();
    std::fflush(nullptr);  // or each child writes it again
    for (int rank = first; rank < first + ranks; ++rank) {
      const pid_t process = fork();
      if (process == 0) become(rank, self, signals_, body, listener, address);
      if (process < 0) give_up(fmt::format("rank {} of {} could not be started: fork: {}", rank, ranks, std::strerror(errno)));
      children_.push_back({rank, process, Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)))});
      if (children_.back().handle.get() < 0) give_up(fmt::format("pidfd_open: {}", std::strerror(errno)));
    }
    if (listener != nullptr) listener->close();
  }

  int watch() {
    while (living() > 0) {
      await();
      hear();
      if (const int signal = signals_.next(); signal != 0) interrupted(signal);
      count_stops();
      for (Child& child : children_) reap(child);
      if (troubled_ && Clock::now() >= next_step_) insist();
    }
    hear();
    if (!explained_ && speaks_ && !consequence_.empty()) say(consequence_);
    // Ranks that lost another end with `lost`: it is the code of the run when that one did not say why itself.
    if (code_ == 0 && !consequence_.empty()) return static_cast<int>(Fault::lost);
    // A lost rank explains the codes of the others; wrong data stays the most severe.
    return lost_ && code_ != static_cast<int>(Fault::wrong_data) ? static_cast<int>(Fault::lost) : code_;
  }

 private:
  [[nodiscard]] std::ptrdiff_t living() const {
    return std::count_if(children_.begin(), children_.end(), [](const Child& child) { return !child.ended; });
  }

  void await() const {
    std::vector<pollfd> entries{{signals_.handle(), POLLIN, 0}};
    if (events_.descriptor >= 0) entries.push_back({events_.descriptor, POLLIN, 0});
    for (const Child& child : children_)
      if (!child.ended) entries.push_back({child.handle.get(), POLLIN, 0});
    int timeout = -1;
    if (troubled_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_step_ - Clock::now());
      timeout = static_cast<int>(std::max<long long>(left.count(), 0));
    }
    if (any_stopped()) timeout = timeout < 0 ? stop_step.count() : std::min(timeout, static_cast<int>(stop_step.count()));
    (void)poll(entries.data(), entries.size(), timeout);  // who has ended is asked afterwards, whatever poll says
  }

  // What a rank wrote before it ended is read before its end is judged.
  void hear() const {
    pollfd entry{events_.descriptor, POLLIN, 0};
    while (events_.descriptor >= 0 && poll(&entry, 1, 0) > 0 && (entry.revents & POLLIN) != 0) events_.readable();
  }

  [[nodiscard]] std::string explain(const Child& child, int code) const {
    std::string sentence = events_.explain ? events_.explain(child.rank, code) : std::string();
    if (sentence.empty()) sentence = fmt::format("rank {} (process {}) ended with exit code {}", child.rank, child.process, code);
    return sentence;
  }

  [[nodiscard]] bool any_stopped() const {
    return events_.most_stopped &&
           std::any_of(children_.begin(), children_.end(), [](const Child& child) { return child.stopped_by != 0; });
  }

  // A long step was one in which this process did not run either: it counts as one look.
  void count_stops() {
    const Clock::time_point now = Clock::now();
    const Seconds step = std::min<Seconds>(now - counted_, 2 * stop_step);
    counted_ = now;
    if (!events_.most_stopped) return;
    for (Child& child : children_) {
      if (child.ended || child.stopped_by == 0) continue;
      child.stopped_for += step;
      if (child.stopped_for >= *events_.most_stopped) lose_stopped(child);
    }
  }

  void lose_stopped(Child& child) {
    child.stopped_by = note_state(child);
    if (child.stopped_by == 0) return;
    say(fmt::format("rank {} (process {}) has not answered for {:g} s: it is stopped (state T) by signal {} ({}); the run ends",
                    child.rank, child.process, events_.most_stopped->count(), child.stopped_by, strsignal(child.stopped_by)));
    child.stopped_by = 0;
    lost_ = explained_ = true;
    sent_ |= std::uint64_t{1} << SIGKILL;  // what is stopped hears no other signal
    (void)syscall(SYS_pidfd_send_signal, child.handle.get(), SIGKILL, nullptr, 0);
    ended_with(static_cast<int>(Fault::lost));
  }

  // 0 where it goes on by now.
  [[nodiscard]] static int note_state(const Child& child) {
    const std::optional<char> state = state_of_process(child.process);
    return state && !is_stopped(*state) ? 0 : child.stopped_by;
  }

  void reap(Child& child) {
    int status = 0;
    while (!child.ended && waitpid(child.process, &status, WNOHANG | WUNTRACED | WCONTINUED) == child.process) {
      child.stopped_by = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
      child.stopped_for = Seconds{0};
      if (!WIFSTOPPED(status) && !WIFCONTINUED(status)) judge_end(child, status);
    }
  }

  void judge_end(Child& child, int status) {
    child.ended = true;
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      // A signal that we sent is no news, nor is one that we sent before the last.
      if ((sent_ >> signal & 1) == 0)
        say(fmt::format("rank {} (process {}) was killed by signal {} ({})", child.rank, child.process, signal,
                        strsignal(signal)));
      explained_ = true;
      lost_ = true;
      ended_with(static_cast<int>(Fault::lost));
    } else if (const int code = WEXITSTATUS(status); code != 0) {
      // Who ends because another was lost may be here before the lost one, whose memory the kernel still clears away: its
      // sentence waits until the end, and is not needed when there is a better one.
      if (code == static_cast<int>(Fault::wrong_data)) {
        code_ = more_severe(code_, code);
        return;
      }
      if (const auto patience = events_.is_result ? events_.is_result(child.rank, code) : std::nullopt) {
        code_ = more_severe(code_, code);
        explained_ = true;
        return trouble(*patience);
      }
      hear();
      const std::string sentence = explain(child, code);
      if (code == static_cast<int>(Fault::lost)) {
        if (consequence_.empty()) consequence_ = sentence;
        trouble();
        return;
      }
      if (!explained_) {
        say(sentence);
        explained_ = true;
      }
      ended_with(code);
    }
  }

  void ended_with(int code) {
    code_ = more_severe(code_, code);
    trouble();
  }

  void trouble(Seconds patience = usual_patience) {
    if (troubled_) return;
    troubled_ = true;
    patience_ = patience;
    next_step_ = moment_after(patience);
  }

  void interrupted(int signal) {
    say(fmt::format("interrupted by signal {} ({}); waiting for {} ranks to end", signal, strsignal(signal), living()));
    lost_ = explained_ = true;
    send(signal);
    trouble();
  }

  void insist() {
    lost_ = true;
    std::vector<int> ranks;
    for (const Child& child : children_)
      if (!child.ended) ranks.push_back(child.rank);
    if (killed_) {
      // Who survives that hangs in the kernel.
      say(fmt::format("{} cannot be ended, and will be left behind", name_ranks(ranks)));
      for (Child& child : children_) child.ended = true;
      return;
    }
    // First the request, then the end.
    const int signal = asked_ ? SIGKILL : SIGTERM;
    say(fmt::format("{} did not end within {:g} s; sending signal {} ({})", name_ranks(ranks), asked_ ? 2 : patience_.count(),
                    signal, strsignal(signal)));
    send(signal);
    asked_ = true;
    killed_ = signal == SIGKILL;
    next_step_ = Clock::now() + std::chrono::seconds(2);
  }

  void send(int signal) {
    sent_ |= std::uint64_t{1} << signal;
    for (const Child& child : children_)
      if (!child.ended) (void)syscall(SYS_pidfd_send_signal, child.handle.get(), signal, nullptr, 0);
  }

  [[noreturn]] void give_up(const std::string& sentence) {
    for (const Child& child : children_) {
      (void)kill(child.process, SIGKILL);
      (void)waitpid(child.process, nullptr, 0);
    }
    throw Error(Fault::usage, sentence);
  }

  const LocalEvents& events_;
  Signals signals_;
  std::optional<RootListener> own_;
  std::vector<Child> children_;
  int code_ = 0;
  std::uint64_t sent_ = 0;  // a bit for each signal
  bool lost_ = false;       // a rank by a signal, or the run was interrupted
  bool explained_ = false;  // a sentence has said why the run ends
  std::string consequence_;
  bool speaks_ = true;  // of what happened elsewhere
  bool troubled_ = false, asked_ = false, killed_ = false;
  Seconds patience_ = usual_patience;
  Clock::time_point next_step_;
  Clock::time_point counted_ = Clock::now();  // when stops were last looked at
};

}  // namespace

int run_local(int ranks, const LocalBody& body, const LocalEvents& events, const Slice* slice) {
  if (ranks < 1) throw Error(Fault::usage, fmt::format("{} ranks: at least one is needed", ranks));
  return Supervisor(ranks, body, events, slice).watch();
}

int allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string bind_rank(int rank, int ranks) {
  // Machines with more than 1024 cores need a longer mask: double it until the kernel is content.
  for (std::size_t bits = 1024; bits <= 65536; bits *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(bits), [](cpu_set_t* set) { CPU_FREE(set); });
    const std::size_t bytes = CPU_ALLOC_SIZE(bits);
    if (!mask) break;
    if (sched_getaffinity(0, bytes, mask.get()) != 0) {
      if (errno == EINVAL) continue;
      return fmt::format("not bound: sched_getaffinity: {}", std::strerror(errno));
    }
    std::vector<std::size_t> cores;
    for (std::size_t core = 0; core < bits; ++core)
      if (CPU_ISSET_S(core, bytes, mask.get())) cores.push_back(core);
    if (static_cast<std::size_t>(ranks) > cores.size())
      return fmt::format("not bound: {} ranks on {} cores", ranks, cores.size());
    const std::size_t core = cores[static_cast<std::size_t>(rank)];
    CPU_ZERO_S(bytes, mask.get());
    CPU_SET_S(core, bytes, mask.get());
    if (sched_setaffinity(0, bytes, mask.get()) != 0)
      return fmt::format("not bound: sched_setaffinity: {}", std::strerror(errno));
    return fmt::format("core {}", core);
  }
  return "not bound: the mask of allowed cores could not be read";
}

}  // namespace railgauge
