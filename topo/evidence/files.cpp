// Reads and writes whole files with the system's own calls, so that each error has its cause.
#include "topo/evidence/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace railgauge::topo {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, int code) {
  throw Error(Fault::usage, fmt::format("{}: {}{}", path.string(), doing, std::generic_category().message(code)));
}

// The file that is written aside; gone at the end of the scope, renamed or not.
struct Aside {
  std::string path;
  ~Aside() {
    if (!path.empty()) ::unlink(path.c_str());
  }
};

// Gives 0 or an errno; EEXIST when `to` exists. Some file systems know no rename without overwriting: there a hard link serves.
int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK the open of a pipe would wait for a writer for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail(path, "", errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail(path, "", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "", EISDIR);
  if (!S_ISREG(status.st_mode)) throw Error(Fault::usage, fmt::format("{}: not a regular file", path.string()));
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "", errno);
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > largest_file)
      throw Error(Fault::usage, fmt::format("{}: larger than {} MiB, so no topology", path.string(), largest_file >> 20U));
  }
}

void write_new_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  const auto exists = [&] {
    return Error(Fault::usage, fmt::format("{}: exists already and is not overwritten; name another file", path.string()));
  };
  if (std::filesystem::symlink_status(path, error).type() > std::filesystem::file_type::not_found) throw exists();
  std::string name = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) fail(path, "cannot write: ", errno);
  const Aside aside{name};
  const mode_t mask = ::umask(0);  // only read: there is no other call for it
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0) fail(path, "cannot write: ", errno);
  while (!text.empty()) {
    const ssize_t put = ::write(file.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path, "cannot write: ", errno);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (file.close() != 0) fail(path, "cannot write: ", errno);
  const int code = rename_to_new(name, path.string());
  if (code == EEXIST) throw exists();
  if (code != 0) fail(path, "cannot write: ", code);
}

}  // namespace railgauge::topo
