// Puts the tables of a program into the GPU's memory, and ends what is in flight there.
#include "bench/device/cuda/step_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/device/cuda/call.hpp"
#include "bench/device/cuda/kernel.hpp"
#include "bench/device/cuda/partition.hpp"
#include "bench/device/queues.hpp"

namespace railgauge::cuda {
namespace {

// As long as fence() of bench/device waits for a device.
constexpr std::chrono::seconds patience{60};

// A table in the GPU's memory. Left there, and not freed, where that would wait for what never ends.
template <class Row>
class Table {
 public:
  Table() = default;
  Table(const std::vector<Row>& rows, const std::string& device) {
    static_assert(std::is_trivially_copyable_v<Row>);
    const std::size_t bytes = std::max<std::size_t>(1, rows.size()) * sizeof(Row);
    void* address = nullptr;
    check(cudaMalloc(&address, bytes), fmt::format("cudaMalloc of {} bytes for the steps of a plan on {}", bytes, device));
    rows_ = static_cast<Row*>(address);
    const auto* const from = static_cast<const void*>(rows.data());
    const cudaError_t code = rows.empty() ? cudaSuccess : cudaMemcpy(address, from, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) return;
    cudaFree(address);
    check(code, "cudaMemcpy of the steps of a plan to " + device);
  }
  ~Table() {
    if (rows_ != nullptr) cudaFree(static_cast<void*>(rows_));
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  Table& operator=(Table&& other) noexcept {
    std::swap(rows_, other.rows_);
    return *this;
  }
  void leave() noexcept { rows_ = nullptr; }
  [[nodiscard]] Row* rows() const { return rows_; }

 private:
  Row* rows_ = nullptr;
};

class CudaStepRunner final : public StepRunner {
 public:
  CudaStepRunner(const StepProgram& program, Type type, Op op, int number, int multiprocessors, cudaStream_t stream,
                 std::shared_ptr<StepRunners> runners)
      : name_(fmt::format("cuda:{}", number)),
        kernel_(find_kernel(type)),
        stream_(stream),
        runners_(std::move(runners)),
        lane_count_(static_cast<unsigned>(program.lanes.size())),
        multiprocessors_(static_cast<unsigned>(multiprocessors)) {
    arguments_.blocks_of_lane = blocks_of_lane(program, room(multiprocessors), name_);
    arguments_.patience = std::chrono::nanoseconds(patience).count();
    arguments_.control = &runners_->control();
    upload_works(program, type, op);
    upload_lanes(program);
    // A copy from pageable memory may arrive after it has returned, and the stream of the kernel does not wait for the one of
    // copies.
    cuda::check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize behind the steps of a plan on " + name_);
    runners_->enter();
  }

  ~CudaStepRunner() override {
    if (runners_->leave()) return;
    steps_.leave();
    passed_.leave();
    lanes_.leave();
    works_.leave();
    sources_.leave();
    targets_.leave();
    factors_.leave();
    arrived_.leave();
    claimed_.leave();
  }

  void enqueue() override {
    const cudaError_t code = kernel_.launch_steps(arguments_, lane_count_, stream_);
    if (code != cudaSuccess)
      throw Error(Fault::lost,
                  fmt::format("the launch of {} blocks that run a plan on {}: {} ({})", lane_count_ * arguments_.blocks_of_lane,
                              name_, cudaGetErrorString(code), cudaGetErrorName(code)));
  }

  void check() override {
    StepControl& control = runners_->control();
    if (std::atomic_ref(control.gave_up).load(std::memory_order_acquire) == 0) return;
    throw Error(Fault::lost, fmt::format("{}: {}", name_, sentence_of(control.what, static_cast<double>(patience.count()))));
  }

  [[nodiscard]] std::uint32_t multiprocessors() const override {
    return std::min(lane_count_ * arguments_.blocks_of_lane, multiprocessors_);
  }

 private:
  [[nodiscard]] BlockRoom room(int multiprocessors) const {
    int each = 0;
    cuda::check(kernel_.measure_steps(each), "cudaOccupancyMaxActiveBlocksPerMultiprocessor on " + name_);
    const auto all = static_cast<std::size_t>(multiprocessors);
    return {.at_once = static_cast<std::size_t>(each) * all, .multiprocessors = all};
  }

