// A device cuda for machines without one: memory that the host must not touch, since it is mapped without any right at the
// address that the device gives, and kernels that come late; it runs mapped plans by threads. What reads or writes the buffers
// beside the device ends by SIGSEGV. Libraries of the tests get such memory through FAKE_DEVICE_MEMORY in the environment.
// FAKE_QUEUE_CLOCK there is how many seconds the clock of its queue counts in one (1).
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "bench/device/queued.hpp"
#include "bench/device/queues.hpp"
#include "bench/device/table.hpp"
#include "tests/device/fake/copies.hpp"
#include "tests/device/fake/hidden.hpp"
#include "tests/plan/host_blocks.hpp"
#include "tests/plan/late_clock.hpp"
#include "tests/plan/late_compute.hpp"

namespace railgauge {
namespace {

using test::hidden;

class HiddenCompute final : public Compute {
 public:
  explicit HiddenCompute(std::unique_ptr<Compute> host) : host_(std::move(host)) {}
  void copy(ConstBytes from, Bytes to) override { host_->copy(hidden().real(from), hidden().real(to)); }
  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    std::vector<ConstBytes> from;
    for (const ConstBytes& source : sources) from.push_back(hidden().real(source));
    std::vector<Bytes> to;
    for (const Bytes& target : targets) to.push_back(hidden().real(target));
    host_->reduce(from, to, scale);
  }
  [[nodiscard]] void* stream() const override { return nullptr; }
  [[nodiscard]] std::uint64_t mark() override { return 0; }
  [[nodiscard]] bool reached(std::uint64_t) override { return true; }

 private:
  std::unique_ptr<Compute> host_;
};

class FakeDevice final : public Device, public Queues, public Clocked {
 public:
  FakeDevice(int number, MemoryKind kind)
      : number_(number), kind_(kind), name_("cuda:" + std::to_string(number) + " (NVIDIA fake)") {
    // Which GPU the context of this process is of, as the fake libcuda asks.
    setenv("FAKE_GPU", std::to_string(number).c_str(), 1);
    static constexpr test::HiddenTable memory{[](std::size_t bytes) { return hidden().add(bytes); },
                                              [](std::byte* shown) { hidden().remove(shown); }};
    setenv("FAKE_DEVICE_MEMORY", std::to_string(reinterpret_cast<std::uintptr_t>(&memory)).c_str(), 1);
    streams_.at(0)->reach = [](std::byte* address, std::size_t bytes) { return hidden().real(Bytes(address, bytes)).data(); };
  }
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Memory allocate(std::size_t bytes, Sharing sharing) override {
    if (kind_ != MemoryKind::cuda) {
      auto memory = std::make_shared<Memory>(host_->allocate(bytes, sharing));
      Region region = memory->region();
      region.kind = kind_;
      return {region, [memory](const Region&) mutable { memory.reset(); }};
    }
    return {{.address = hidden().add(bytes, sharing != Sharing::own), .bytes = bytes, .kind = kind_},
            [this](const Region& region) {
              while (!streams_.idle()) usleep(1000);  // as cudaFree, for ever if need be
              hidden().remove(region.address);
            }};
  }
  [[nodiscard]] Memory pin(const Region& host) override { return {host, nullptr}; }
  [[nodiscard]] std::unique_ptr<Compute> compute(Type type, Op op) override { return compute_in(0, type, op); }
  [[nodiscard]] std::unique_ptr<Compute> compute_in(std::size_t lane, Type type, Op op) override {
    auto made = std::make_unique<test::LateCompute>(std::make_unique<HiddenCompute>(host_->compute(type, op)), streams_.at(lane));
    made->streams = [this] { return streams_.all(); };
    made->steps = [this, type, op](const StepProgram& program) -> std::unique_ptr<StepRunner> {
      StepProgram chosen = program;
      if (chosen.blocks == 0) chosen.blocks = 2;  // of small works, too
      const test::BlockShape shape{.blocks = blocks_of_lane(chosen, {.at_once = 64, .multiprocessors = 32}, name_), .threads = 1};
      const auto reach = [](const std::byte* address, std::size_t bytes) {
        return const_cast<std::byte*>(hidden().real(ConstBytes(address, bytes)).data());
      };
      return std::make_unique<test::HostStepRunner>(
          std::make_shared<test::HostSteps>(program, host_->compute(type, op), bytes_of(type), shape, reach), streams_.at(0));
    };
    return made;
  }
  [[nodiscard]] void* stream() const override { return streams_.all().front().get(); }
  [[nodiscard]] void* stream_of(std::size_t lane) override { return streams_.at(lane).get(); }
  void fork(std::size_t lane) override { streams_.fork(lane); }
  void join(std::size_t lane) override { streams_.join(lane); }
  [[nodiscard]] bool idle() noexcept override { return streams_.idle(); }
  [[nodiscard]] std::unique_ptr<QueueClock> make_clock() override {
    const char* const pace = std::getenv("FAKE_QUEUE_CLOCK");
    return std::make_unique<test::LateClock>(streams_.at(0), [pace = pace != nullptr ? std::strtod(pace, nullptr) : 1] {
      return pace * std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    });
  }
  [[nodiscard]] std::string key() const override { return "GPU-" + std::to_string(number_); }

 private:
  int number_;
  MemoryKind kind_;
  std::string name_;
  test::LateStreams streams_;
  std::unique_ptr<Device> host_ = make_host_device();
};

// As a driver does: a process that was forked from one that has asked is refused.
const char* missing() noexcept {
  static const pid_t asked = getpid();
  return asked == getpid() ? "" : "this process was forked after the driver was asked";
}
std::vector<DeviceRow> list() {
  return {{"cuda:0", "NVIDIA fake, GPU-0", "NVIDIA fake", "0000:1b:00", std::size_t{1} << 30, "GPU-0"},
          {"cuda:1", "NVIDIA fake, GPU-1", "NVIDIA fake", "0000:1c:00", std::size_t{1} << 30, "GPU-1"}};
}
std::unique_ptr<Device> open(int number, MemoryKind kind) { return std::make_unique<FakeDevice>(number, kind); }

}  // namespace
}  // namespace railgauge

extern "C" [[gnu::visibility("default")]] const railgauge::DeviceTable* railgauge_device() {
  static const railgauge::DeviceTable table{.abi = railgauge::plugin_abi,
                                            .name = "cuda",
                                            .missing = railgauge::missing,
                                            .list = railgauge::list,
                                            .open = railgauge::open,
                                            .copies = &railgauge::test::fake_copies()};
  return &table;
}
