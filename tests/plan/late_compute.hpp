// A Compute whose work is late (tests/plan/late_stream.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "bench/device/device.hpp"
#include "tests/plan/late_stream.hpp"

namespace railgauge::test {

struct LateRecording final : Recording {
  struct StreamTasks {
    std::shared_ptr<LateStream> stream;
    std::list<std::function<bool()>> tasks;
  };
  void replay() override {
    for (const StreamTasks& part : parts)
      for (const std::function<bool()>& task : part.tasks) part.stream->push(task);
  }
  std::vector<StreamTasks> parts;
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
    auto recording = std::make_unique<LateRecording>();
    for (const auto& stream : streams ? streams() : std::vector{stream_}) recording->parts.push_back({stream, {}});
    for (LateRecording::StreamTasks& part : recording->parts) part.stream->note(&part.tasks);
    enqueue();
    for (const LateRecording::StreamTasks& part : recording->parts) part.stream->note(nullptr);
    return recording;
  }
  [[nodiscard]] std::unique_ptr<StepRunner> prepare_steps(const StepProgram& program) override {
    return steps ? steps(program) : nullptr;
  }

  // What runs mapped plans; empty where the host does.
  std::function<std::unique_ptr<StepRunner>(const StepProgram&)> steps;
  // All that a recording notes; empty where that is its own.
  std::function<std::vector<std::shared_ptr<LateStream>>()> streams;

 private:
  std::shared_ptr<Compute> host_;
  std::shared_ptr<LateStream> stream_;
};

}  // namespace railgauge::test
