// Runs commands as processes of their own, with a deadline; what interrupts this process is handed on to them.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge {

// While this lives, SIGINT, SIGTERM and SIGHUP do not end this process: it asks for them where it waits. To be made while there
// is one thread, since threads that are there already would still be ended.
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
  Seconds grace{10};   // between that and its end by force
  std::string output;  // file that takes its standard output, made anew
  std::string errors;  // the same of its standard error
};

struct Ended {
  int code = 0;          // exit code, where no signal ended it
  int signal = 0;        // the signal that ended it; 0: none
  bool overdue = false;  // the deadline passed
  Seconds took{};
};

// `words`: the program, looked for in PATH, and its arguments. It gets a process group of its own, nothing to read, and ends when
// this process does. Throws Error(usage) that names the program when it cannot be started.
[[nodiscard]] Ended run_command(const std::vector<std::string>& words, const CommandOptions& options, HeldSignals& signals);

// "ended with exit code 3", "was killed by signal 9 (Killed)", "did not end within 30.0 s".
[[nodiscard]] std::string how_it_ended(const Ended& ended, const CommandOptions& options);

// The words of a command line: blanks part them; '...', "..." and a backslash keep them together. Throws Error(usage) for a quote
// without its end, for no word at all, and for what only a shell would understand, since there is none.
[[nodiscard]] std::vector<std::string> command_words(const std::string& line);

}  // namespace railgauge
