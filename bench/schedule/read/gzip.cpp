// The frame of gzip around Boost's inflate, which is headers alone.
#include "bench/schedule/read/gzip.hpp"

#include <fmt/format.h>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>
#include <cstdint>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr std::size_t head = 10, tail = 8;

std::uint32_t little_endian(std::string_view four) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(four[i]);
  return value;
}

// The bytes of the member's head, with the optional fields that its flags announce; 0 where it is truncated.
std::size_t size_of_head(std::string_view bytes) {
  constexpr unsigned has_checksum = 2, has_extra = 4, has_name = 8, has_comment = 16;
  if (bytes.size() < head + tail) return 0;
  const auto flags = static_cast<unsigned char>(bytes[3]);
  std::size_t at = head;
  if ((flags & has_extra) != 0)
    at +=
        2U + (static_cast<unsigned char>(bytes[head]) | static_cast<unsigned>(static_cast<unsigned char>(bytes[head + 1])) << 8);
  for (const unsigned field : {has_name, has_comment})
    if ((flags & field) != 0) {
      const std::size_t end = at < bytes.size() ? bytes.find('\0', at) : std::string_view::npos;
      if (end == std::string_view::npos) return 0;
      at = end + 1;
    }
  if ((flags & has_checksum) != 0) at += 2;
  return at + tail <= bytes.size() ? at : 0;
}

}  // namespace

bool is_gzip(std::string_view bytes) noexcept { return bytes.starts_with("\x1f\x8b\x08"); }

std::string unpack_gzip(std::string_view bytes, std::string_view origin, std::size_t most) {
  namespace zlib = boost::beast::zlib;
  const auto fail = [&](const std::string& what) { return Error(Fault::usage, fmt::format("{}: {}", origin, what)); };
  const std::size_t begin = size_of_head(bytes);
  if (begin == 0) throw fail("it is compressed by gzip, and truncated");
  zlib::inflate_stream stream;
  zlib::z_params state;
  state.next_in = bytes.data() + begin;
  state.avail_in = bytes.size() - begin - tail;
  std::string text, part(65536, '\0');
  for (boost::system::error_code error; error != zlib::error::end_of_stream;) {
    state.next_out = part.data();
    state.avail_out = part.size();
    stream.write(state, zlib::Flush::sync, error);
    const std::size_t got = part.size() - state.avail_out;
    if (got > most - text.size()) throw fail(fmt::format("it holds more than {} MiB, which no algorithm does", most >> 20));
    text.append(part, 0, got);
    if (error && error != zlib::error::end_of_stream && error != zlib::error::need_buffers)
      throw fail("it is compressed by gzip, and damaged");
    if (error != zlib::error::end_of_stream && got == 0) throw fail("it is compressed by gzip, and truncated");
  }
  if (state.avail_in != 0) throw fail("it is compressed by gzip, and something follows its end");
  const std::string_view end = bytes.substr(bytes.size() - tail);
  boost::crc_32_type checksum;
  checksum.process_bytes(text.data(), text.size());
  if (little_endian(end) != checksum.checksum() || little_endian(end.substr(4)) != (text.size() & 0xffffffffU))
    throw fail("it is compressed by gzip, and its checksum is wrong");
  return text;
}

}  // namespace railgauge
