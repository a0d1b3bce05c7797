// The clock of a late stream (tests/plan/late_stream.hpp): what it was when the stream came by.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/device/queued.hpp"
#include "tests/plan/late_stream.hpp"

namespace railgauge::test {

class LateClock final : public QueueClock {
 public:
  // `now`: seconds by the device's clock.
  LateClock(std::shared_ptr<LateStream> stream, std::function<double()> now) : stream_(std::move(stream)), now_(std::move(now)) {}
  [[nodiscard]] Seconds resolution() const override { return Seconds{1e-9}; }
  // The stream may still have it when this object is gone.
  std::uint64_t stamp() override {
    const std::uint64_t number = ++stamps_;
    stream_->push([passed = passed_, now = now_, number] {
      (*passed)[number % kept_stamps] = {number, now()};
      return true;
    });
    marks_[number % kept_stamps] = stream_->mark();
    return number;
  }
  [[nodiscard]] bool reached(std::uint64_t stamp) override { return stream_->reached(marks_[stamp % kept_stamps]); }
  [[nodiscard]] Seconds between(std::uint64_t from, std::uint64_t to) override { return Seconds{at(to) - at(from)}; }

 private:
  struct Passed {
    std::uint64_t stamp = 0;
    double seconds = 0;
  };
  // What was forgotten or not reached has no time.
  [[nodiscard]] double at(std::uint64_t stamp) const {
    const Passed& its = (*passed_)[stamp % kept_stamps];
    if (its.stamp != stamp) throw std::logic_error("a stamp that was not reached, or is forgotten");
    return its.seconds;
  }

  std::shared_ptr<LateStream> stream_;
  std::function<double()> now_;
  std::shared_ptr<std::array<Passed, kept_stamps>> passed_ = std::make_shared<std::array<Passed, kept_stamps>>();
  std::array<std::uint64_t, kept_stamps> marks_{};
  std::uint64_t stamps_ = 0;
};

}  // namespace railgauge::test
