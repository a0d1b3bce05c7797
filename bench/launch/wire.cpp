// Encodes and decodes greetings, heads and bodies.
#include "bench/launch/wire.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace railgauge::wire {
namespace {

constexpr std::string_view magic = "railgage";

template <std::size_t count>
std::array<std::byte, count> fixed(const Writer& writer) {
  std::array<std::byte, count> bytes{};
  std::copy_n(writer.bytes().begin(), count, bytes.begin());
  return bytes;
}

bool is_magic(Reader& reader) {
  const auto bytes = reader.raw(magic.size());
  return std::equal(bytes.begin(), bytes.end(), std::as_bytes(std::span(magic)).begin());
}

// Takes equally long wherever the first difference is.
bool same(const Token& token, std::span<const std::byte> bytes) {
  std::byte difference{};
  for (std::size_t i = 0; i < token.size(); ++i) difference |= token[i] ^ bytes[i];
  return difference == std::byte{};
}

}  // namespace

HelloBytes encode(const Hello& hello) {
  Writer writer;
  writer.raw(std::as_bytes(std::span(magic)));
  writer.u32(hello.version);
  writer.raw(hello.token);
  writer.u8(static_cast<std::uint8_t>(hello.purpose));
  writer.u32(hello.rank);
  return fixed<hello_bytes>(writer);
}

std::optional<Hello> decode_hello(const HelloBytes& bytes, const Token& token) {
  Reader reader(bytes);
  if (!is_magic(reader)) return std::nullopt;
  Hello hello;
  hello.version = reader.u32();
  if (!same(token, reader.raw(token.size()))) return std::nullopt;
  hello.token = token;
  const std::uint8_t purpose = reader.u8();
  if (purpose > static_cast<std::uint8_t>(Hello::Purpose::attach)) return std::nullopt;
  hello.purpose = static_cast<Hello::Purpose>(purpose);
  hello.rank = reader.u32();
  return hello;
}

WelcomeBytes encode(const Welcome& welcome) {
  Writer writer;
  writer.raw(std::as_bytes(std::span(magic)));
  writer.u32(welcome.version);
  writer.u8(static_cast<std::uint8_t>(welcome.admission));
  writer.u32(welcome.rank);
  return fixed<welcome_bytes>(writer);
}

std::optional<Welcome> decode_welcome(const WelcomeBytes& bytes) {
  Reader reader(bytes);
  if (!is_magic(reader)) return std::nullopt;
  Welcome welcome;
  welcome.version = reader.u32();
  const std::uint8_t admission = reader.u8();
  if (admission > static_cast<std::uint8_t>(Welcome::Admission::not_expected)) return std::nullopt;
  welcome.admission = static_cast<Welcome::Admission>(admission);
  welcome.rank = reader.u32();
  return welcome;
}

HeadBytes encode(const Head& head) {
  Writer writer;
  writer.u8(static_cast<std::uint8_t>(head.kind));
  writer.u32(head.to);
  writer.u32(head.from);
  writer.u64(head.group);
  writer.u64(head.sequence);
  writer.u32(head.length);
  return fixed<head_bytes>(writer);
}

std::optional<Head> decode_head(const HeadBytes& bytes) {
  Reader reader(bytes);
  Head head;
  const std::uint8_t kind = reader.u8();
  if (kind > static_cast<std::uint8_t>(Kind::last)) return std::nullopt;
  head.kind = static_cast<Kind>(kind);
  head.to = reader.u32();
  head.from = reader.u32();
  head.group = reader.u64();
  head.sequence = reader.u64();
  head.length = reader.u32();
  if (head.length > most_bytes) return std::nullopt;
  return head;
}

void Writer::blob(std::span<const std::byte> bytes) {
  if (bytes.size() > most_bytes) throw Error(Fault::usage, "a message over the control tree is longer than 2 GiB");
  u32(static_cast<std::uint32_t>(bytes.size()));
  raw(bytes);
}

Body Writer::body() && {
  if (bytes_.size() > most_bytes) throw Error(Fault::usage, "a message over the control tree is longer than 2 GiB");
  return std::make_shared<const Blob>(std::move(bytes_));
}

std::span<const std::byte> Reader::raw(std::size_t count) {
  if (count > rest_.size()) throw Error(Fault::lost, "a message of the control tree ends early");
  const auto bytes = rest_.first(count);
  rest_ = rest_.subspan(count);
  return bytes;
}

Blob Reader::blob() {
  const std::uint32_t length = u32();
  const auto bytes = raw(length);
  return {bytes.begin(), bytes.end()};
}

std::string Reader::text() {
  const Blob bytes = blob();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t Reader::count(std::size_t least) {
  const std::size_t elements = u32();
  if (elements > rest_.size() / std::max<std::size_t>(least, 1))
    throw Error(Fault::lost, "a message of the control tree names more than it holds");
  return elements;
}

}  // namespace railgauge::wire
