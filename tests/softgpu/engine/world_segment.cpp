// Finds or makes it.
#include "tests/softgpu/engine/world_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "tests/softgpu/engine/descriptors.hpp"
#include "tests/softgpu/engine/hosts.hpp"
#include "tests/softgpu/machine/world.hpp"

namespace softgpu {
namespace {

constexpr std::size_t all = World::bytes + sizeof(Hosts::Directory);
constexpr const char* variable = "RAILGAUGE_SOFTGPU_WORLD";

// The cause stands in errno.
[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "softgpu: the memory that processes share: %s: %s\n", what.c_str(), std::strerror(errno));
  std::abort();
}

bool is_world(int fd, unsigned long long inode) {
  struct stat status{};
  return fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == inode;
}

// Of the process that made it, or inherited under the same number; none where both are gone.
Descriptor open_of_parent(const char* told) {
  int process = 0, fd = -1;
  unsigned long long inode = 0;
  if (std::sscanf(told, "%d:%d:%llu", &process, &fd, &inode) != 3) {
    errno = EINVAL;
    refuse(std::string(variable) + "=" + told + " names no file, whose name begins with /");
  }
  if (is_world(fd, inode)) return Descriptor(dup(fd));
  Descriptor opened = open_of(process, fd);
  return is_world(opened.get(), inode) ? std::move(opened) : Descriptor();
}

// Inherited by the programs that this one starts: no MFD_CLOEXEC, and never closed.
int make() {
  const int fd = memfd_create("softgpu_world", 0);
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) refuse("memfd_create");
  const std::string told = std::to_string(getpid()) + ":" + std::to_string(fd) + ":" + std::to_string(status.st_ino);
  setenv(variable, told.c_str(), 1);
  return fd;
}

std::byte* map(int fd) {
  if (ftruncate(fd, static_cast<off_t>(all)) != 0) refuse("ftruncate to " + std::to_string(all) + " bytes");
  void* const mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (mapped == MAP_FAILED) refuse("mmap of " + std::to_string(all) + " bytes");
  return static_cast<std::byte*>(mapped);
}

}  // namespace

std::byte* world_segment() {
  const char* const told = std::getenv(variable);
  if (told == nullptr) return map(make());
  if (told[0] == '/') {
    const Descriptor file(open(told, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file.get() < 0) refuse(std::string(variable) + "=" + told);
    return map(file.get());
  }
  const Descriptor of_parent = open_of_parent(told);
  return map(of_parent.get() < 0 ? make() : of_parent.get());
}

}  // namespace softgpu
