// A Compute whose work is late (tests/plan/late_stream.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "bench/device/device.hpp"
#include "tests/plan/late_stream.hpp"

namespace railgauge::test {

struct LateRecording final : Recording {
  explicit LateRecording(std::shared_ptr<LateStream> its) : stream(std::move(its)) {}
  void replay() override {
    for (const std::function<bool()>& task : tasks) stream->push(task);
  }
  std::shared_ptr<LateStream> stream;
  std::list<std::function<bool()>> tasks;
};

class LateCompute final : public Compute {
 public:
  explicit LateCompute(std::unique_ptr<Compute> host, std::shared_ptr<LateStream> stream = std::make_shared<LateStream>())
      : host_(std::move(host)), stream_(std::move(stream)) {}

  // Tasks outlive this object where others share the stream.
  void copy(ConstBytes from, Bytes to) override {
    stream_->push([host = host_, from, to] {
      host->copy(from, to);
      return true;
    });
  }
  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    stream_->push([host = host_, its_sources = std::vector(sources.begin(), sources.end()),
                   its_targets = std::vector(targets.begin(), targets.end()),
                   factors = std::vector(scale.factors.begin(), scale.factors.end()), divisor = scale.divisor] {
      host->reduce(its_sources, its_targets, Scale{factors, divisor});
      return true;
    });
  }
  [[nodiscard]] void* stream() const override { return stream_.get(); }
  [[nodiscard]] std::uint64_t mark() override { return stream_->mark(); }
  [[nodiscard]] bool reached(std::uint64_t mark) override { return stream_->reached(mark); }
  [[nodiscard]] std::unique_ptr<Recording> record(const std::function<void()>& enqueue) override {
    auto recording = std::make_unique<LateRecording>(stream_);
    stream_->note(&recording->tasks);
    enqueue();
    stream_->note(nullptr);
    return recording;
  }
  [[nodiscard]] std::unique_ptr<StepRunner> prepare_steps(const StepProgram& program) override {
    return steps ? steps(program) : nullptr;
  }

  // What runs mapped plans; empty where the host does.
  std::function<std::unique_ptr<StepRunner>(const StepProgram&)> steps;

 private:
  std::shared_ptr<Compute> host_;
  std::shared_ptr<LateStream> stream_;
};

}  // namespace railgauge::test
