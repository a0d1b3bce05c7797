// Cuts lines into frames of a pipe, and puts them together again.
#include "bench/ranks/rank_report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "reports/record/reader.hpp"
#include "reports/record/record.hpp"

namespace railgauge {
namespace {

struct Header {
  std::int32_t writer = 0;
  std::uint32_t bytes = 0;
};

constexpr std::size_t most = PIPE_BUF - sizeof(Header);  // what write() may not divide

}  // namespace

RankReport::RankReport() {
  if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Error(Fault::usage, std::string("pipe: ") + std::strerror(errno));
}

RankReport::~RankReport() {
  ::close(ends_[0]);
  ::close(ends_[1]);
}

void RankReport::tell(const Result& result) const { write_line(result_line(result)); }

void RankReport::tell(int rank, const std::string& sentence) const { write_line("!" + std::to_string(rank) + " " + sentence); }

void RankReport::tell(const std::string& text) const { write_line("@" + text); }

void RankReport::write_line(std::string line) const {
  if (line.ends_with('\n')) line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  std::array<char, PIPE_BUF> frame{};
  for (std::size_t begin = 0; begin < line.size(); begin += most) {
    const std::size_t bytes = std::min(most, line.size() - begin);
    const Header header{::getpid(), static_cast<std::uint32_t>(bytes)};
    std::memcpy(frame.data(), &header, sizeof header);
    std::memcpy(frame.data() + sizeof header, line.data() + begin, bytes);
    while (::write(ends_[1], frame.data(), sizeof header + bytes) < 0)
      if (errno != EINTR) throw Error(Fault::lost, std::string("cannot report to the supervisor: ") + std::strerror(errno));
  }
}

void RankReport::take(const Reader& reader) {
  std::array<char, 65536> piece{};
  const ssize_t got = ::read(ends_[0], piece.data(), piece.size());
  if (got <= 0) return;
  frames_.append(piece.data(), static_cast<std::size_t>(got));
  std::size_t at = 0;
  for (Header header; frames_.size() - at >= sizeof header; at += sizeof header + header.bytes) {
    std::memcpy(&header, frames_.data() + at, sizeof header);
    if (frames_.size() - at < sizeof header + header.bytes) break;
    std::string& line = unfinished_[header.writer];
    line.append(frames_, at + sizeof header, header.bytes);
    if (!line.ends_with('\n')) continue;
    line.pop_back();
    take_line(line, reader);
    line.clear();
  }
  frames_.erase(0, at);
}

void RankReport::take_line(std::string_view line, const Reader& reader) {
  if (line.starts_with('!')) {
    const std::size_t space = line.find(' ');
    sentences_.emplace(std::stoi(std::string(line.substr(1, space - 1))), line.substr(space + 1));
  } else if (line.starts_with('@')) {
    if (reader.text) reader.text(std::string(line.substr(1)));
  } else {
    reader.result(read_result(line, "a rank's report"));
  }
}

std::string RankReport::sentence_of(int rank) const {
  const auto found = sentences_.find(rank);
  return found == sentences_.end() ? std::string() : found->second;
}

}  // namespace railgauge
