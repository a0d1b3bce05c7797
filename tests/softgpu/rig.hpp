// A device of the software GPU with its memory, for tests of the machine itself.
#pragma once

#include <sys/mman.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/softgpu/machine/grid.hpp"
#include "tests/test.hpp"

namespace softgpu::test {

// Memory of a run: shared with processes that are forked later.
class Segment {
 public:
  Segment() : Segment(World::bytes) {}
  explicit Segment(std::size_t size) : size_(size) {
    void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    data_ = static_cast<std::byte*>(mapped);
  }
  ~Segment() { munmap(data_, size_); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::size_t size_;
  std::byte* data_ = nullptr;
};

inline Limits few_multiprocessors(std::uint32_t count) {
  Limits limits;
  limits.multiprocessors = count;
  return limits;
}

struct Rig {
  Segment segment;
  World world{segment.data()};
  Findings findings;
  Memory memory{world, findings};
  Device device;
  Random random;
  Actor host{world}, stream{world};

  explicit Rig(std::uint64_t seed, const Limits& limits = few_multiprocessors(2))
      : device(world, memory, 0, limits), random(seed) {}

  void write(const void* address, std::size_t bytes) { memory.write(host, address, bytes, Operation::copy); }

  // Runs until it ends. A grid that is stuck ends as a deadlock.
  void run(const Launch& launch) {
    stream.acquire(host.release());
    Grid grid(device, stream, launch, random);
    while (grid.advance() == State::running)
      if (grid.stuck()) grid.give_up();
    host.acquire(stream.release());
  }

  [[nodiscard]] std::string said() const {
    std::string text;
    for (const Finding& finding : findings.all()) text += sentence(finding) + "\n";
    return text;
  }
};

// Memory of a device that lies `offset` bytes behind a multiple of 256, with a gap behind it.
class Buffer {
 public:
  Buffer(Rig& rig, std::size_t bytes, std::size_t offset = 0, std::string label = "a buffer")
      : rig_(rig), bytes_(bytes), words_((bytes + offset + 1024) / 8) {
    const auto base = (reinterpret_cast<std::uintptr_t>(words_.data()) + 255) / 256 * 256 + offset;
    data_ = reinterpret_cast<std::byte*>(base);
    Allocation allocation;
    allocation.base = base;
    allocation.bytes = bytes;
    allocation.label = std::move(label);
    rig.memory.add(allocation);
  }
  ~Buffer() { rig_.memory.forget(reinterpret_cast<std::uintptr_t>(data_)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, bytes_}; }
  // As a copy from the host.
  void fill(std::span<const std::byte> with) {
    std::memcpy(data_, with.data(), with.size());
    rig_.write(data_, with.size());
  }

 private:
  Rig& rig_;
  std::size_t bytes_;
  std::vector<std::uint64_t> words_;
  std::byte* data_ = nullptr;
};

// Arguments of a kernel, laid out as it takes them.
class Arguments {
 public:
  template <class... Values>
  explicit Arguments(const Values&... values) {
    (add(values), ...);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  template <class Value>
  void add(const Value& value) {
    bytes_.resize((bytes_.size() + alignof(Value) - 1) / alignof(Value) * alignof(Value) + sizeof value);
    std::memcpy(bytes_.data() + bytes_.size() - sizeof value, &value, sizeof value);
  }
  std::vector<std::byte> bytes_;
};

inline const Kernel& kernel(const std::string& name) {
  const Kernel* const found = find_kernel(name);
  INFO(name);
  REQUIRE(found != nullptr);
  return *found;
}

// How often, from the environment or as given. Never 0: a test that does nothing would pass.
inline std::uint64_t rounds(const char* variable, std::uint64_t otherwise) {
  const char* const given = std::getenv(variable);
  if (given == nullptr) return otherwise;
  const std::string_view text = given;
  std::uint64_t count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault != std::errc() || end != text.data() + text.size() || count == 0)
    FAIL(variable << " is \"" << text << "\": give a whole number from 1 on");
  return count;
}

}  // namespace softgpu::test
