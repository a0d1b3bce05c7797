// Registered memory for single numbers: those that peers write here, and those that this rank sends.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transports/verbs/port.hpp"

namespace railgauge::verbs {

struct Counter {
  std::uint64_t* value = nullptr;
  std::uint32_t local_key = 0, remote_key = 0;

  // As the device last wrote it.
  [[nodiscard]] std::uint64_t load() const noexcept { return std::atomic_ref(*value).load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(value); }
};

// Hands out counters that are zero, and keeps all of them until it goes: a peer may write one late.
class Counters {
 public:
  explicit Counters(const Port& port) : port_(port) {}
  [[nodiscard]] Counter take();

 private:
  struct alignas(64) Page {
    std::array<std::uint64_t, 1024> values{};
  };
  struct Slab {
    std::unique_ptr<Page> page;
    Memory memory;  // goes first
  };

  const Port& port_;
  std::vector<Slab> slabs_;
  std::size_t used_ = 0;  // of the last slab
};

}  // namespace railgauge::verbs
