// A device cuda for machines without one: memory that the host must not touch, since it is mapped without any right at the
// address that the device gives, and kernels that come late. What reads or writes the buffers beside the device ends by SIGSEGV.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>

#include "bench/device/table.hpp"
#include "tests/plan/late_compute.hpp"

namespace railgauge {
namespace {

// Where hidden memory can be read and written, by where it seems to be.
class Hidden {
 public:
  std::byte* add(std::size_t bytes) {
    const int fd = memfd_create("fake_device", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) fail("memfd_create");
    void* const real = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void* const shown = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, fd, 0);
    close(fd);
    if (real == MAP_FAILED || shown == MAP_FAILED) fail("mmap");
    const std::scoped_lock lock(mutex_);
    places_[static_cast<std::byte*>(shown)] = {static_cast<std::byte*>(real), bytes};
    return static_cast<std::byte*>(shown);
  }
  void remove(std::byte* shown) {
    const std::scoped_lock lock(mutex_);
    const auto found = places_.find(shown);
    munmap(found->second.real, found->second.bytes);
    munmap(shown, found->second.bytes);
    places_.erase(found);
  }
  template <class Byte>
  std::span<Byte> real(std::span<Byte> bytes) {
    const std::scoped_lock lock(mutex_);
    auto after = places_.upper_bound(const_cast<std::byte*>(bytes.data()));
    if (after == places_.begin()) return bytes;
    const auto& [shown, place] = *--after;
    const auto offset = static_cast<std::size_t>(bytes.data() - shown);
    return offset < place.bytes ? std::span<Byte>(place.real + offset, bytes.size()) : bytes;
  }

 private:
  struct Place {
    std::byte* real;
    std::size_t bytes;
  };
  [[noreturn]] static void fail(const char* call) { throw std::system_error(errno, std::generic_category(), call); }
  std::mutex mutex_;
  std::map<std::byte*, Place> places_;
};
Hidden hidden;

class HiddenCompute final : public Compute {
 public:
  explicit HiddenCompute(std::unique_ptr<Compute> host) : host_(std::move(host)) {}
  void copy(ConstBytes from, Bytes to) override { host_->copy(hidden.real(from), hidden.real(to)); }
  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    std::vector<ConstBytes> from;
    for (const ConstBytes& source : sources) from.push_back(hidden.real(source));
    std::vector<Bytes> to;
    for (const Bytes& target : targets) to.push_back(hidden.real(target));
    host_->reduce(from, to, scale);
  }
  [[nodiscard]] void* stream() const override { return nullptr; }
  [[nodiscard]] std::uint64_t mark() override { return 0; }
  [[nodiscard]] bool reached(std::uint64_t) override { return true; }

 private:
  std::unique_ptr<Compute> host_;
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(MemoryKind kind) : kind_(kind) {}
  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] Memory allocate(std::size_t bytes, Sharing sharing) override {
    if (kind_ != MemoryKind::cuda) {
      auto memory = std::make_shared<Memory>(host_->allocate(bytes, sharing));
      Region region = memory->region();
      region.kind = kind_;
      return {region, [memory](const Region&) mutable { memory.reset(); }};
    }
    return {{.address = hidden.add(bytes), .bytes = bytes, .kind = kind_},
            [](const Region& region) { hidden.remove(region.address); }};
  }
  [[nodiscard]] Memory pin(const Region& host) override { return {host, nullptr}; }
  [[nodiscard]] std::unique_ptr<Compute> compute(Type type, Op op) override {
    return std::make_unique<test::LateCompute>(std::make_unique<HiddenCompute>(host_->compute(type, op)));
  }

 private:
  MemoryKind kind_;
  std::unique_ptr<Device> host_ = make_host_device();
};

// As a driver does: a process that was forked from one that has asked is refused.
const char* missing() noexcept {
  static const pid_t asked = getpid();
  return asked == getpid() ? "" : "this process was forked after the driver was asked";
}
std::vector<DeviceRow> list() { return {{"cuda:0", "NVIDIA fake, GPU-0"}, {"cuda:1", "NVIDIA fake, GPU-1"}}; }
std::unique_ptr<Device> open(int, MemoryKind kind) { return std::make_unique<FakeDevice>(kind); }

}  // namespace
}  // namespace railgauge

extern "C" [[gnu::visibility("default")]] const railgauge::DeviceTable* railgauge_device() {
  static const railgauge::DeviceTable table{.abi = railgauge::plugin_abi,
                                            .name = "cuda",
                                            .missing = railgauge::missing,
                                            .list = railgauge::list,
                                            .open = railgauge::open};
  return &table;
}
