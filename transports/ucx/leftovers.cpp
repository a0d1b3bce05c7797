// Looks through /dev/shm and, where something is suspicious, through the open files of all processes.
#include "transports/ucx/leftovers.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace railgauge::ucx {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

constexpr std::chrono::milliseconds clock_lag{100};  // a file's time is that of the kernel's last tick

std::vector<fs::path> suspects(system_clock::time_point since) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev/shm", none)) {
    struct stat status{};
    if (!entry.path().filename().string().starts_with("ucx_shm_posix_")) continue;
    if (::lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) continue;
    const auto made = std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
    if (made + clock_lag >= since.time_since_epoch()) found.push_back(entry.path());
  }
  return found;
}

// Takes from `files` those that this process has open or mapped.
void keep_used(const fs::path& process, std::vector<fs::path>& files) {
  std::error_code none;
  for (fs::directory_iterator open(process / "fd", none), end; !none && open != end; open.increment(none)) {
    std::error_code closed;
    std::erase(files, fs::read_symlink(open->path(), closed));
  }
  std::ifstream maps(process / "maps");
  for (std::string line; !files.empty() && std::getline(maps, line);)
    std::erase_if(files, [&](const fs::path& file) { return line.ends_with(file.string()); });
}

void remove_unused(std::vector<fs::path> files) {
  std::error_code none;
  for (fs::directory_iterator process("/proc", none), end; !none && process != end && !files.empty(); process.increment(none)) {
    const std::string name = process->path().filename();
    if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) keep_used(process->path(), files);
  }
  if (none) return;  // not all processes could be asked
  for (const fs::path& file : files) (void)::unlink(file.c_str());
}

}  // namespace

void remove_leftovers(system_clock::time_point since) noexcept {
  try {
    if (std::vector<fs::path> files = suspects(since); !files.empty()) remove_unused(std::move(files));
  } catch (const std::exception&) {
    // Out of memory: the file stays.
  }
}

}  // namespace railgauge::ucx
