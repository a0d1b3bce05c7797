// Finds memory by what the kernel says of this process.
#include "tests/transports/cuda_ipc/fake/memory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace fake_cuda {
namespace {

constexpr const char* shared_name = "fake_device_shared";

std::string name_of(int fd) {
  char text[PATH_MAX] = {};
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), text, sizeof text - 1);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

int descriptor_of(ino_t inode) {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return -1;
  int found = -1;
  while (const dirent* const entry = readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    struct stat status{};
    if (entry->d_name[0] == '.' || fstat(fd, &status) != 0 || status.st_ino != inode) continue;
    if (name_of(fd).find("memfd:") != std::string::npos) found = fd;
  }
  closedir(folder);
  return found;
}

// What the kernel maps of a file at an address of this process.
struct Mapping {
  unsigned long begin = 0, end = 0, offset = 0, inode = 0;
  char rights[8] = {};
  [[nodiscard]] bool holds(CUdeviceptr address) const { return address >= begin && address < end && inode != 0; }
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> all;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Mapping each;
    char device[16] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s %lx %15s %lu", &each.begin, &each.end, each.rights, &each.offset, device,
                    &each.inode) == 6)
      all.push_back(each);
  }
  return all;
}

}  // namespace

std::optional<Found> find(CUdeviceptr address) {
  for (const Mapping& each : mappings()) {
    if (!each.holds(address)) continue;
    Found found;
    found.fd = descriptor_of(each.inode);
    struct stat status{};
    if (found.fd < 0 || fstat(found.fd, &status) != 0) return std::nullopt;
    found.base = each.begin - each.offset;
    found.bytes = static_cast<std::size_t>(status.st_size);
    const std::string name = name_of(found.fd);
    found.shared = name.find("memfd:fake_") == std::string::npos || name.find(shared_name) != std::string::npos;
    found.legacy = name.find(shared_name) == std::string::npos;
    return found;
  }
  return std::nullopt;
}

std::byte* readable(std::byte* address) {
  const auto at = reinterpret_cast<CUdeviceptr>(address);
  const std::vector<Mapping> all = mappings();
  for (const Mapping& shown : all) {
    if (!shown.holds(at) || shown.rights[0] == 'r') continue;
    for (const Mapping& real : all)
      if (real.inode == shown.inode && real.rights[0] == 'r')
        return reinterpret_cast<std::byte*>(real.begin + (at - shown.begin + shown.offset - real.offset));
  }
  return address;
}

int make(std::size_t bytes, bool shared) {
  const int fd = memfd_create(shared ? shared_name : "fake_driver", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes)) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

CUdeviceptr map(int fd, std::size_t bytes, CUdeviceptr at) {
  void* const place =
      mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at != 0 ? MAP_FIXED : 0), fd, 0);
  return place == MAP_FAILED ? 0 : reinterpret_cast<CUdeviceptr>(place);
}

int open(const Token& token) {
  return ::open(("/proc/" + std::to_string(token.process) + "/fd/" + std::to_string(token.fd)).c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace fake_cuda
