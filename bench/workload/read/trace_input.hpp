// The bytes of one trace, unpacked as they are read: of a file, of a compressed file, or of a file in a tar archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

struct archive;

namespace railgauge {

// A stream of bytes. Throws Error(usage) "ORIGIN: ..." for damaged archives and for what unpacks to more than a trace does.
class TraceInput : public std::streambuf {
 public:
  TraceInput(archive* source, std::string origin, std::uint64_t packed)
      : source_(source), origin_(std::move(origin)), packed_(packed) {}
  TraceInput(const TraceInput&) = delete;
  TraceInput& operator=(const TraceInput&) = delete;

  [[nodiscard]] const std::string& origin() const { return origin_; }
  // The first bytes, at most 64 KiB, which stay to be read. Before anything is read.
  [[nodiscard]] std::string_view head();
  // A reader that keeps what it reads says so now and then: more than most_unheard bytes in between are refused.
  void heard() { heard_ = before_ + static_cast<std::uint64_t>(gptr() - eback()); }
  // The next line without its end; false at the end of the text. Throws for a line of more than 1 MiB.
  bool line(std::string& text);
  [[nodiscard]] std::size_t lines() const { return lines_; }  // that line() returned

  static constexpr std::uint64_t most_unheard = std::uint64_t{16} << 20;

 protected:
  int_type underflow() override;

 private:
  archive* source_;
  std::string origin_;
  std::uint64_t packed_;      // bytes of the file on disk
  std::uint64_t before_ = 0;  // bytes of the parts before this one
  std::uint64_t heard_ = 0;
  std::size_t lines_ = 0;
  std::vector<char> part_;
};

// Calls `take` with each trace in a file: itself, unpacked where gzip compressed it, or each regular file of a tar archive in it.
// Throws Error(usage) that begins with the path. A pipe is not waited for.
void each_trace(const std::string& path, const std::function<void(TraceInput&)>& take);
// The same of bytes in memory.
void each_trace_of(std::string_view bytes, const std::string& origin, const std::function<void(TraceInput&)>& take);

}  // namespace railgauge
