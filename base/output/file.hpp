// Files for results: never an existing file, and never a half-written record. Devices and pipes are written to directly.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace railgauge {

// Whether `path` is a device, a pipe or a socket, which is written to directly and never replaced.
[[nodiscard]] bool is_stream(const std::string& path);

// A file that grows by whole lines, each written by one call and visible to readers at once. The destructor removes a file
// without lines.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path);  // throws Error(usage) when it exists or cannot be made
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  ~GrowingFile();

  void append(std::string_view line);  // throws Error(usage); then the file is as it was before

 private:
  std::string path_;
  bool stream_;
  int descriptor_;
  pid_t owner_;  // a forked child must not remove its parent's file
  off_t size_ = 0;
};

// A file that appears whole, under its name, when it is published. Until then it has no name where the file system supports that
// (so a killed process leaves nothing behind), else a name in the same folder that starts with a dot.
class AsideFile {
 public:
  explicit AsideFile(std::string path);  // throws Error(usage) when `path` exists or cannot be made
  AsideFile(const AsideFile&) = delete;
  AsideFile& operator=(const AsideFile&) = delete;
  ~AsideFile();

  void append(std::string_view text);  // throws Error(usage)
  void publish();                      // throws Error(usage) when a file of that name has come meanwhile; says where ours is then

 private:
  [[nodiscard]] bool link_to(const std::string& path) const;

  std::string path_;
  std::string aside_;  // empty where the file has no name
  bool stream_ = false;
  int descriptor_ = -1;
  pid_t owner_;
};

// The whole text as such a file.
void write_aside(const std::string& path, std::string_view text);

}  // namespace railgauge
