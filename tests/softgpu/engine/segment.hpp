// Memory of a GPU that other processes can map: a file without a name, which ends with the last process that has it.
//
//   | data, in whole pages | shadow of the machine | facts |
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tests/softgpu/engine/descriptors.hpp"

namespace softgpu {

inline constexpr std::size_t page = 4096;
[[nodiscard]] constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

// Nobody promises what memory holds at first: of much of it, so that its ends show who relies on it.
void spoil(std::byte* memory, std::size_t bytes);

// What all that map a segment know of it.
struct SegmentFacts {
  std::uint64_t magic = 0x736f6674677075;
  std::uint64_t bytes = 0, offset = 0;  // of the data; where it begins within the first page
  std::uint64_t number = 0;             // no other segment has it
  std::int32_t physical = 0;            // GPU
  std::uint32_t exportable = 0;         // bits of CUmemAllocationHandleType
  std::uint32_t for_cards = 1;          // whether a network card may be given it
};

class Segment {
 public:
  // Null when the machine has no memory or descriptors left. Zeroed.
  static std::shared_ptr<Segment> make(SegmentFacts facts);
  // Null when the descriptor is of no segment.
  static std::shared_ptr<Segment> open(Descriptor descriptor);

  [[nodiscard]] int fd() const { return descriptor_.get(); }
  [[nodiscard]] const SegmentFacts& facts() const { return facts_; }
  [[nodiscard]] std::size_t data_bytes() const { return whole_pages(facts_.offset + facts_.bytes); }
  [[nodiscard]] std::size_t shadow_bytes() const;

 private:
  Segment(Descriptor descriptor, const SegmentFacts& facts) : descriptor_(std::move(descriptor)), facts_(facts) {}
  Descriptor descriptor_;
  SegmentFacts facts_;
};

// Addresses of this process. Given back at the end, where the owner does not keep them.
class Mapped {
 public:
  Mapped() = default;
  // Null address() when it fails. Without a descriptor: addresses that nothing may touch.
  explicit Mapped(std::size_t bytes, int fd = -1, std::size_t offset = 0);
  ~Mapped();
  Mapped(Mapped&& other) noexcept;
  Mapped& operator=(Mapped&& other) noexcept;
  [[nodiscard]] std::byte* address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace softgpu
