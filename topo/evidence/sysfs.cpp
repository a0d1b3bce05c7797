// Reads the kernel's small files without waiting, whatever stands in their place.
#include "topo/evidence/sysfs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "topo/scan.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t longest_line = 4096;  // a page, the most that the kernel gives

}  // namespace

std::string sysfs_bytes(const fs::path& path, std::size_t most) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  std::string text(most, '\0');
  const ssize_t got = ::read(file, text.data(), most);
  ::close(file);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

std::string sysfs_line(const fs::path& path) {
  std::string text = sysfs_bytes(path, longest_line);
  text.resize(std::min(text.find('\n'), text.size()));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::optional<std::uint64_t> sysfs_number(const fs::path& path) {
  const std::string text = sysfs_line(path);
  Scan scan(text);
  const auto number = scan.number();
  return number && scan.done() ? number : std::nullopt;
}

std::error_code sysfs_error(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {errno, std::generic_category()};
  char first = 0;
  const ssize_t got = ::read(file, &first, 1);
  const std::error_code error(got < 0 ? errno : 0, std::generic_category());
  ::close(file);
  return error;
}

std::vector<std::string> sysfs_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string sysfs_link(const fs::path& path) {
  std::error_code error;
  const std::string name = fs::read_symlink(path, error).filename().string();
  const bool odd = std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  return odd ? std::string() : name;
}

}  // namespace railgauge::topo
