// Memory, streams and devices of the CUDA runtime.
#include "bench/device/cuda/device.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/device/busy.hpp"
#include "bench/device/cuda/busy.hpp"
#include "bench/device/cuda/call.hpp"
#include "bench/device/cuda/copy_parts.hpp"
#include "bench/device/cuda/dmabuf.hpp"
#include "bench/device/cuda/handles.hpp"
#include "bench/device/cuda/kernel.hpp"
#include "bench/device/cuda/names.hpp"
#include "bench/device/cuda/queue_clock.hpp"
#include "bench/device/cuda/step_runner.hpp"
#include "bench/device/queues.hpp"
#include "transports/cuda_ipc/memory.hpp"

namespace railgauge::cuda {

void check(cudaError_t code, const std::string& what) {
  if (code != cudaSuccess)
    throw Error(Fault::usage, fmt::format("{}: {} ({})", what, cudaGetErrorString(code), cudaGetErrorName(code)));
}

Stream make_stream(int number) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags on " + name_of(number));
  return Stream(stream);
}

Event make_event(int number, Timing timing) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags on " + name_of(number));
  return Event(event);
}

namespace {

std::string gigabytes(std::size_t bytes) { return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9); }

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
};
struct DestroyGraphExec {
  void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
};

[[noreturn, gnu::cold]] void lost(cudaError_t code, const char* call, int number) {
  throw Error(Fault::lost,
              fmt::format("{} on {}: {} ({})", call, name_of(number), cudaGetErrorString(code), cudaGetErrorName(code)));
}

class CudaRecording final : public Recording {
 public:
  CudaRecording(cudaGraph_t graph, cudaStream_t stream, int number) : stream_(stream), number_(number) {
    cudaGraphExec_t made = nullptr;
    check(cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate on " + name_of(number));
    exec_.reset(made);
    check(cudaGraphUpload(made, stream), "cudaGraphUpload on " + name_of(number));
  }
  void replay() override {
    const cudaError_t code = cudaGraphLaunch(exec_.get(), stream_);
    if (code != cudaSuccess) lost(code, "cudaGraphLaunch", number_);
  }

 private:
  std::unique_ptr<CUgraphExec_st, DestroyGraphExec> exec_;
  cudaStream_t stream_;
  int number_;
};

class CudaCompute final : public Compute {
 public:
  // All of it runs in `stream`.
  CudaCompute(int number, int multiprocessors, std::shared_ptr<StepRunners> steps, cudaStream_t stream, Type type, Op op)
      : number_(number),
        multiprocessors_(multiprocessors),
        type_(type),
        op_(op),
        kernel_(find_kernel(type)),
        steps_(std::move(steps)),
        stream_(stream) {
    check(kernel_.measure_grids(grids_, multiprocessors), "cudaOccupancyMaxActiveBlocksPerMultiprocessor on " + name_of(number));
    for (Event& event : events_) event = make_event(number);
  }

  void copy(ConstBytes from, Bytes to) override {
    if (from.empty()) return;
    const cudaError_t code = cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDefault, stream_);
    if (code != cudaSuccess) failed(code, "cudaMemcpyAsync");
  }

  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    if (op_ == Op::none) sources = sources.first(1);
    if (sources.size() == 1 && scale.factors.empty() && scale.divisor <= 1) {
      for (const Bytes& target : targets)
        if (target.data() != sources[0].data()) copy(sources[0], target);
      return;
    }
    if (sources.size() > most_operands || targets.size() > most_operands)
      throw Error(Fault::usage, fmt::format("a reduction of {} sources into {} targets on {}: the kernels take up to {} of each; "
                                            "choose an algorithm that reduces fewer at once, as ring",
                                            sources.size(), targets.size(), name_of(number_), most_operands));
    const std::size_t element = bytes_of(type_);
    const auto straddles = [&](const auto& one) { return reinterpret_cast<std::uintptr_t>(one.data()) % element != 0; };
    if (std::ranges::any_of(sources, straddles) || std::ranges::any_of(targets, straddles))
      throw Error(Fault::usage, fmt::format("a reduction of {} on {}: an array does not begin at a multiple of {} bytes",
                                            railgauge::name(type_), name_of(number_), element));
    const cudaError_t code = kernel_.launch(sources, targets, scale, op_, grids_, stream_);
    if (code != cudaSuccess) failed(code, "the launch of a reduction");
  }

  [[nodiscard]] void* stream() const override { return stream_; }

  // Events are used round-robin; the stream passes them in order, so who has passed one has passed all before it.
  [[nodiscard]] std::uint64_t mark() override {
    const std::uint64_t mark = ++marks_;
    const cudaEvent_t event = events_[mark % events_.size()].get();
    if (mark > events_.size() && !reached(mark - events_.size())) {
      await(event, "end what was put into its stream long ago", number_);
      passed_ = std::max(passed_, mark - events_.size());
    }
    const cudaError_t code = cudaEventRecord(event, stream_);
    if (code != cudaSuccess) failed(code, "cudaEventRecord");
    return mark;
  }

  [[nodiscard]] bool reached(std::uint64_t mark) override {
    if (mark <= passed_) return true;
    const cudaError_t code = cudaEventQuery(events_[mark % events_.size()].get());
    if (code == cudaErrorNotReady) return false;
    if (code != cudaSuccess) failed(code, "cudaEventQuery");
    passed_ = mark;
    return true;
  }

  // Relaxed, since a library that is called meanwhile may allocate what it needs.
  [[nodiscard]] std::unique_ptr<Recording> record(const std::function<void()>& enqueue) override {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture on " + name_of(number_));
    cudaGraph_t captured = nullptr;
    try {
      enqueue();
    } catch (...) {
      if (cudaStreamEndCapture(stream_, &captured) == cudaSuccess) cudaGraphDestroy(captured);
      throw;
    }
    const cudaError_t code = cudaStreamEndCapture(stream_, &captured);
    const std::unique_ptr<CUgraph_st, DestroyGraph> graph(captured);
    check(code, "cudaStreamEndCapture on " + name_of(number_));
    return std::make_unique<CudaRecording>(graph.get(), stream_, number_);
  }

  [[nodiscard]] std::unique_ptr<StepRunner> prepare_steps(const StepProgram& program) override {
    return make_step_runner(program, type_, op_, number_, multiprocessors_, stream_, steps_);
  }

 private:
  [[noreturn, gnu::cold]] void failed(cudaError_t code, const char* call) const { lost(code, call, number_); }

  int number_, multiprocessors_;
  Type type_;
  Op op_;
  const Kernel& kernel_;
  Grids grids_{};
  std::shared_ptr<StepRunners> steps_;
  cudaStream_t stream_;
  std::array<Event, 64> events_;
  std::uint64_t marks_ = 0, passed_ = 0;
};

