// The kinds of work. Addresses are those of this process; whoever puts a work in has found that they are valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/softgpu/engine/host_functions.hpp"
#include "tests/softgpu/engine/machine.hpp"
#include "tests/softgpu/engine/work.hpp"
#include "tests/softgpu/machine/grid.hpp"

namespace softgpu {

// A place in a stream: of an event, of a wait for another stream.
class Passing final : public Work {
 public:
  [[nodiscard]] Turn advance(Actor&, Draw&) override { return Turn::over; }
};
[[nodiscard]] inline std::unique_ptr<Work> passing() { return std::make_unique<Passing>(); }

// What is copied. `known`: whether the machine knows the memory, or it is ordinary memory of the host.
struct CopyEnds {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  bool to_known, from_known;
};

// In slices, from either end.
class CopyWork final : public Work {
 public:
  CopyWork(Memory& memory, const CopyEnds& ends) : memory_(memory), ends_(ends) {}
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override;

 private:
  Memory& memory_;
  CopyEnds ends_;
  std::size_t copied_ = 0;
  bool begun_ = false, backward_ = false;
};

// Of what was in the host's pageable memory when the call was made.
class StagedCopy final : public Work {
 public:
  StagedCopy(Memory& memory, const CopyEnds& ends)
      : staged_(ends.from, ends.from + ends.bytes), copy_(memory, {ends.to, staged_.data(), ends.bytes, ends.to_known, false}) {}
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override { return copy_.advance(actor, draw); }

 private:
  std::vector<std::byte> staged_;
  CopyWork copy_;
};

class FillWork final : public Work {
 public:
  FillWork(Memory& memory, std::byte* to, int value, std::size_t bytes)
      : memory_(memory), to_(to), value_(value), bytes_(bytes) {}
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override;

 private:
  Memory& memory_;
  std::byte* to_;
  int value_;
  std::size_t bytes_, filled_ = 0;
};

// Function of the host: one runs at a time, in a thread of its own.
class HostWork final : public Work {
 public:
  HostWork(HostFunctions& functions, void (*function)(void*), void* argument)
      : functions_(functions), function_(function), argument_(argument) {}
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override;

 private:
  HostFunctions& functions_;
  void (*function_)(void*);
  void* argument_;
  std::shared_ptr<std::atomic<bool>> done_;
};

// cuStreamWaitValue
class ValueWait final : public Work {
 public:
  ValueWait(Memory& memory, const std::byte* address, std::uint64_t value, unsigned bytes, unsigned flags)
      : memory_(memory), address_(address), value_(value), bytes_(bytes), flags_(flags) {}
  [[nodiscard]] bool can_begin() override;
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override;

 private:
  [[nodiscard]] bool is_met(std::uint64_t seen) const;
  Memory& memory_;
  const std::byte* address_;
  std::uint64_t value_;
  unsigned bytes_, flags_;
};

// cuStreamWriteValue
class ValueWrite final : public Work {
 public:
  ValueWrite(Memory& memory, std::byte* address, std::uint64_t value, unsigned bytes)
      : memory_(memory), address_(address), value_(value), bytes_(bytes) {}
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override;

 private:
  Memory& memory_;
  std::byte* address_;
  std::uint64_t value_;
  unsigned bytes_;
};

class KernelWork final : public Work {
 public:
  struct Shape {
    const Kernel* kernel = nullptr;
    Extent grid{}, block{};
    std::uint32_t dynamic_shared = 0;
    bool checked = true, counts = false;
  };
  KernelWork(Device& device, const Shape& shape, std::vector<std::byte> parameters)
      : device_(device), shape_(shape), parameters_(std::move(parameters)) {}
  [[nodiscard]] Turn advance(Actor& actor, Draw& draw) override;
  [[nodiscard]] bool give_up() override;

 private:
  Device& device_;
  Shape shape_;
  std::vector<std::byte> parameters_;
  std::unique_ptr<Grid> grid_;
};

}  // namespace softgpu
