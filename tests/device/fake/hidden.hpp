// Memory that the host must not touch: mapped without any right at the address that it seems to have, and in full elsewhere.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <system_error>

namespace railgauge::test {

// Where hidden memory can be read and written, by where it seems to be.
class Hidden {
 public:
  // `shared`: its descriptor stays open, and by that the fake libcuda (tests/transports/cuda_ipc/fake) shows it to other
  // processes.
  std::byte* add(std::size_t bytes, bool shared = false) {
    const int fd = memfd_create(shared ? "fake_device_shared" : "fake_device", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) fail("memfd_create");
    void* const real = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void* const shown = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, fd, 0);
    if (real == MAP_FAILED || shown == MAP_FAILED) fail("mmap");
    const std::scoped_lock lock(mutex_);
    places_[static_cast<std::byte*>(shown)] = {static_cast<std::byte*>(real), bytes, fd};
    return static_cast<std::byte*>(shown);
  }
  void remove(std::byte* shown) {
    const std::scoped_lock lock(mutex_);
    const auto found = places_.find(shown);
    munmap(found->second.real, found->second.bytes);
    munmap(shown, found->second.bytes);
    close(found->second.fd);
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
    int fd;
  };
  [[noreturn]] static void fail(const char* call) { throw std::system_error(errno, std::generic_category(), call); }
  std::mutex mutex_;
  std::map<std::byte*, Place> places_;
};

// How another library of the process gets such memory of this one.
struct HiddenTable {
  std::byte* (*add)(std::size_t bytes);
  void (*remove)(std::byte* shown);
};

// Of this plugin.
[[nodiscard]] inline Hidden& hidden() {
  static Hidden memory;
  return memory;
}

}  // namespace railgauge::test
