// Says what a run is doing when it has shown nothing for a while.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/units.hpp"

namespace railgauge {

// While this lives and nothing was heard(), a thread waits: once it has waited for `patience`, it calls `say` with a sentence
// that names what doing() said last, and that is all. To be made where no fork follows. Threads may share it.
class Silence {
 public:
  Silence(Seconds patience, std::string doing, std::function<void(const std::string& sentence)> say);
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  void doing(const std::string& what);
  void heard();  // there is a result: who reads it knows that all is well

 private:
  void wait();

  Seconds patience_;
  std::function<void(const std::string&)> say_;
  std::mutex lock_;
  std::condition_variable over_;
  std::string doing_;
  bool heard_ = false;
  std::thread waiter_;  // last: it uses the others
};

}  // namespace railgauge
