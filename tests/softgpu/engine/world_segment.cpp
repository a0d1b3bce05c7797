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

#include "tests/softgpu/engine/hosts.hpp"
#include "tests/softgpu/machine/world.hpp"

namespace softgpu {
namespace {

constexpr std::size_t all = World::bytes + sizeof(Hosts::Directory);
constexpr const char* variable = "RAILGAUGE_SOFTGPU_WORLD";

bool is_world(int fd, unsigned long long inode) {
  struct stat status{};
  return fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == inode;
}

// Of the process that made it, or inherited under the same number; -1 where both are gone.
int open_of_parent(const char* told) {
  int process = 0, fd = -1;
  unsigned long long inode = 0;
  if (std::sscanf(told, "%d:%d:%llu", &process, &fd, &inode) != 3) return -1;
  if (is_world(fd, inode)) return dup(fd);
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(fd);
  const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
  return is_world(opened, inode) ? opened : -1;
}

// Inherited by the programs that this one starts: no MFD_CLOEXEC.
int make() {
  const int fd = memfd_create("softgpu_world", 0);
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) return -1;
  const std::string told = std::to_string(getpid()) + ":" + std::to_string(fd) + ":" + std::to_string(status.st_ino);
  setenv(variable, told.c_str(), 1);
  return fd;
}

}  // namespace

std::byte* world_segment() {
  const char* const told = std::getenv(variable);
  int fd = -1;
  if (told != nullptr && told[0] == '/')
    fd = open(told, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  else if (told != nullptr)
    fd = open_of_parent(told);
  if (fd < 0) fd = make();
  void* mapped = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(all)) == 0)
    mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (mapped == MAP_FAILED) {
    std::fprintf(stderr, "softgpu: the memory that processes share cannot be mapped: %s\n", std::strerror(errno));
    std::abort();
  }
  return static_cast<std::byte*>(mapped);
}

}  // namespace softgpu
