// Copies between NUMA nodes: one core for each direction.
#include "bench/device/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/error.hpp"
#include "bench/device/chase.hpp"
#include "bench/device/copy_pattern.hpp"
#include "bench/device/host/caches.hpp"
#include "bench/device/host/numa.hpp"

namespace railgauge {
namespace {

// The copies of one direction: from where to where, and how many.
struct DirectedCopy {
  Bytes from, to;
  std::uint64_t copies = 1;
  bool back = false;

  void run(Compute& compute) const {
    for (std::uint64_t copy = 0; copy < copies; ++copy) compute.copy(from, to);
  }
};

// Runs one direction in a thread of its own, on a core of its own.
class Companion {
 public:
  Companion(const DirectedCopy& copy, int core, std::unique_ptr<Compute> compute)
      : copy_(copy), compute_(std::move(compute)), thread_([this, core] { live(core); }) {}
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion() {
    begin(last);
    thread_.join();
  }
  void start() { begin(begun_.load(std::memory_order_relaxed) + 1); }
  [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire) == begun_.load(std::memory_order_relaxed); }
  // Whether it runs where it should: the thread answers once, before it copies anything.
  [[nodiscard]] std::string refusal() const {
    settled_.wait(false);
    return refusal_;
  }

 private:
  static constexpr std::uint64_t last = ~std::uint64_t{0};

  void begin(std::uint64_t turn) {
    begun_.store(turn, std::memory_order_release);
    begun_.notify_one();
  }
  void live(int core) {
    try {
      const host::OnCore bound(core);
      settle();
      for (std::uint64_t done = 0;; done_.store(done, std::memory_order_release)) {
        begun_.wait(done);
        done = begun_.load(std::memory_order_acquire);
        if (done == last) return;
        copy_.run(*compute_);
      }
    } catch (const Error& error) {
      refusal_ = error.what();
      settle();
    }
  }
  void settle() {
    settled_.store(true, std::memory_order_release);
    settled_.notify_one();
  }

  DirectedCopy copy_;
  std::unique_ptr<Compute> compute_;
  std::string refusal_;
  std::atomic<bool> settled_{false};
  std::atomic<std::uint64_t> begun_{0}, done_{0};
  std::thread thread_;  // the last member: it uses the others
};

// Found before a thread is bound to one of them, after which it may use no other.
struct Cores {
  int forward = -1, back = -1;
  explicit Cores(const CopyOrder& order) : forward(host::core_on(order.reads ? order.to.node : order.from.node)) {
    if (order.both_ways) back = host::core_on(order.reads ? order.from.node : order.to.node, forward);
  }
};

class HostCopy final : public CopyJob {
 public:
  explicit HostCopy(const CopyOrder& order)
      : device_(make_host_device()),
        forward_{order.from.host.first(order.bytes), order.to.host.first(order.bytes), order.copies, false},
        cores_(order),
        bound_(cores_.forward),
        compute_(device_->compute(Type::uint8, Op::none)) {
    fill(forward_);
    if (!order.both_ways) return;
    const std::size_t second = copy_stride(order.bytes);
    back_ = DirectedCopy{order.to.host.subspan(second, order.bytes), order.from.host.subspan(second, order.bytes), order.copies,
                         true};
    fill(*back_);
    companion_ = std::make_unique<Companion>(*back_, cores_.back, device_->compute(Type::uint8, Op::none));
    if (const std::string refusal = companion_->refusal(); !refusal.empty()) throw Error(Fault::usage, refusal);
  }

  void start() override {
    if (companion_) companion_->start();
    forward_.run(*compute_);
  }
  bool test() override { return !companion_ || companion_->done(); }
  void restore() override {
    copy_pattern::fill(forward_.to, copy_pattern::seed_of(false), copy_pattern::spoilt);
    if (back_) copy_pattern::fill(back_->to, copy_pattern::seed_of(true), copy_pattern::spoilt);
  }
  [[nodiscard]] std::optional<CopyMistake> check() override {
    if (auto mistake = copy_pattern::compare(forward_.to, copy_pattern::seed_of(false))) return mistake;
    if (!back_) return std::nullopt;
    auto mistake = copy_pattern::compare(back_->to, copy_pattern::seed_of(true));
    if (mistake) mistake->back = true;
    return mistake;
  }
  [[nodiscard]] std::optional<Seconds> device_time() override { return std::nullopt; }

 private:
  static void fill(const DirectedCopy& copy) {
    copy_pattern::fill(copy.from, copy_pattern::seed_of(copy.back), copy_pattern::right);
  }

  std::unique_ptr<Device> device_;
  DirectedCopy forward_;
  Cores cores_;
  host::OnCore bound_;
  std::unique_ptr<Compute> compute_;
  std::optional<DirectedCopy> back_;
  std::unique_ptr<Companion> companion_;
};

std::vector<CopyMemory> memories() {
  std::vector<CopyMemory> all;
  for (const host::NumaNode& node : host::numa_nodes()) {
    const std::string name = fmt::format("numa{}", node.number);
    const std::string size = node.bytes == 0 ? "memory" : fmt::format("{:.1f} GiB", static_cast<double>(node.bytes) / (1 << 30));
    all.push_back(
        {.name = name,
         .summary = fmt::format("{} of the host, {} thread{}", size, node.cores.size(), node.cores.size() == 1 ? "" : "s"),
         .keys = {name},
         .node = node.number,
         .cache_bytes = host::last_level_share() * std::max<std::size_t>(node.cores.size(), 1)});
  }
  return all;
}

MadeCopy make(const CopyOrder& order) { return {std::make_unique<HostCopy>(order), false}; }

}  // namespace

const CopyTable& host_copies() {
  static const CopyTable table{
      .name = "host", .movers = {CopyMover::kernel}, .memories = memories, .make = make, .chase = host_chase};
  return table;
}

}  // namespace railgauge
