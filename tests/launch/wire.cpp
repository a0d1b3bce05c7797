// Bytes from the wire, right, cut short and at random.
#include "bench/launch/wire.hpp"

#include <random>

#include "base/error.hpp"
#include "bench/launch/address.hpp"
#include "bench/launch/shape.hpp"
#include "tests/test.hpp"

namespace railgauge {

using namespace wire;

TEST_CASE("wire: greetings and heads come back as they were") {
  Token token{};
  token[3] = std::byte{7};
  const auto hello = decode_hello(encode(Hello{protocol, token, Hello::Purpose::attach, 70000}), token);
  REQUIRE(hello);
  CHECK(hello->rank == 70000);
  CHECK(hello->purpose == Hello::Purpose::attach);
  CHECK_FALSE(decode_hello(encode(Hello{protocol, token, Hello::Purpose::attach, 1}), Token{}));
  const auto welcome = decode_welcome(encode(Welcome{9, Welcome::Admission::other_version, 5}));
  REQUIRE(welcome);
  CHECK(welcome->version == 9);
  CHECK(welcome->admission == Welcome::Admission::other_version);
  const auto head = decode_head(encode(Head{Kind::letter, 1, 2, 3, ~std::uint64_t{0}, most_bytes}));
  REQUIRE(head);
  CHECK(head->sequence == ~std::uint64_t{0});
  CHECK(head->length == most_bytes);
  CHECK_FALSE(decode_head(encode(Head{Kind::letter, 1, 2, 3, 4, most_bytes + 1})));
}

TEST_CASE("wire: what was written is read, and what is cut short is refused") {
  Writer writer;
  writer.u8(1);
  writer.i32(-7);
  writer.text("rank");
  writer.blob(Blob(5, std::byte{3}));
  const Blob bytes = writer.bytes();
  Reader reader(bytes);
  CHECK(reader.u8() == 1);
  CHECK(reader.i32() == -7);
  CHECK(reader.text() == "rank");
  CHECK(reader.blob() == Blob(5, std::byte{3}));
  CHECK(reader.done());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Reader cut(std::span<const std::byte>(bytes).first(length));
    CHECK_THROWS_AS(((void)cut.u8(), (void)cut.i32(), (void)cut.text(), (void)cut.blob()), Error);
  }
}

TEST_CASE("wire: lengths and counts that the bytes cannot hold are refused before anything is allocated") {
  Writer writer;
  writer.u32(0xffffffff);
  Reader text(writer.bytes());
  CHECK_THROWS_AS(text.text(), Error);
  Reader count(writer.bytes());
  CHECK_THROWS_AS(count.count(4), Error);
}

TEST_CASE("wire: random bytes are no greeting and do no harm") {
  const std::uint32_t seed = 20240611;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int turn = 0; turn < 20000; ++turn) {
    HelloBytes hello;
    HeadBytes head;
    for (std::byte& byte : hello) byte = static_cast<std::byte>(random());
    for (std::byte& byte : head) byte = static_cast<std::byte>(random());
    REQUIRE_FALSE(decode_hello(hello, Token{}));
    if (const auto right = decode_head(head)) REQUIRE(right->length <= most_bytes);
    Reader reader(hello);
    try {
      while (!reader.done()) (void)reader.text();
    } catch (const Error&) {}
  }
}

TEST_CASE("wire: an address of rank 0 is read as it was written") {
  Address address;
  address.token[15] = std::byte{0xab};
  address.candidates = {{"10.0.0.7", 4711}, {"2001:db8::7", 1}, {"127.0.0.1", 65535}};
  const std::string text = to_text(address);
  CHECK(text == "000000000000000000000000000000ab@10.0.0.7:4711,[2001:db8::7]:1,127.0.0.1:65535");
  const Address again = parse_address(text);
  CHECK(again.token == address.token);
  REQUIRE(again.candidates.size() == 3);
  CHECK(again.candidates[1].host == "2001:db8::7");
  CHECK(to_text(again) == text);
  for (const char* wrong :
       {"", "@", "ab@h:1", "000000000000000000000000000000ab", "000000000000000000000000000000ab@",
        "000000000000000000000000000000ab@h", "000000000000000000000000000000ab@h:0", "000000000000000000000000000000ab@:1",
        "000000000000000000000000000000ab@h:65536", "00000000000000000000000000000zab@h:1",
        "000000000000000000000000000000ab@h:1,", "000000000000000000000000000000ab@h:1x"})
    CHECK_THROWS_AS(parse_address(wrong), Error);
}

TEST_CASE("shape: every path leads to its end, by neighbours alone") {
  for (const int size : {1, 2, 33, 34, 70, 1100}) {
    int held = 1;
    for (int rank = 0; rank < size; ++rank) held += shape::children(rank, size);
    REQUIRE(held == size);
    for (int from = 0; from < size; from += 1 + size / 40) {
      for (int to = 0; to < size; ++to) {
        int at = from;
        for (int steps = 0; at != to; ++steps) {
          REQUIRE(steps < 8);
          const int next = shape::next(at, to);
          REQUIRE((shape::parent(next) == at || shape::parent(at) == next));
          at = next;
        }
      }
    }
  }
  CHECK(shape::passes(40, 2, 1));
  CHECK(shape::passes(40, 2, 0));
  CHECK_FALSE(shape::passes(40, 2, 3));
  CHECK_FALSE(shape::passes(40, 1, 0));
}

}  // namespace railgauge
