// Makes, opens and maps segments.
#include "tests/softgpu/engine/segment.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/softgpu/machine/memory.hpp"

namespace softgpu {
namespace {

std::size_t all_bytes(const SegmentFacts& facts) {
  return whole_pages(facts.offset + facts.bytes) + whole_pages(Memory::shadow_bytes(facts.bytes));
}

}  // namespace

void spoil(std::byte* memory, std::size_t bytes) {
  constexpr std::size_t filled = std::size_t{64} << 20;
  constexpr int nobody_promised = 0xdb;
  const std::size_t part = std::min(bytes, filled);
  std::memset(memory, nobody_promised, part);
  std::memset(memory + (bytes - part), nobody_promised, part);
}

std::shared_ptr<Segment> Segment::make(SegmentFacts facts) {
  Descriptor file(memfd_create("softgpu", MFD_CLOEXEC));
  const std::size_t before = all_bytes(facts);
  struct stat status{};
  if (file.get() >= 0 && fstat(file.get(), &status) == 0) facts.number = status.st_ino;
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(before + page)) != 0) return nullptr;
  if (pwrite(file.get(), &facts, sizeof facts, static_cast<off_t>(before)) != static_cast<ssize_t>(sizeof facts)) return nullptr;
  return std::shared_ptr<Segment>(new Segment(std::move(file), facts));
}

std::shared_ptr<Segment> Segment::open(Descriptor descriptor) {
  struct stat status{};
  SegmentFacts facts, expected;
  if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0 || status.st_size < static_cast<off_t>(2 * page))
    return nullptr;
  const off_t before = status.st_size - static_cast<off_t>(page);
  if (pread(descriptor.get(), &facts, sizeof facts, before) != static_cast<ssize_t>(sizeof facts)) return nullptr;
  if (facts.magic != expected.magic || all_bytes(facts) != static_cast<std::size_t>(before)) return nullptr;
  return std::shared_ptr<Segment>(new Segment(std::move(descriptor), facts));
}

std::size_t Segment::shadow_bytes() const { return whole_pages(Memory::shadow_bytes(facts_.bytes)); }

Mapped::Mapped(std::size_t bytes, int fd, std::size_t offset) : bytes_(bytes) {
  const int protection = fd < 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
  const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* const got = mmap(nullptr, bytes, protection, flags, fd, static_cast<off_t>(offset));
  if (got != MAP_FAILED) address_ = static_cast<std::byte*>(got);
}
Mapped::~Mapped() {
  if (address_ != nullptr) munmap(address_, bytes_);
}
Mapped::Mapped(Mapped&& other) noexcept : address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
Mapped& Mapped::operator=(Mapped&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace softgpu
