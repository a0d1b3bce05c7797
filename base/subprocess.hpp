// Runs commands as processes, with a deadline; forwards signals that interrupt this process to them.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge {

// While this object lives, SIGINT, SIGTERM and SIGHUP do not end this process: the process reads them from descriptor() where it
// waits. Must be made while the process has one thread, since the signals would still end other threads.
class HeldSignals {
 public:
  HeldSignals();  // throws Error(usage)
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }  // readable when one has come
  [[nodiscard]] int first();                                    // the first that came, now and later; 0: none
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
  int descriptor_ = -1, first_ = 0;
};

struct CommandOptions {
  Seconds deadline{};  // then it is asked to end, as when this process is interrupted
  Seconds grace{10};   // between that and SIGKILL
  std::string output;  // file that takes its standard output, made anew
  std::string errors;  // the same of its standard error
};

struct Ended {
  int code = 0;          // exit code, where no signal ended it
  int signal = 0;        // the signal that ended it; 0: none
  bool overdue = false;  // the deadline passed
  Seconds took{};
};

// `words`: the program, looked for in PATH, and its arguments. The command gets its own process group and an empty standard
// input, and ends when this process ends. Returns when the command has ended. Throws Error(usage) that names the program when it
// cannot be started.
[[nodiscard]] Ended run_command(const std::vector<std::string>& words, const CommandOptions& options, HeldSignals& signals);

// "ended with exit code 3", "was killed by signal 9 (Killed)", "did not end within 30.0 s".
[[nodiscard]] std::string how_it_ended(const Ended& ended, const CommandOptions& options);

// Splits a command line into words at blanks; '...', "..." and a backslash keep a word together. Throws Error(usage) for an open
// quote, for an empty line, and for syntax of a shell, since no shell runs the line.
[[nodiscard]] std::vector<std::string> command_words(const std::string& line);

}  // namespace railgauge
