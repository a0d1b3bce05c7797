// Writes whole files with the system's own calls, so that each error has its cause.
#include "topo/evidence/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace railgauge::topo {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int code) {
  throw Error(Fault::usage, fmt::format("{}: cannot write: {}", path.string(), std::generic_category().message(code)));
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

void write_new_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  const auto exists = [&] {
    return Error(Fault::usage, fmt::format("{}: exists already and is not overwritten; name another file", path.string()));
  };
  if (std::filesystem::symlink_status(path, error).type() > std::filesystem::file_type::not_found) throw exists();
  std::string name = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) fail(path, errno);
  const Aside aside{name};
  const mode_t mask = ::umask(0);  // only read: there is no other call for it
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0) fail(path, errno);
  while (!text.empty()) {
    const ssize_t put = ::write(file.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path, errno);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (file.close() != 0) fail(path, errno);
  const int code = rename_to_new(name, path.string());
  if (code == EEXIST) throw exists();
  if (code != 0) fail(path, code);
}

}  // namespace railgauge::topo
