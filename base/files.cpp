// With the system's own calls, so that each error has its cause.
#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace railgauge {

std::string read_file(const std::filesystem::path& path, std::uintmax_t most) {
  const auto failed = [&](int code) {
    return Error(Fault::usage, fmt::format("{}: {}", path.string(), std::generic_category().message(code)));
  };
  // Without O_NONBLOCK the open of a pipe would wait for a writer for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw failed(errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) throw failed(errno);
  if (S_ISDIR(status.st_mode)) throw failed(EISDIR);
  if (!S_ISREG(status.st_mode)) throw Error(Fault::usage, fmt::format("{}: not a regular file", path.string()));
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw failed(errno);
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > most)
      throw Error(Fault::usage, fmt::format("{}: larger than {} MiB, and no more is read", path.string(), most >> 20U));
  }
}

}  // namespace railgauge
