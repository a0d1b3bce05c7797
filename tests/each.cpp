#include "tests/each.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/test.hpp"

namespace railgauge::test {
namespace {

constexpr unsigned longest_seconds = 300;  // of a case, with sanitizers on a busy machine

// What a process writes, to be read when it has ended: a file in memory, which holds more than a pipe.
class Said {
 public:
  Said() : file_(::memfd_create("said", MFD_CLOEXEC)) {
    if (file_ < 0) std::perror("memfd_create"), std::_Exit(1);
  }
  ~Said() { ::close(file_); }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  void take_output() const {
    ::dup2(file_, STDOUT_FILENO);
    ::dup2(file_, STDERR_FILENO);
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    char part[4096];
    for (::ssize_t got = 0; (got = ::pread(file_, part, sizeof part, static_cast<::off_t>(all.size()))) > 0;)
      all.append(part, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int file_;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A name in which what Catch2 would take for a list, a tag or an escape is none.
std::string spec_of(std::string_view name) {
  std::string spec;
  for (const char each : name) {
    if (each == ',' || each == '[' || each == '\\') spec += '\\';
    spec += each;
  }
  return spec;
}

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "still running after " + std::to_string(longest_seconds) + " s";
  return std::string("killed: ") + ::strsignal(WTERMSIG(status));
}

::pid_t forked() {
  std::fflush(nullptr);
  const ::pid_t process = ::fork();
  if (process < 0) std::perror("fork"), std::_Exit(1);
  return process;
}

int status_of(::pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

}  // namespace

bool Each::run(const std::function<void()>& list, std::size_t part, std::size_t parts) {
  std::vector<std::string> names;
  {
    const Said said;
    const ::pid_t process = forked();
    if (process == 0) {
      said.take_output();
      list();
      std::fflush(nullptr);
      std::_Exit(0);
    }
    status_of(process);
    const std::vector<std::string> all = lines_of(said.text());
    for (std::size_t k = part; k < all.size(); k += parts) names.push_back(all[k]);
  }
  int passed = 0, failed = 0, skipped = 0;
  for (const std::string& name : names) {
    spec_ = spec_of(name);
    const Said said;
    const ::pid_t process = forked();
    if (process == 0) {
      said.take_output();
      ::alarm(longest_seconds);
      return true;
    }
    const int status = status_of(process);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      ++passed;
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == skip_code) {
      ++skipped;
      for (const std::string& line : lines_of(said.text()))
        if (line.starts_with("skipped: ")) std::printf("%s\n", line.c_str());
    } else {
      ++failed;
      std::printf("FAILED (%s): %s\n%s\n", how_it_ended(status).c_str(), name.c_str(), said.text().c_str());
    }
  }
  std::printf("%zu cases: %d passed, %d failed, %d skipped\n", names.size(), passed, failed, skipped);
  std::fflush(nullptr);
  code_ = failed == 0 && passed + skipped > 0 ? 0 : 1;
  return false;
}

}  // namespace railgauge::test
