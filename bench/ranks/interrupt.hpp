// Lets a run that is interrupted by a signal keep what it has finished.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "base/units.hpp"

namespace railgauge {

// While this lives, SIGINT, SIGTERM and SIGHUP do not end the process at once: a thread waits for one, calls `at_once`,
// leaves the process `grace` more to end by itself, and then calls `act` with a sentence that names the signal, which must not
// return. To be made before the threads that it is to shield; never before a fork.
class Interruption {
 public:
  Interruption(std::function<void()> at_once, Seconds grace,
               std::function<void(const std::string& sentence)> act);  // throws Error(usage)
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  void watch() const;

  std::function<void()> at_once_;
  Seconds grace_;
  std::function<void(const std::string&)> act_;
  sigset_t before_{};
  int signals_ = -1, stop_ = -1;
  std::thread watcher_;
};

}  // namespace railgauge
