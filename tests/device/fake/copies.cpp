// A copy is done when somebody has asked for it twice, as one of a GPU is done later.
#include "tests/device/fake/copies.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/device/chase.hpp"
#include "bench/device/copy_pattern.hpp"
#include "tests/device/fake/hidden.hpp"

namespace railgauge::test {
namespace {

bool broken(std::string_view how) {
  const char* const fault = std::getenv("FAKE_COPY");
  return fault != nullptr && how == fault;
}

// The buffers of an end; those of a device are hidden.
class EndMemory {
 public:
  EndMemory(const CopyEnd& end, std::size_t bytes, bool both_ways)
      : device_(end.device), bytes_(bytes), memory_(end.host.data()) {
    const std::size_t all = end_bytes(bytes, both_ways);
    if (device_ < 0) {
      if (end.host.size() != all) throw Error(Fault::usage, fmt::format("numa{} was given {} bytes", end.node, end.host.size()));
      return;
    }
    if (device_ == 1 && broken("memory"))
      throw Error(Fault::usage, fmt::format("cudaMalloc of {} on cuda:1: out of memory (fake)", format_bytes(all)));
    memory_ = hidden().add(all);
  }
  EndMemory(const EndMemory&) = delete;
  EndMemory& operator=(const EndMemory&) = delete;
  ~EndMemory() {
    if (device_ >= 0) hidden().remove(memory_);
  }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] Bytes buffer(bool back) const { return hidden().real(Bytes(memory_ + (back ? copy_stride(bytes_) : 0), bytes_)); }

 private:
  int device_;
  std::size_t bytes_;
  std::byte* memory_;
};

class FakeCopy final : public CopyJob {
 public:
  explicit FakeCopy(const CopyOrder& order)
      : order_(order), from_(order.from, order.bytes, order.both_ways), to_(order.to, order.bytes, order.both_ways) {
    copy_pattern::fill(from_.buffer(false), copy_pattern::seed_of(false), copy_pattern::right);
    if (order.both_ways) copy_pattern::fill(to_.buffer(true), copy_pattern::seed_of(true), copy_pattern::right);
  }

  void start() override {
    if (++starts_ == 2 && broken("lost"))
      throw Error(Fault::lost, "cudaMemcpyAsync on cuda:0: the device fell off the bus (fake)");
    asked_ = 0;
  }
  bool test() override {
    if (++asked_ < 2) return false;
    run(from_, to_, false);
    if (order_.both_ways) run(to_, from_, true);
    return true;
  }
  void restore() override {
    copy_pattern::fill(to_.buffer(false), copy_pattern::seed_of(false), copy_pattern::spoilt);
    if (order_.both_ways) copy_pattern::fill(from_.buffer(true), copy_pattern::seed_of(true), copy_pattern::spoilt);
  }
  [[nodiscard]] std::optional<CopyMistake> check() override {
    if (auto mistake = copy_pattern::compare(to_.buffer(false), copy_pattern::seed_of(false))) return mistake;
    if (!order_.both_ways) return std::nullopt;
    auto mistake = copy_pattern::compare(from_.buffer(true), copy_pattern::seed_of(true));
    if (mistake) mistake->back = true;
    return mistake;
  }
  [[nodiscard]] std::optional<Seconds> device_time() override {
    const bool host = from_.device() < 0 || to_.device() < 0;
    const double rate = host ? 10e9 : from_.device() == to_.device() ? 1000e9 : 100e9;
    const bool slow = broken("slow") && (to_.device() == 1 || (order_.both_ways && from_.device() == 1));
    return Seconds(static_cast<double>(order_.bytes * order_.copies) / rate * (slow ? 4 : 1));
  }

 private:
  void run(const EndMemory& source, const EndMemory& target, bool back) const {
    const Bytes from = source.buffer(back), to = target.buffer(back);
    std::memcpy(to.data(), from.data(), from.size());
    if (target.device() == 1 && broken("wrong")) to.back() ^= std::byte{1};
  }

  CopyOrder order_;
  EndMemory from_, to_;
  int starts_ = 0, asked_ = 0;
};

// Follows the pointers for real, through the hidden memory.
class FakeChase final : public ChaseJob {
 public:
  explicit FakeChase(const ChaseOrder& order)
      : memory_(order.memory, order.bytes, false), reader_(order.reader.device), order_(order), walked_(order) {
    chain::write(memory_.buffer(false));
  }
  void start() override {
    walked_.start();
    asked_ = 0;
  }
  bool test() override {
    if (++asked_ < 2) return false;
    const Bytes memory = memory_.buffer(false);
    for (std::uint64_t step = 0; step < order_.steps; ++step) std::memcpy(&at_, memory.data() + at_, sizeof at_);
    if (reader_ == 1 && broken("wrong")) at_ ^= chain::stretch;
    return true;
  }
  [[nodiscard]] std::optional<ChaseMistake> check() override { return walked_.check(at_); }
  [[nodiscard]] std::optional<Seconds> device_time() override {
    const double load = memory_.device() < 0 ? 1000e-9 : memory_.device() == reader_ ? 300e-9 : 700e-9;
    return Seconds(load * static_cast<double>(order_.steps) * (broken("slow") && reader_ == 1 ? 4 : 1));
  }

 private:
  EndMemory memory_;
  int reader_;
  ChaseOrder order_;
  Walked walked_;
  std::uint64_t at_ = 0;
  int asked_ = 0;
};

std::vector<CopyMemory> memories() {
  return {{.name = "cuda:0", .summary = "NVIDIA fake, GPU-0", .keys = {"GPU-0"}, .node = 0, .cache_bytes = 1024},
          {.name = "cuda:1", .summary = "NVIDIA fake, GPU-1", .keys = {"GPU-1"}, .node = 0, .cache_bytes = 1024}};
}

MadeCopy make(const CopyOrder& order) {
  const bool staged = broken("apart") && order.from.device >= 0 && order.to.device >= 0 && order.from.device != order.to.device;
  if (staged && order.mover == CopyMover::kernel)
    throw Error(Fault::usage, "cuda:0 and cuda:1 cannot reach each other's memory (fake)");
  return {std::make_unique<FakeCopy>(order), staged};
}

std::unique_ptr<ChaseJob> chase(const ChaseOrder& order) {
  if (broken("apart") && order.memory.device >= 0 && order.memory.device != order.reader.device)
    throw Error(Fault::usage, "cuda:0 and cuda:1 cannot reach each other's memory (fake)");
  return std::make_unique<FakeChase>(order);
}

}  // namespace

const CopyTable& fake_copies() {
  static const CopyTable table{
      .name = "cuda", .movers = {CopyMover::engine, CopyMover::kernel}, .memories = memories, .make = make, .chase = chase};
  return table;
}

}  // namespace railgauge::test