std::size_t whole_pages(std::size_t bytes) { return (bytes + dmabuf_granularity - 1) / dmabuf_granularity * dmabuf_granularity; }

cudaError_t allocate_kind(void** address, std::size_t bytes, MemoryKind kind) {
  if (kind == MemoryKind::pinned) return cudaHostAlloc(address, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  if (kind == MemoryKind::managed) return cudaMallocManaged(address, bytes, cudaMemAttachGlobal);
  return cudaMalloc(address, whole_pages(bytes));
}

struct LaneStream {
  Stream stream;
  Event passed;
};
// All streams of a device. Its memory shares them, since it asks them before it goes.
struct Streams {
  Stream first;
  std::vector<LaneStream> lanes;  // of lane 1 first
  Event forked;                   // null while there is none

  // Whether nothing is in flight; a device that has failed is idle.
  [[nodiscard]] bool idle() const noexcept {
    const auto at_rest = [](const Stream& stream) { return cudaStreamQuery(stream.get()) != cudaErrorNotReady; };
    return at_rest(first) && std::ranges::all_of(lanes, at_rest, &LaneStream::stream);
  }
};
using SharedStreams = std::shared_ptr<Streams>;

bool is_over(const SharedStreams& streams) noexcept {
  return comes_to_rest([&] { return streams->idle(); });
}

void release(const Region& region, const SharedStreams& streams) {
  if (region.fd >= 0) close(region.fd);
  if (!is_over(streams)) return;
  if (region.kind == MemoryKind::pinned)
    cudaFreeHost(region.address);
  else
    cudaFree(region.address);
}

const char* call_of(MemoryKind kind) {
  return kind == MemoryKind::pinned ? "cudaHostAlloc" : kind == MemoryKind::managed ? "cudaMallocManaged" : "cudaMalloc";
}

class CudaDevice final : public Device, public Queues, public Clocked, public BusyKernels {
 public:
  CudaDevice(int number, MemoryKind kind) : number_(number), kind_(kind), name_(name_of(number)) {
    check(cudaSetDevice(number), "cudaSetDevice to " + name_);
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, number),
          "cudaDeviceGetAttribute of " + name_);
    streams_->first = make_stream(number);
    steps_ = std::make_shared<StepRunners>(number, [streams = streams_] { return streams->idle(); });
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties of " + name_);
    name_ += fmt::format(" ({})", properties.name);
    key_ = uuid_of(properties);
    address_ = pci_address_of(properties);
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] Memory allocate(std::size_t bytes, Sharing sharing) override {
    if (kind_ == MemoryKind::cuda && sharing != Sharing::own) return allocate_shared(bytes, sharing);
    void* address = nullptr;
    if (const cudaError_t code = allocate_kind(&address, bytes, kind_); code != cudaSuccess) {
      std::size_t left = 0, all = 0;
      const bool known = cudaMemGetInfo(&left, &all) == cudaSuccess;
      check(code, fmt::format("{} of {} on {}{}", call_of(kind_), format_bytes(bytes), name_,
                              known ? fmt::format(", which has {} left of {}", gigabytes(left), gigabytes(all)) : ""));
    }
    Region region{.address = static_cast<std::byte*>(address), .bytes = bytes, .kind = kind_, .device = number_};
    if (kind_ == MemoryKind::cuda) region.fd = export_dmabuf(address, whole_pages(bytes), number_);
    Memory memory(region, [streams = streams_](const Region& its) { release(its, streams); });
    check(cudaMemset(address, 0, bytes), fmt::format("cudaMemset of {} on {}", format_bytes(bytes), name_));
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize on " + name_);
    return memory;
  }

  // By the driver, since memory of the runtime has no descriptor and no fabric handle.
  [[nodiscard]] Memory allocate_shared(std::size_t bytes, Sharing sharing) const {
    const auto kind = sharing == Sharing::hosts ? cuda_ipc::HandleKind::fabric : cuda_ipc::HandleKind::fd;
    const auto memory = std::make_shared<cuda_ipc::Allocation>(bytes, kind, name_);
    const int fd = export_dmabuf(memory->address(), memory->mapped_bytes(), number_);
    return {{.address = memory->address(), .bytes = bytes, .kind = kind_, .device = number_, .fd = fd},
            [memory, streams = streams_](const Region& region) {
              if (region.fd >= 0) close(region.fd);
              if (is_over(streams)) *memory = cuda_ipc::Allocation();
              memory->leave();
            }};
  }

  [[nodiscard]] Memory pin(const Region& host) override {
    check(cudaHostRegister(host.address, host.bytes, cudaHostRegisterPortable),
          fmt::format("cudaHostRegister of {} for {}", format_bytes(host.bytes), name_));
    return {host, [streams = streams_](const Region& region) {
              if (is_over(streams)) cudaHostUnregister(region.address);
            }};
  }

  [[nodiscard]] std::unique_ptr<Compute> compute(Type type, Op op) override {
    return std::make_unique<CudaCompute>(number_, multiprocessors_, steps_, streams_->first.get(), type, op);
  }
  [[nodiscard]] void* stream() const override { return streams_->first.get(); }
  [[nodiscard]] std::string key() const override { return key_; }
  [[nodiscard]] std::string address() const override { return address_; }

  [[nodiscard]] void* stream_of(std::size_t lane) override {
    if (lane == 0) return streams_->first.get();
    std::vector<LaneStream>& lanes = streams_->lanes;
    if (lane > lanes.size() && !streams_->forked) streams_->forked = make_event(number_);
    while (lanes.size() < lane) lanes.push_back({make_stream(number_), make_event(number_)});
    return lanes[lane - 1].stream.get();
  }
  [[nodiscard]] std::unique_ptr<Compute> compute_in(std::size_t lane, Type type, Op op) override {
    return std::make_unique<CudaCompute>(number_, multiprocessors_, steps_, static_cast<cudaStream_t>(stream_of(lane)), type, op);
  }
  void fork(std::size_t lane) override {
    cross(streams_->first.get(), streams_->forked.get(), streams_->lanes[lane - 1].stream.get());
  }
  void join(std::size_t lane) override {
    const LaneStream& its = streams_->lanes[lane - 1];
    cross(its.stream.get(), its.passed.get(), streams_->first.get());
  }
  [[nodiscard]] bool idle() noexcept override { return streams_->idle(); }
  [[nodiscard]] std::unique_ptr<BusyKernel> make_busy_kernel(std::size_t lane) override {
    return cuda::make_busy_kernel(number_, multiprocessors_, static_cast<cudaStream_t>(stream_of(lane)),
                                  [streams = streams_] { return is_over(streams); });
  }
  [[nodiscard]] std::unique_ptr<QueueClock> make_clock() override { return make_queue_clock(number_, streams_->first.get()); }

 private:
  // An event is what it was when somebody began to wait for it: it can be recorded anew at once.
  void cross(cudaStream_t from, cudaEvent_t event, cudaStream_t to) const {
    if (const cudaError_t code = cudaEventRecord(event, from); code != cudaSuccess) lost(code, "cudaEventRecord", number_);
    if (const cudaError_t code = cudaStreamWaitEvent(to, event, 0); code != cudaSuccess)
      lost(code, "cudaStreamWaitEvent", number_);
  }

  int number_;
  MemoryKind kind_;
  std::string name_, key_, address_;
  int multiprocessors_ = 0;
  std::shared_ptr<Streams> streams_ = std::make_shared<Streams>();
  std::shared_ptr<StepRunners> steps_;
};

}  // namespace

std::string missing_devices() {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) == nullptr) {
    const char* reason = dlerror();
    return fmt::format("NVIDIA's driver is not there: {}", reason != nullptr ? reason : "libcuda.so.1 cannot be loaded");
  }
  int count = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess)
    return fmt::format("cudaGetDeviceCount: {} ({})", cudaGetErrorString(code), cudaGetErrorName(code));
  return count == 0 ? "the driver finds no GPU" : "";
}

std::vector<DeviceRow> list_devices() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<DeviceRow> rows;
  for (int number = 0; number < count; ++number) {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, number), "cudaGetDeviceProperties of " + name_of(number));
    std::string address = pci_address_of(device);
    address.resize(address.rfind('.'));
    rows.push_back(
        {name_of(number), description_of(device), device.name, std::move(address), device.totalGlobalMem, uuid_of(device)});
  }
  return rows;
}

std::unique_ptr<Device> open_device(int number, MemoryKind kind) { return std::make_unique<CudaDevice>(number, kind); }

}  // namespace railgauge::cuda
