// A queue that is late, as a GPU's stream is: what is put into it is done in that order, and a step further each time that
// somebody asks how far it has come. Devices and libraries of the tests share it as a cudaStream_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

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
    (void)step();
    if (beside) beside();
    return false;
  }
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  // Does what is next; false when there is nothing, or it has to be asked again.
  bool step() {
    if (tasks_.empty() || !tasks_.front()()) return false;
    tasks_.pop_front();
    ++done_;
    return true;
  }

  // Where the device's memory at an address can be read and written.
  std::function<std::byte*(std::byte*, std::size_t)> reach = [](std::byte* address, std::size_t) { return address; };
  // What goes on whenever this stream does: the others of its device.
  std::function<void()> beside;

 private:
  std::list<std::function<bool()>> tasks_;
  std::list<std::function<bool()>>* noted_ = nullptr;
  std::uint64_t done_ = 0;
};

// What comes into `to` from now on waits for what is in `from` now. Replayed as often as both parts are.
inline void cross(LateStream& from, LateStream& to) {
  struct Crossing {
    std::uint64_t passed = 0, taken = 0;
  };
  const auto crossing = std::make_shared<Crossing>();
  from.push([crossing] {
    ++crossing->passed;
    return true;
  });
  to.push([crossing] {
    if (crossing->taken == crossing->passed) return false;
    ++crossing->taken;
    return true;
  });
}

// The streams of one device, which go on together: each is asked when one of them is.
class LateStreams {
 public:
  LateStreams() { (void)at(0); }
  LateStreams(const LateStreams&) = delete;
  LateStreams& operator=(const LateStreams&) = delete;
  [[nodiscard]] const std::shared_ptr<LateStream>& at(std::size_t lane) {
    while (streams_.size() <= lane) {
      const auto made = std::make_shared<LateStream>();
      if (!streams_.empty()) made->reach = streams_.front()->reach;
      made->beside = [this, its = made.get()] {
        for (const auto& stream : streams_)
          if (stream.get() != its) stream->step();
      };
      streams_.push_back(made);
    }
    return streams_[lane];
  }
  [[nodiscard]] const std::vector<std::shared_ptr<LateStream>>& all() const { return streams_; }
  void fork(std::size_t lane) { cross(*at(0), *at(lane)); }
  void join(std::size_t lane) { cross(*at(lane), *at(0)); }
  [[nodiscard]] bool idle() {
    bool idle = true;
    for (const auto& stream : streams_) {
      stream->step();
      idle = stream->empty() && idle;
    }
    return idle;
  }

 private:
  std::vector<std::shared_ptr<LateStream>> streams_;
};

}  // namespace railgauge::test
