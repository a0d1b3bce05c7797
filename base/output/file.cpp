// The system calls behind base/output/file.hpp.
#include "base/output/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr mode_t readable_by_all = 0666;  // less the umask

[[noreturn]] void refuse_existing(const std::string& path) {
  throw Error(Fault::usage, path + " exists and is never overwritten: choose another name with -o, or move it away");
}

[[noreturn]] void refuse(const std::string& path, int code) {
  if (code == EEXIST) refuse_existing(path);
  throw Error(Fault::usage, "cannot write " + path + ": " + std::strerror(code) + "; choose another place with -o");
}

void write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

int open_stream(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat status{};
  return path.starts_with("/dev/fd/") || path == "/dev/stderr" ||
         (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

GrowingFile::GrowingFile(std::string path)
    : path_(std::move(path)),
      stream_(is_stream(path_)),
      descriptor_(stream_ ? open_stream(path_)
                          : ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all)),
      owner_(::getpid()) {
  if (descriptor_ < 0) refuse(path_, errno);
}

GrowingFile::~GrowingFile() {
  ::close(descriptor_);
  if (!stream_ && size_ == 0 && owner_ == ::getpid()) ::unlink(path_.c_str());
}

void GrowingFile::append(std::string_view line) {
  if (stream_) {
    write_all(descriptor_, line, path_);
    return;
  }
  ssize_t written = 0;
  do { written = ::write(descriptor_, line.data(), line.size()); } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) {
    size_ += written;
    return;
  }
  // A disk that fills up takes a part of the line: give it back, so that every line of the file is whole.
  const int code = written < 0 ? errno : ENOSPC;
  if (written > 0 && ::ftruncate(descriptor_, size_) != 0) {
    throw Error(Fault::usage, path_ + " ends in half a line (" + std::strerror(code) + "), which cannot be removed");
  }
  refuse(path_, code);
}

AsideFile::AsideFile(std::string path) : path_(std::move(path)), stream_(is_stream(path_)), owner_(::getpid()) {
  if (stream_) {
    descriptor_ = open_stream(path_);
    if (descriptor_ < 0) refuse(path_, errno);
    return;
  }
  struct stat status{};
  if (::lstat(path_.c_str(), &status) == 0) refuse_existing(path_);
  if (errno != ENOENT) refuse(path_, errno);
  const std::string folder = folder_of(path_);
#ifdef O_TMPFILE
  descriptor_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, readable_by_all);
  if (descriptor_ >= 0) return;
#endif
  aside_ = folder + "/." + std::filesystem::path(path_).filename().string() + "." + std::to_string(owner_);
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all);
  if (descriptor_ < 0) refuse(path_, errno);
}

AsideFile::~AsideFile() {
  ::close(descriptor_);
  if (!aside_.empty() && owner_ == ::getpid()) ::unlink(aside_.c_str());
}

void AsideFile::append(std::string_view text) { write_all(descriptor_, text, path_); }

bool AsideFile::link_to(const std::string& path) const {
  const std::string source = aside_.empty() ? "/proc/self/fd/" + std::to_string(descriptor_) : aside_;
  return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), aside_.empty() ? AT_SYMLINK_FOLLOW : 0) == 0;
}

void AsideFile::publish() {
  if (stream_ || link_to(path_)) return;
  const int code = errno;
  if (code != EEXIST) refuse(path_, code);
  for (int i = 1; i < 100; ++i) {
    const std::string other = path_ + "." + std::to_string(i);
    if (link_to(other)) throw Error(Fault::usage, path_ + " was made by someone else meanwhile; the results are in " + other);
  }
  refuse_existing(path_);
}

void write_aside(const std::string& path, std::string_view text) {
  AsideFile file(path);
  file.append(text);
  file.publish();
}

}  // namespace railgauge