  void upload_works(const StepProgram& program, Type type, Op op) {
    sources_ = Table<const std::byte*>(program.sources, name_);
    targets_ = Table<std::byte*>(program.targets, name_);
    std::vector<std::uint64_t> bits;
    for (const double factor : program.factors) bits.push_back(kernel_.factor(factor));
    factors_ = Table<std::uint64_t>(bits, name_);
    std::vector<WorkView> views;
    const std::size_t element = bytes_of(type);
    for (const StepWork& work : program.works) {
      std::vector<ConstBytes> from;
      for (std::uint32_t i = 0; i < (op == Op::none ? 1 : work.sources); ++i)
        from.emplace_back(program.sources[work.first_source + i], work.bytes);
      std::vector<Bytes> to;
      for (std::uint32_t i = 0; i < work.targets; ++i) to.emplace_back(program.targets[work.first_target + i], work.bytes);
      WorkView view;
      view.sources = sources_.rows() + work.first_source;
      view.targets = targets_.rows() + work.first_target;
      view.factors = factors_.rows() + work.first_factor;
      view.cut = partition(from, to, element);
      view.source_count = static_cast<std::uint32_t>(from.size());
      view.target_count = work.targets;
      view.divisor = work.divisor;
      view.op = op;
      view.premultiplied = work.factors != 0;
      view.copies = from.size() == 1 && work.factors == 0 && work.divisor <= 1;
      views.push_back(view);
    }
    works_ = Table<WorkView>(views, name_);
    arguments_.works = works_.rows();
    arguments_.work_count = static_cast<std::uint32_t>(views.size());
  }

  void upload_lanes(const StepProgram& program) {
    std::vector<DeviceStep> steps;
    std::vector<PassedMessages> passed;
    for (const LaneSteps& lane : program.lanes) {
      steps.insert(steps.end(), lane.steps.begin(), lane.steps.end());
      passed.insert(passed.end(), lane.passed.begin(), lane.passed.end());
    }
    steps_ = Table<DeviceStep>(steps, name_);
    passed_ = Table<PassedMessages>(passed, name_);
    std::vector<LaneView> lanes;
    std::size_t step = 0, pass = 0;
    for (const LaneSteps& lane : program.lanes) {
      lanes.push_back({steps_.rows() + step, lane.steps.size(), passed_.rows() + pass, lane.passed.size(), program.slots,
                       program.slot_words, program.slot_bits, lane.joined});
      step += lane.steps.size();
      pass += lane.passed.size();
    }
    lanes_ = Table<LaneView>(lanes, name_);
    arrived_ = Table<std::uint64_t>(std::vector<std::uint64_t>(lanes.size()), name_);
    claimed_ = Table<std::uint32_t>(std::vector<std::uint32_t>(1), name_);
    arguments_.lanes = lanes_.rows();
    arguments_.arrived = arrived_.rows();
    arguments_.claimed = claimed_.rows();
  }

  std::string name_;
  const Kernel& kernel_;
  cudaStream_t stream_;
  std::shared_ptr<StepRunners> runners_;
  unsigned lane_count_, multiprocessors_;
  Table<DeviceStep> steps_;
  Table<PassedMessages> passed_;
  Table<LaneView> lanes_;
  Table<WorkView> works_;
  Table<const std::byte*> sources_;
  Table<std::byte*> targets_;
  Table<std::uint64_t> factors_, arrived_;
  Table<std::uint32_t> claimed_;
  StepArguments arguments_;
};

}  // namespace

StepRunners::StepRunners(int number, std::function<bool()> idle) : idle_(std::move(idle)) {
  void* address = nullptr;
  check(cudaHostAlloc(&address, sizeof(StepControl), cudaHostAllocPortable | cudaHostAllocMapped),
        fmt::format("cudaHostAlloc of {} bytes for cuda:{}", sizeof(StepControl), number));
  control_ = new (address) StepControl;
}

StepRunners::~StepRunners() {
  if (empty()) cudaFreeHost(control_);
}

// What ended by itself though it was told to stop leaves nobody who was told.
bool StepRunners::empty() noexcept {
  const std::atomic_ref stop(control_->stop);
  const auto rests = [&] {
    if (!idle_()) return false;
    if (std::atomic_ref(control_->gave_up).load(std::memory_order_acquire) == 0) stop.store(0, std::memory_order_release);
    return true;
  };
  if (rests()) return true;
  stop.store(1, std::memory_order_release);
  if (hangs_) return false;
  hangs_ = !comes_to_rest(rests);
  return !hangs_;
}

// When nothing is in flight and there is no other runner, it is nobody's any more why one gave up.
bool StepRunners::leave() noexcept {
  const bool last = --runners_ == 0;
  if (!empty()) return false;
  if (last) *control_ = StepControl();
  return true;
}

std::unique_ptr<StepRunner> make_step_runner(const StepProgram& program, Type type, Op op, int number, int multiprocessors,
                                             cudaStream_t stream, std::shared_ptr<StepRunners> runners) {
  return std::make_unique<CudaStepRunner>(program, type, op, number, multiprocessors, stream, std::move(runners));
}

}  // namespace railgauge::cuda
