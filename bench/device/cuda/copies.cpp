// Copies in streams, timed by events.
//
//   first stream   gate . begin . copy copy ... copy ............ (wait) . end      the only direction, or forward
//   second stream            (wait) . copy copy ... copy . done .                   back
//
// The gate keeps both from beginning before all is in them, so that the time between `begin` and `end` is that of the copies
// alone.
#include "bench/device/cuda/copies.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "bench/device/copy_pattern.hpp"
#include "bench/device/cuda/call.hpp"
#include "bench/device/cuda/chase.hpp"
#include "bench/device/cuda/copy_kernel.hpp"
#include "bench/device/cuda/copy_parts.hpp"
#include "bench/device/cuda/handles.hpp"
#include "bench/device/cuda/names.hpp"
#include "bench/device/cuda/timed_run.hpp"

namespace railgauge::cuda {
namespace {

// A device that runs copies, fills memory of its own or compares it.
struct Worker {
  explicit Worker(int number_of_device) : device(number_of_device) {
    use(device);
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute of " + name_of(device));
    check(measure_copy_grid(blocks, multiprocessors), "cudaOccupancyMaxActiveBlocksPerMultiprocessor on " + name_of(device));
    stream = make_stream(device);
    done = make_event(device);
    found = allocate(sizeof(Differences), device);
  }

  // Its memory; returns when it is done.
  void fill(std::byte* memory, std::size_t bytes, std::uint64_t seed, std::uint64_t change) const {
    reuse(device);
    expect(launch_fill(memory, bytes, seed, change, blocks, stream.get()), "the launch of a kernel that writes", device);
    finish("write its memory");
  }
  [[nodiscard]] std::optional<CopyMistake> compare(const std::byte* memory, std::size_t bytes, std::uint64_t seed) const {
    reuse(device);
    Differences differences;
    auto* const there = reinterpret_cast<Differences*>(found.get());
    expect(cudaMemcpyAsync(there, &differences, sizeof differences, cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync",
           device);
    expect(launch_compare(memory, bytes, seed, there, blocks, stream.get()), "the launch of a kernel that compares", device);
    finish("compare its memory");
    expect(cudaMemcpy(&differences, there, sizeof differences, cudaMemcpyDeviceToHost), "cudaMemcpy", device);
    if (differences.wrong == 0) return std::nullopt;
    CopyMistake mistake{
        .byte = differences.first, .expected = copy_pattern::byte_of(seed, differences.first), .wrong = differences.wrong};
    expect(cudaMemcpy(&mistake.got, memory + differences.first, 1, cudaMemcpyDeviceToHost), "cudaMemcpy", device);
    return mistake;
  }

  int device;
  unsigned blocks = 1;
  Stream stream;
  Event done;
  DeviceMemory found;

 private:
  void finish(const char* what) const {
    expect(cudaEventRecord(done.get(), stream.get()), "cudaEventRecord", device);
    await(done.get(), what, device);
  }
};

// An end with its memory: of a GPU, or of the host, pinned.
class EndMemory {
 public:
  // `other`: the device at the other end, for which memory of the host is pinned.
  EndMemory(const CopyEnd& end, int other, std::size_t bytes, bool both_ways) : device_(end.device), bytes_(bytes) {
    if (device_ < 0) {
      use(other);
      pinned_ = pin(end.host, end.node, other);
      memory_ = end.host.data();
    } else {
      worker_ = std::make_unique<Worker>(device_);
      owned_ = allocate(end_bytes(bytes, both_ways), device_);
      memory_ = owned_.get();
    }
  }

  [[nodiscard]] bool host() const { return device_ < 0; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const Worker& worker() const { return *worker_; }
  // The buffer of a direction, as the host and as copy engines call it.
  [[nodiscard]] std::byte* buffer(bool back) const { return memory_ + (back ? copy_stride(bytes_) : 0); }
  // The same as kernels of device `reader`, which is the current one, call it.
  [[nodiscard]] std::byte* mapped(bool back, int reader) const {
    if (!host()) return buffer(back);
    return cuda::mapped(memory_, reader) + (back ? copy_stride(bytes_) : 0);
  }

  void fill(bool back, std::uint64_t change) const {
    const std::uint64_t seed = copy_pattern::seed_of(back);
    if (host())
      copy_pattern::fill(Bytes(buffer(back), bytes_), seed, change);
    else
      worker_->fill(buffer(back), bytes_, seed, change);
  }
  [[nodiscard]] std::optional<CopyMistake> compare(bool back) const {
    const std::uint64_t seed = copy_pattern::seed_of(back);
    std::optional<CopyMistake> mistake =
        host() ? copy_pattern::compare(ConstBytes(buffer(back), bytes_), seed) : worker_->compare(buffer(back), bytes_, seed);
    if (mistake) mistake->back = back;
    return mistake;
  }

 private:
  int device_;
  std::size_t bytes_;
  std::byte* memory_ = nullptr;
  Pinned pinned_;
  DeviceMemory owned_;
  std::unique_ptr<Worker> worker_;
};

// The copies of one direction, and the device that runs them.
struct StreamedCopy {
  int device = 0;
  unsigned blocks = 1;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  Stream stream;
};

// What a copy works with.
struct CopyParts {
  std::unique_ptr<EndMemory> from, to;
  std::vector<StreamedCopy> lanes;
  Event back_done;
  TimedRun run;
};

class CudaCopy final : public CopyJob {
 public:
  explicit CudaCopy(const CopyOrder& order) : order_(order) {
    parts_->from = std::make_unique<EndMemory>(order.from, order.to.device, order.bytes, order.both_ways);
    parts_->to = std::make_unique<EndMemory>(order.to, order.from.device, order.bytes, order.both_ways);
    std::vector<StreamedCopy>& lanes = parts_->lanes;
    lanes.push_back(make_lane(false));
    if (order.both_ways) lanes.push_back(make_lane(true));
    use(lanes.front().device);
    parts_->run.prepare(lanes.front().device);
    if (order.both_ways) {
      use(lanes.back().device);
      parts_->back_done = make_event(lanes.back().device);
    }
    from().fill(false, copy_pattern::right);
    if (order.both_ways) to().fill(true, copy_pattern::right);
  }

