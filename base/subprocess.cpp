// Starts a process, waits for it, and ends it when it must.
#include "base/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array handled{SIGINT, SIGTERM, SIGHUP};
constexpr int not_started = 127;

Error system_error(const std::string& what) { return {Fault::usage, fmt::format("{}: {}", what, std::strerror(errno))}; }

int open_new(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw system_error(path);
  return descriptor;
}

// In the child, where nothing but plain calls may be made.
[[noreturn]] void become(char* const* words, int output, int errors, int news, pid_t parent, const sigset_t& mask) {
  (void)::setpgid(0, 0);
  (void)::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(not_started);
  for (const int signal : handled) (void)::signal(signal, SIG_DFL);
  (void)::sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) ::_exit(not_started);
  (void)::dup2(nothing, STDIN_FILENO);
  (void)::dup2(output, STDOUT_FILENO);
  (void)::dup2(errors, STDERR_FILENO);
  (void)::execvp(words[0], words);
  const int error = errno;
  (void)!::write(news, &error, sizeof error);
  ::_exit(not_started);
}

// A process that was started and not yet waited for. Whoever lets go of it ends its group.
class Process {
 public:
  Process(pid_t process) : process_(process), handle_(static_cast<int>(syscall(SYS_pidfd_open, process, 0))) {}
  ~Process() {
    if (ended_) return;
    send(SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] int handle() const { return handle_.get(); }
  void send(int signal) const {
    // The group is not there yet when the child has not come so far.
    if (::kill(-process_, signal) != 0) (void)::kill(process_, signal);
  }
  // True when it has ended; `ended` says how.
  bool reap(Ended& ended) {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) != process_) return false;
    ended_ = true;
    if (WIFSIGNALED(status))
      ended.signal = WTERMSIG(status);
    else
      ended.code = WEXITSTATUS(status);
    return true;
  }

 private:
  pid_t process_;
  Descriptor handle_;
  bool ended_ = false;
};

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : handled) sigaddset(&watched, signal);
  ::pthread_sigmask(SIG_BLOCK, &watched, &before_);
  descriptor_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ >= 0) return;
  const Error error = system_error("signalfd");
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  throw error;
}

HeldSignals::~HeldSignals() {
  ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int HeldSignals::first() {
  signalfd_siginfo information{};
  while (::read(descriptor_, &information, sizeof information) == static_cast<ssize_t>(sizeof information))
    if (first_ == 0) first_ = static_cast<int>(information.ssi_signo);
  return first_;
}

Ended run_command(const std::vector<std::string>& words, const CommandOptions& options, HeldSignals& signals) {
  if (words.empty()) throw Error(Fault::usage, "there is no command to run");
  std::vector<std::string> kept = words;
  std::vector<char*> pointers;
  for (std::string& word : kept) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Descriptor output(open_new(options.output)), errors(open_new(options.errors));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("pipe");
  const Descriptor heard(ends[0]);
  Descriptor news(ends[1]);

  const auto began = Clock::now();
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_error("fork");
  if (child == 0) become(pointers.data(), output.get(), errors.get(), news.get(), self, signals.before());
  Process process(child);
  if (process.handle() < 0) throw system_error("pidfd_open");
  news.close();
  int error = 0;
  if (::read(heard.get(), &error, sizeof error) == static_cast<ssize_t>(sizeof error))
    throw Error(Fault::usage, fmt::format("{}: {}", words.front(), std::strerror(error)));

  Ended ended;
  // When something is due next: first the deadline, then the end by force.
  auto due = began + std::chrono::duration_cast<Clock::duration>(options.deadline);
  bool asked = false;
  const auto ask = [&](int signal) {
    process.send(signal);
    asked = true;
    due = Clock::now() + std::chrono::duration_cast<Clock::duration>(options.grace);
  };
  while (!process.reap(ended)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
    std::array<pollfd, 2> entries{{{process.handle(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    constexpr long long longest = 1'000'000;
    (void)::poll(entries.data(), asked ? 1 : entries.size(), static_cast<int>(std::clamp<long long>(left, 0, longest)));
    if (const int signal = asked ? 0 : signals.first(); signal != 0) ask(signal);
    if (Clock::now() < due) continue;
    if (asked) {
      process.send(SIGKILL);
      due = Clock::now() + std::chrono::seconds(1);
    } else {
      ended.overdue = true;
      ask(SIGTERM);
    }
  }
  if (asked) process.send(SIGKILL);  // what is left of its group
  ended.took = Clock::now() - began;
  return ended;
}

std::string how_it_ended(const Ended& ended, const CommandOptions& options) {
  if (ended.overdue) return fmt::format("did not end within {}", format_seconds(options.deadline));
  if (ended.signal != 0) return fmt::format("was killed by signal {} ({})", ended.signal, ::strsignal(ended.signal));
  return fmt::format("ended with exit code {}", ended.code);
}

std::vector<std::string> command_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool within = false;  // a word, which may be empty: ''
  const auto end_word = [&] {
    if (within) words.push_back(std::exchange(word, {}));
    within = false;
  };
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '\'' || c == '"') {
      within = true;
      for (++at; at < line.size() && line[at] != c; ++at) {
        const bool escaped =
            c == '"' && line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == '"' || line[at + 1] == '\\');
        if (escaped) ++at;
        word += line[at];
      }
      if (at == line.size()) throw Error(Fault::usage, fmt::format("the command {} has a {} without its end", line, c));
    } else if (c == '\\' && at + 1 < line.size()) {
      within = true;
      word += line[++at];
    } else if (c == ' ' || c == '\t' || c == '\n') {
      end_word();
    } else if (std::string_view("|&;<>()$`*?~#").find(c) != std::string_view::npos) {
      throw Error(Fault::usage, fmt::format("the command {} has a {}, which only a shell would understand: quote it, or put "
                                            "the command into a script",
                                            line, c));
    } else {
      within = true;
      word += c;
    }
  }
  end_word();
  if (words.empty()) throw Error(Fault::usage, "the command is empty");
  return words;
}

}  // namespace railgauge
