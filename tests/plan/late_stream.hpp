// A queue that is late, as a GPU's stream is: what is put into it is done in that order, and a step further each time that
// somebody asks how far it has come. Devices and libraries of the tests share it as a cudaStream_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <utility>

namespace railgauge::test {

class LateStream {
 public:
  // `task` says whether it is done; else it is asked again.
  void push(std::function<bool()> task) { (noted_ != nullptr ? *noted_ : tasks_).push_back(std::move(task)); }
  // What is pushed from now on goes there instead, until it is told null. Each replay pushes a copy, with what it knows at first.
  void note(std::list<std::function<bool()>>* noted) { noted_ = noted; }
  // Behind all that was pushed so far.
  [[nodiscard]] std::uint64_t mark() const { return done_ + tasks_.size(); }
  [[nodiscard]] bool reached(std::uint64_t mark) {
    if (done_ >= mark) return true;
    if (!tasks_.front()()) return false;
    tasks_.pop_front();
    ++done_;
    return false;
  }

  // Where the device's memory at an address can be read and written.
  std::function<std::byte*(std::byte*, std::size_t)> reach = [](std::byte* address, std::size_t) { return address; };

 private:
  std::list<std::function<bool()>> tasks_;
  std::list<std::function<bool()>>* noted_ = nullptr;
  std::uint64_t done_ = 0;
};

}  // namespace railgauge::test