  void start() override {
    const StreamedCopy& first = parts_->lanes.front();
    parts_->run.start(first.stream.get(), [&] {
      run(first);
      if (parts_->lanes.size() == 1) return;
      const StreamedCopy& second = parts_->lanes.back();
      reuse(second.device);
      expect(cudaStreamWaitEvent(second.stream.get(), parts_->run.begin(), 0), "cudaStreamWaitEvent", second.device);
      run(second);
      expect(cudaEventRecord(parts_->back_done.get(), second.stream.get()), "cudaEventRecord", second.device);
      reuse(first.device);
      expect(cudaStreamWaitEvent(first.stream.get(), parts_->back_done.get(), 0), "cudaStreamWaitEvent", first.device);
    });
  }
  bool test() override { return parts_->run.test(); }

  void restore() override {
    to().fill(false, copy_pattern::spoilt);
    if (order_.both_ways) from().fill(true, copy_pattern::spoilt);
  }
  [[nodiscard]] std::optional<CopyMistake> check() override {
    std::optional<CopyMistake> mistake = to().compare(false);
    return mistake || !order_.both_ways ? mistake : from().compare(true);
  }
  [[nodiscard]] std::optional<Seconds> device_time() override { return parts_->run.time(); }

 private:
  [[nodiscard]] const EndMemory& from() const { return *parts_->from; }
  [[nodiscard]] const EndMemory& to() const { return *parts_->to; }
  [[nodiscard]] StreamedCopy make_lane(bool back) const {
    const EndMemory& source = back ? to() : from();
    const EndMemory& target = back ? from() : to();
    const bool by_target = source.host() || (!target.host() && order_.reads);
    const EndMemory& runner = by_target ? target : source;
    StreamedCopy lane;
    lane.device = runner.device();
    lane.blocks = runner.worker().blocks;
    use(lane.device);
    lane.stream = make_stream(lane.device);
    const bool kernel = order_.mover == CopyMover::kernel;
    lane.from = kernel ? source.mapped(back, lane.device) : source.buffer(back);
    lane.to = kernel ? target.mapped(back, lane.device) : target.buffer(back);
    return lane;
  }

  // In the stream of the current device.
  void run(const StreamedCopy& lane) const {
    for (std::uint64_t copy = 0; copy < order_.copies; ++copy) {
      if (order_.mover == CopyMover::engine)
        expect(cudaMemcpyAsync(lane.to, lane.from, order_.bytes, cudaMemcpyDefault, lane.stream.get()), "cudaMemcpyAsync",
               lane.device);
      else
        expect(launch_copy(lane.from, lane.to, order_.bytes, lane.blocks, lane.stream.get()),
               "the launch of a kernel that copies", lane.device);
    }
  }

  CopyOrder order_;
  Lasting<CopyParts> parts_;
};

MadeCopy make(const CopyOrder& order) {
  const int from = order.from.device, to = order.to.device;
  if (from < 0 && to < 0) throw Error(Fault::usage, "copies within the host are not a GPU's");
  bool staged = false;
  if (from >= 0 && to >= 0 && from != to) {
    staged = !can_reach(from, to) || !can_reach(to, from);
    if (staged && order.mover == CopyMover::kernel)
      throw Error(
          Fault::usage,
          fmt::format("{} and {} cannot reach each other's memory (cudaDeviceCanAccessPeer says no), so that no kernel can "
                      "copy between them; their copy engines can, through memory of the host",
                      name_of(from), name_of(to)));
    if (!staged) {
      reach(from, to);
      reach(to, from);
    }
  }
  return {std::make_unique<CudaCopy>(order), staged};
}

// -1 where the kernel does not say.
int node_of(const std::string& pci_address) {
  std::ifstream file("/sys/bus/pci/devices/" + pci_address + "/numa_node");
  int node = -1;
  file >> node;
  return file ? node : -1;
}

std::vector<CopyMemory> memories() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<CopyMemory> all;
  for (int number = 0; number < count; ++number) {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, number), "cudaGetDeviceProperties of " + name_of(number));
    const std::string address = pci_address_of(device);
    all.push_back({.name = name_of(number),
                   .summary = description_of(device),
                   .keys = {uuid_of(device), address},
                   .node = node_of(address),
                   .cache_bytes = static_cast<std::size_t>(std::max(device.l2CacheSize, 0))});
  }
  return all;
}

}  // namespace

const CopyTable& copies() {
  static const CopyTable table{
      .name = "cuda", .movers = {CopyMover::engine, CopyMover::kernel}, .memories = memories, .make = make, .chase = chase};
  return table;
}

}  // namespace railgauge::cuda
