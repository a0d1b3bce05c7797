// Makes and opens memory through memfd_create and /proc/PROCESS/fd.
#include "transports/shm/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace railgauge::shm {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

[[noreturn]] void fail(const char* call, std::size_t bytes) {
  throw Error(Fault::usage, fmt::format("{} of {} bytes of shared memory: {}", call, bytes, std::strerror(errno)));
}

}  // namespace

Handle describe(int fd, std::uint64_t offset, std::size_t bytes) {
  struct stat status{};
  if (fstat(fd, &status) != 0) fail("fstat", bytes);
  return {getpid(), fd, status.st_dev, status.st_ino, offset, bytes};
}

Window::Window(std::size_t bytes) : fd_(memfd_create("railgauge", MFD_CLOEXEC)) {
  if (fd_ < 0) fail("memfd_create", bytes);
  if (ftruncate(fd_, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    release();
    errno = error;
    fail("ftruncate", bytes);
  }
  map(fd_, 0, bytes);
}

Window::Window(const Handle& handle, int owner, int rank) {
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.fd);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const auto refuse = [&](const std::string& reason) {
    throw Error(Fault::usage,
                fmt::format("rank {} cannot map the memory of rank {}: {}: {}; ranks that share memory must be of one "
                            "user, on one host and in one PID namespace: use another transport otherwise",
                            rank, owner, path, reason));
  };
  if (fd < 0) refuse(std::strerror(errno));
  struct stat status{};
  const bool same = fstat(fd, &status) == 0 && status.st_dev == handle.device && status.st_ino == handle.inode;
  try {
    if (!same) refuse("it is other memory than that rank meant");
    map(fd, handle.offset, handle.bytes);
  } catch (...) {
    close(fd);
    throw;
  }
  close(fd);
}

// Memory starts at the same place within a huge page as it does in the file, so that the owner's huge pages are mapped as such.
void Window::map(int fd, std::uint64_t offset, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t into_page = offset % page;
  const std::size_t length = (bytes + into_page + page - 1) / page * page;
  const std::size_t slack = length >= huge_page ? huge_page : 0;
  start_ = mmap(nullptr, length + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start_ == MAP_FAILED) {
    start_ = nullptr;
    fail("mmap", bytes);
  }
  mapped_ = length + slack;
  auto* place = static_cast<std::byte*>(start_);
  if (slack != 0) place += (offset - into_page - reinterpret_cast<std::uintptr_t>(place)) % huge_page;
  if (mmap(place, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, static_cast<off_t>(offset - into_page)) ==
      MAP_FAILED) {
    release();
    fail("mmap", bytes);
  }
  address_ = place + into_page;
  bytes_ = bytes;
}

void Window::release() noexcept {
  if (start_ != nullptr) munmap(start_, mapped_);
  if (fd_ >= 0) close(fd_);
  start_ = nullptr;
  fd_ = -1;
}

Window::~Window() { release(); }

Window::Window(Window&& other) noexcept { *this = std::move(other); }

Window& Window::operator=(Window&& other) noexcept {
  if (this == &other) return *this;
  release();
  start_ = std::exchange(other.start_, nullptr);
  mapped_ = other.mapped_;
  address_ = std::exchange(other.address_, nullptr);
  bytes_ = other.bytes_;
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

Handle Window::handle() const { return describe(fd_, 0, bytes_); }

}  // namespace railgauge::shm
