// A child made by fork, a pipe for what it says, and a shared page for what it is doing.
#include "topo/evidence/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace railgauge::topo {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* call) {
  throw Error(Fault::usage, fmt::format("{}: {}", call, std::generic_category().message(errno)));
}

struct Page {
  std::atomic<std::uint64_t> steps{0};
  std::atomic<bool> done{false};
  std::array<char, 200> doing{};  // read by the parent only once nothing moves any more
};

class SharedPage {
 public:
  SharedPage() : memory_(::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) fail("mmap");
    page_ = new (memory_) Page;
  }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  ~SharedPage() { ::munmap(memory_, sizeof(Page)); }
  [[nodiscard]] Page& operator*() const { return *page_; }

 private:
  void* memory_;
  Page* page_;
};

class Child final : public Teller {
 public:
  Child(Page& page, int pipe) : page_(page), pipe_(pipe) {}
  void doing(std::string_view what) override {
    const std::size_t length = std::min(what.size(), page_.doing.size() - 1);
    std::memcpy(page_.doing.data(), what.data(), length);
    page_.doing[length] = '\0';
    page_.steps.fetch_add(1, std::memory_order_release);
  }
  void say(std::string_view line) override {
    std::string text(line);
    text += '\n';
    for (std::string_view rest = text; !rest.empty();) {
      const ssize_t put = ::write(pipe_, rest.data(), rest.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) ::_exit(0);  // nobody listens any more
      rest.remove_prefix(static_cast<std::size_t>(put));
    }
  }

 private:
  Page& page_;
  int pipe_;
};

class Listener {
 public:
  Listener(pid_t child, int pipe, Page& page, const Patience& patience)
      : child_(child), pipe_(pipe), page_(page), patience_(patience), end_(Clock::now() + patience.all) {}

  // The child is gone afterwards, or, when the kernel does not let it go, on its own.
  Heard listen() {
    while (wait_and_read()) {}
    heard_.lines.erase(heard_.lines.rfind('\n') == std::string::npos ? 0 : heard_.lines.rfind('\n') + 1);
    if (heard_.fault.empty())
      reap();
    else
      abandon();
    return std::move(heard_);
  }

 private:
  // The patience is waited for in pieces: where this process itself stood still (a suspended machine, a debugger), only one of
  // them is lost, and the child has the others to go on.
  static constexpr int pieces = 8;

  bool wait_and_read() {
    pollfd waited{pipe_, POLLIN, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(std::max<std::int64_t>(1, patience_.quiet.count() / pieces)));
    if (ready < 0 && errno != EINTR) fail("poll");
    if (ready > 0 && !read()) return false;
    const std::uint64_t steps = page_.steps.load(std::memory_order_acquire);
    const bool moved = ready > 0 || steps != steps_;
    steps_ = steps;
    quiet_ = moved ? 0 : quiet_ + 1;
    if (quiet_ >= pieces)
      heard_.fault = fmt::format("{} did not return within {:.3g} s", what(), static_cast<double>(patience_.quiet.count()) / 1e3);
    else if (Clock::now() > end_)
      heard_.fault = fmt::format("given up after {:.3g} s, at {}", static_cast<double>(patience_.all.count()) / 1e3, what());
    return heard_.fault.empty();
  }

  // false at the end
  bool read() {
    std::array<char, 65536> part{};
    const ssize_t got = ::read(pipe_, part.data(), part.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    heard_.lines.append(part.data(), static_cast<std::size_t>(got));
    return true;
  }

  // A child that has said all can still be held in the kernel while it closes the driver's files.
  void reap() {
    int status = 0;
    for (std::int64_t waited = 0; waited <= patience_.quiet.count(); waited += 2) {
      const pid_t got = ::waitpid(child_, &status, WNOHANG);
      if (got > 0 && WIFSIGNALED(status)) heard_.fault = fmt::format("{} in {}", ::strsignal(WTERMSIG(status)), what());
      if (got > 0 && WIFEXITED(status) && !page_.done)
        heard_.fault = fmt::format("the process ended with code {} in {}", WEXITSTATUS(status), what());
      if (got > 0 || (got < 0 && errno != EINTR) || (page_.done && waited >= 100)) return;
      ::poll(nullptr, 0, 2);
    }
    heard_.fault = fmt::format("the process does not end after {}", what());
    ::kill(child_, SIGKILL);
  }

  void abandon() const {
    ::kill(child_, SIGKILL);
    // A child that can be ended is gone at once; one that sleeps in the driver is left to init.
    for (int tries = 0; tries < 50 && ::waitpid(child_, nullptr, WNOHANG) == 0; ++tries) ::poll(nullptr, 0, 2);
  }

  [[nodiscard]] std::string what() const {
    const std::string text(page_.doing.data(), ::strnlen(page_.doing.data(), page_.doing.size()));
    return text.empty() ? "the start" : text;
  }

  pid_t child_;
  int pipe_;
  Page& page_;
  Patience patience_;
  Clock::time_point end_;
  std::uint64_t steps_ = 0;
  int quiet_ = 0;
  Heard heard_;
};

}  // namespace

Heard run_apart(const std::function<void(Teller&)>& work, const Patience& patience) {
  const SharedPage page;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
  const Descriptor hears(ends[0]);
  Descriptor says(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_IGN);
    // What the program does when it crashes itself is not for the child to do.
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT}) ::signal(number, SIG_DFL);
    if (::getppid() != parent) ::_exit(0);
    Child teller(*page, says.get());
    work(teller);
    (*page).done = true;
    ::_exit(0);  // what the parent registered for its own end is not the child's to run
  }
  says.close();
  return Listener(child, hears.get(), *page, patience).listen();
}

}  // namespace railgauge::topo
