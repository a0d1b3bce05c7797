// Allocates host memory and asks for it politely: the kernel must never be left to kill a rank that asked for too much.
#include "bench/device/host/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/units.hpp"

namespace railgauge::host {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
#ifdef MADV_COLLAPSE
constexpr int collapse = MADV_COLLAPSE;
#else
constexpr int collapse = 25;  // Linux 6.1
#endif
constexpr std::size_t step = std::size_t{64} << 20;     // touched between two looks at what is available
constexpr std::size_t reserve = std::size_t{64} << 20;  // left for everybody else

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

[[noreturn]] void refuse(std::size_t bytes, std::size_t available) {
  const std::size_t whole = available >> 20 << 20;
  throw Error(Fault::usage,
              fmt::format("{} of host memory were asked for, but only {} are available: ask for fewer bytes or fewer ranks",
                          format_bytes(bytes), format_bytes(whole)));
}

void check(std::size_t asked, std::size_t missing, std::size_t available) {
  if (missing > available - std::min(available, reserve)) refuse(asked, available);
}

[[noreturn]] void fail(const char* call, std::size_t bytes) {
  throw Error(Fault::usage, fmt::format("{} of {} of host memory: {}", call, format_bytes(bytes), std::strerror(errno)));
}

// Puts memory that has a descriptor where the mapping is. Returns the descriptor; unmaps and throws when there is none.
int share(std::byte* address, std::size_t mapped, std::size_t bytes) {
  const int fd = memfd_create("railgauge", MFD_CLOEXEC);
  const char* failed = nullptr;
  if (fd < 0)
    failed = "memfd_create";
  else if (ftruncate(fd, static_cast<off_t>(mapped)) != 0)
    failed = "ftruncate";
  else if (mmap(address, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
    failed = "mmap";
  if (failed == nullptr) return fd;
  const int error = errno;
  if (fd >= 0) close(fd);
  munmap(address, mapped);
  errno = error;
  fail(failed, bytes);
}

}  // namespace

Memory allocate(std::size_t bytes, Sharing sharing, const std::function<std::size_t()>& available) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) refuse(bytes, available());
  if (bytes > step) check(bytes, bytes, available());
  const std::size_t mapped = round_up(std::max<std::size_t>(bytes, 1), page);
  const std::size_t slack = mapped >= huge_page ? huge_page : 0;  // so that a huge page can start at the first byte
  void* start = mmap(nullptr, mapped + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) fail("mmap", bytes);
  auto* address = static_cast<std::byte*>(start);
  if (slack > 0) {
    const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(address)) % huge_page;
    if (before > 0) munmap(address, before);
    if (before < slack) munmap(address + before + mapped, slack - before);
    address += before;
  }
  const int fd = sharing == Sharing::processes ? share(address, mapped, bytes) : -1;
  Memory memory({.address = address, .bytes = bytes, .fd = fd}, [mapped](const Region& region) {
    munmap(region.address, mapped);
    if (region.fd >= 0) close(region.fd);
  });
  if (slack > 0) madvise(address, mapped, MADV_HUGEPAGE);  // a wish: where huge pages are off, small ones serve
  for (std::size_t at = 0; at < mapped; at += page) {
    if (at > 0 && at % step == 0) check(bytes, mapped - at, available());
    *static_cast<volatile std::byte*>(address + at) = std::byte{0};
  }
  // Shared memory comes in small pages unless the system was told otherwise, but can be asked to be put together afterwards.
  if (slack > 0 && fd >= 0) madvise(address, mapped / huge_page * huge_page, collapse);
  return memory;
}

}  // namespace railgauge::host
