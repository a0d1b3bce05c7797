// One wait with a deadline.
#include "bench/run/silence.hpp"

#include <fmt/format.h>

#include <utility>

namespace railgauge {

Silence::Silence(Seconds patience, std::string doing, std::function<void(const std::string&)> say)
    : patience_(patience), say_(std::move(say)), doing_(std::move(doing)), waiter_([this] { wait(); }) {}

Silence::~Silence() {
  heard();
  waiter_.join();
}

void Silence::doing(const std::string& what) {
  const std::lock_guard guard(lock_);
  doing_ = what;
}

void Silence::heard() {
  {
    const std::lock_guard guard(lock_);
    heard_ = true;
  }
  over_.notify_one();
}

void Silence::wait() {
  std::unique_lock guard(lock_);
  if (over_.wait_for(guard, patience_, [this] { return heard_; })) return;
  say_(fmt::format("still {}, after {:.3g} s without a result", doing_, patience_.count()));
}

}  // namespace railgauge
