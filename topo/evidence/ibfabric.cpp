// Runs the module ibfabric in a child process with a deadline.
#include "topo/evidence/ibfabric.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/plugin.hpp"

namespace railgauge::topo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_warnings = 64U << 10U;  // bytes that are kept
constexpr std::size_t longest_reading = 1U << 30U;

std::string system_words() { return std::generic_category().message(errno); }

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Fault::usage, fmt::format("the InfiniBand fabric cannot be read: {}", why));
}

class Pipe {
 public:
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) refuse(fmt::format("pipe: {}", system_words()));
    from_ = ends[0];
    to_ = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_from();
    close_to();
  }
  [[nodiscard]] int from() const { return from_; }
  [[nodiscard]] int to() const { return to_; }
  void close_from() {
    if (from_ >= 0) close(std::exchange(from_, -1));
  }
  void close_to() {
    if (to_ >= 0) close(std::exchange(to_, -1));
  }

 private:
  int from_ = -1, to_ = -1;
};

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(to, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// In the child: a letter for what follows, the reading or the sentence why there is none.
[[noreturn]] void answer(const FabricTable& table, const FabricQuestion& question, int to, int warnings) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(warnings, STDERR_FILENO);
  dup2(warnings, STDOUT_FILENO);
  try {
    const std::string text = table.discover(question);
    write_all(to, "R");
    write_all(to, text);
  } catch (const std::exception& fault) {
    write_all(to, "E");
    write_all(to, fault.what());
  }
  _exit(0);  // nothing of the parent's is to be flushed or undone here
}

class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ > 0) (void)end();
  }
  // Kills it where it still runs. Its status as waitpid gives it; nothing where it does not end: one that sleeps in the driver
  // is left to init.
  std::optional<int> end() {
    kill(id_, SIGKILL);
    const pid_t id = std::exchange(id_, -1);
    int status = 0;
    for (int tries = 0; tries < 1000; ++tries) {
      const pid_t got = waitpid(id, &status, WNOHANG);
      if (got == id) return status;
      if (got < 0 && errno != EINTR) return std::nullopt;
      (void)poll(nullptr, 0, 2);
    }
    return std::nullopt;
  }

 private:
  pid_t id_;
};

// Both until the writer is gone. False when the deadline passes first.
bool read_both(int answers, int warnings, Clock::time_point deadline, std::string& text, std::string& said) {
  std::array<pollfd, 2> open{{{answers, POLLIN, 0}, {warnings, POLLIN, 0}}};
  std::array<char, 1U << 16U> buffer{};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (poll(open.data(), open.size(), static_cast<int>(std::min<long long>(left, 1000))) < 0 && errno != EINTR) return false;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      const ssize_t count = read(open[i].fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        open[i].fd = -1;
        continue;
      }
      std::string& into = i == 0 ? text : said;
      const std::size_t room = i == 0 ? longest_reading : most_warnings;
      if (into.size() < room) into.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }
  return true;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t before = text.rfind('\n');
  return std::string(before == std::string_view::npos ? text : text.substr(before + 1));
}

const FabricTable& load(const std::vector<std::filesystem::path>& folders) {
  const Plugin plugin = load_plugin("ibfabric", "railgauge_fabric", folders);
  if (plugin.symbol == nullptr) refuse(plugin.reason);
  const FabricTable* table = reinterpret_cast<const FabricTable* (*)()>(plugin.symbol)();
  if (table == nullptr || table->abi != plugin_abi || table->discover == nullptr)
    refuse(fmt::format("{} was built for another version of railgauge", plugin.path.string()));
  return *table;
}

}  // namespace

Reading collect_fabric(const FabricQuestion& question, const std::vector<std::filesystem::path>& plugin_folders) {
  const FabricTable& table = load(plugin_folders);
  Pipe answers;
  Pipe warnings;
  const pid_t id = fork();
  if (id < 0) refuse(fmt::format("fork: {}", system_words()));
  if (id == 0) answer(table, question, answers.to(), warnings.to());
  Child child(id);
  answers.close_to();
  warnings.close_to();
  std::string text;
  std::string said;
  const bool whole = read_both(answers.from(), warnings.from(), Clock::now() + question.deadline, text, said);
  const std::optional<int> status = child.end();
  if (!whole)
    refuse(fmt::format("it did not answer within {:.3g} s{}", std::chrono::duration<double>(question.deadline).count(),
                       question.device.empty() ? "" : fmt::format(" through {}", question.device)));
  if (text.starts_with('E')) {
    const std::string why = last_line(said);
    refuse(fmt::format("{}{}{}", text.substr(1), why.empty() ? "" : ": ", why));
  }
  // One that has said all may still be held in the kernel while it closes the driver's files.
  if (!text.starts_with('R') || (status && !WIFEXITED(*status)))
    refuse(fmt::format("libibnetdisc ended the process: {}", last_line(said)));
  text.erase(0, 1);
  for (std::string_view rest = said; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    text += fmt::format("# {}\n", rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  text += fmt::format("{}\n", end_of_evidence);
  return {"ibfabric", question.device.empty() ? "this machine's fabric" : fmt::format("the fabric of {}", question.device),
          std::move(text)};
}

}  // namespace railgauge::topo
