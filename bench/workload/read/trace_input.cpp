// libarchive reads gzip and tar; files that are neither come through its raw format.
#include "bench/workload/read/trace_input.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/output/text.hpp"

namespace railgauge {
namespace {

constexpr std::size_t part_bytes = 65536;
constexpr std::size_t most_line = std::size_t{1} << 20;
constexpr std::size_t most_files = 4096;  // of an archive
// Text that repeats itself shrinks to a thirtieth; what unpacks to more than 64 times its size is no trace.
constexpr std::uint64_t always_unpacked = std::uint64_t{8} << 20, most_ratio = 64;

struct ArchiveCloser {
  void operator()(archive* open) const { archive_read_free(open); }
};
using OpenArchive = std::unique_ptr<archive, ArchiveCloser>;

Error damaged(archive* source, const std::string& origin) {
  const char* const why = archive_error_string(source);
  return {Fault::usage, fmt::format("{}: it cannot be unpacked: {}", origin, printable(why == nullptr ? "damaged" : why))};
}

OpenArchive new_archive() {
  OpenArchive made(archive_read_new());
  if (!made) throw Error(Fault::usage, "libarchive has no memory");
  archive_read_support_filter_gzip(made.get());
  archive_read_support_format_tar(made.get());
  archive_read_support_format_raw(made.get());
  archive_read_support_format_empty(made.get());
  return made;
}

// macOS's tar puts attributes into files of their own beside the real ones.
bool is_attributes(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(slash == std::string_view::npos ? 0 : slash + 1).starts_with("._");
}

void each_file(archive* source, const std::string& origin, std::uint64_t packed, const std::function<void(TraceInput&)>& take) {
  std::size_t files = 0, traces = 0;
  for (archive_entry* entry = nullptr;;) {
    const int code = archive_read_next_header(source, &entry);
    if (code == ARCHIVE_EOF) break;
    if (code < ARCHIVE_WARN) throw damaged(source, origin);
    if (++files > most_files) throw Error(Fault::usage, fmt::format("{}: it holds more than {} files", origin, most_files));
    const bool raw = archive_format(source) == ARCHIVE_FORMAT_RAW;
    const char* const inner = archive_entry_pathname(entry);
    const std::string path = raw || inner == nullptr ? "" : printable(inner);
    if (!raw && (archive_entry_filetype(entry) != AE_IFREG || is_attributes(path))) continue;
    TraceInput input(source, raw ? origin : fmt::format("{}: {}", origin, path), packed);
    ++traces;
    take(input);
  }
  if (traces == 0) throw Error(Fault::usage, fmt::format("{}: there is no trace in it", origin));
}

}  // namespace

TraceInput::int_type TraceInput::underflow() {
  if (gptr() != nullptr && gptr() < egptr()) return traits_type::to_int_type(*gptr());
  if (part_.empty()) part_.resize(part_bytes);
  before_ += static_cast<std::uint64_t>(egptr() - eback());
  const la_ssize_t got = archive_read_data(source_, part_.data(), part_.size());
  if (got < 0) throw damaged(source_, origin_);
  setg(part_.data(), part_.data(), part_.data() + got);
  if (got == 0) return traits_type::eof();
  const std::uint64_t total = before_ + static_cast<std::uint64_t>(got);
  if (total > always_unpacked && total / most_ratio > packed_)
    throw Error(Fault::usage,
                fmt::format("{}: it unpacks to more than {} times its size, which no trace does", origin_, most_ratio));
  if (total - heard_ > most_unheard)
    throw Error(Fault::usage, fmt::format("{}: {} MiB without anything that belongs to a trace", origin_, most_unheard >> 20));
  return traits_type::to_int_type(part_.front());
}

std::string_view TraceInput::head() {
  if (underflow() == traits_type::eof()) return {};
  // The first part may be shorter than the buffer: an archive gives what a block of it holds.
  while (before_ == 0 && static_cast<std::size_t>(egptr() - eback()) < part_.size()) {
    const auto have = egptr() - eback();
    const la_ssize_t got = archive_read_data(source_, part_.data() + have, part_.size() - static_cast<std::size_t>(have));
    if (got < 0) throw damaged(source_, origin_);
    if (got == 0) break;
    setg(part_.data(), part_.data(), part_.data() + have + got);
  }
  return {gptr(), static_cast<std::size_t>(egptr() - gptr())};
}

bool TraceInput::line(std::string& text) {
  text.clear();
  for (;;) {
    if (underflow() == traits_type::eof()) break;
    const char* const begin = gptr();
    const char* const end = std::find(begin, static_cast<const char*>(egptr()), '\n');
    text.append(begin, end);
    const bool ends = end != egptr();
    setg(eback(), gptr() + (end - begin) + (ends ? 1 : 0), egptr());
    if (text.size() > most_line)
      throw Error(Fault::usage, fmt::format("{}:{}: the line has more than {} KiB", origin_, lines_ + 1, most_line >> 10));
    if (!ends) continue;
    ++lines_;
    if (text.ends_with('\r')) text.pop_back();
    return true;
  }
  if (text.empty()) return false;
  ++lines_;
  return true;
}

void each_trace(const std::string& path, const std::function<void(TraceInput&)>& take) {
  const auto failed = [&](int code) {
    return Error(Fault::usage, fmt::format("{}: {}", path, std::generic_category().message(code)));
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw failed(errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) throw failed(errno);
  if (!S_ISREG(status.st_mode)) throw Error(Fault::usage, fmt::format("{}: not a regular file", path));
  const OpenArchive source = new_archive();
  if (archive_read_open_fd(source.get(), file.get(), part_bytes) != ARCHIVE_OK) throw damaged(source.get(), path);
  each_file(source.get(), path, static_cast<std::uint64_t>(status.st_size), take);
}

void each_trace_of(std::string_view bytes, const std::string& origin, const std::function<void(TraceInput&)>& take) {
  const OpenArchive source = new_archive();
  if (archive_read_open_memory(source.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) throw damaged(source.get(), origin);
  each_file(source.get(), origin, bytes.size(), take);
}

}  // namespace railgauge
