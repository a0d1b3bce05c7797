// A Compute that is late, as a GPU is: it notes what it is told and does one thing of it each time that somebody asks whether it
// has come so far.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "bench/device/device.hpp"

namespace railgauge::test {

class LateCompute final : public Compute {
 public:
  explicit LateCompute(std::unique_ptr<Compute> host) : host_(std::move(host)) {}

  void copy(ConstBytes from, Bytes to) override {
    tasks_.emplace_back([this, from, to] { host_->copy(from, to); });
  }
  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    tasks_.emplace_back([this, its_sources = std::vector(sources.begin(), sources.end()),
                         its_targets = std::vector(targets.begin(), targets.end()),
                         factors = std::vector(scale.factors.begin(), scale.factors.end()),
                         divisor = scale.divisor] { host_->reduce(its_sources, its_targets, Scale{factors, divisor}); });
  }
  [[nodiscard]] void* stream() const override { return const_cast<LateCompute*>(this); }
  [[nodiscard]] std::uint64_t mark() override { return done_ + tasks_.size(); }
  [[nodiscard]] bool reached(std::uint64_t mark) override {
    if (done_ >= mark) return true;
    tasks_.front()();
    tasks_.pop_front();
    ++done_;
    return false;
  }

 private:
  std::unique_ptr<Compute> host_;
  std::list<std::function<void()>> tasks_;
  std::uint64_t done_ = 0;
};

}  // namespace railgauge::test
