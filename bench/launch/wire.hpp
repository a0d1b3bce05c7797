// The wire format of the control tree: the greeting of fixed length, the head of each message, and the encoding of bodies.
// Numbers are little-endian. All functions validate lengths that they read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "transports/group.hpp"

namespace railgauge::wire {

inline constexpr std::uint32_t protocol = 2;

using Token = std::array<std::byte, 16>;

// The first bytes of a connecting rank. A rank reads nothing of variable length before it has validated these.
struct Hello {
  enum class Purpose : std::uint8_t { introduce, attach };  // to rank 0; to the parent in the tree
  std::uint32_t version = protocol;
  Token token{};
  Purpose purpose = Purpose::introduce;
  std::uint32_t rank = 0;
};
inline constexpr std::size_t hello_bytes = 8 + 4 + 16 + 1 + 4;
using HelloBytes = std::array<std::byte, hello_bytes>;
[[nodiscard]] HelloBytes encode(const Hello& hello);
// Nothing when the bytes are no greeting, or have another token.
[[nodiscard]] std::optional<Hello> decode_hello(const HelloBytes& bytes, const Token& token);

// The first bytes of the answer.
struct Welcome {
  enum class Admission : std::uint8_t { welcome, other_version, not_expected };
  std::uint32_t version = protocol;
  Admission admission = Admission::welcome;
  std::uint32_t rank = 0;  // of who answers
};
inline constexpr std::size_t welcome_bytes = 8 + 4 + 1 + 4;
using WelcomeBytes = std::array<std::byte, welcome_bytes>;
[[nodiscard]] WelcomeBytes encode(const Welcome& welcome);
[[nodiscard]] std::optional<Welcome> decode_welcome(const WelcomeBytes& bytes);

enum class Kind : std::uint8_t {
  introduction,  // rendezvous: who I am, to rank 0
  assignment,    // rank 0's answer: who your parent is
  trouble,       // to rank 0: a sentence about why this rank cannot go on
  refusal,       // from rank 0: the run cannot begin, a fault and a sentence
  ready,         // to the parent: my subtree is complete
  start,         // from the parent: all are complete; the nodes of all ranks
  gather_up,     // contributions to an allgather
  gather_down,   // its answer
  letter,        // one blob of an exchange
  asking,        // to the root of a group: who is missing in this allgather?
  answer,        // the ranks that are missing
  death,         // `from` is dead; a sentence
  goodbye,       // the sender is about to close this connection
  pulse,         // the sender is alive; the number of its process
  last = pulse
};

// The head of each message. `to` and `from` are ranks of the run.
struct Head {
  Kind kind = Kind::goodbye;
  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  std::uint32_t length = 0;  // of the body in bytes
};
inline constexpr std::size_t head_bytes = 1 + 4 + 4 + 8 + 8 + 4;
inline constexpr std::uint32_t most_bytes = 0x7fffffff;  // of a body
using HeadBytes = std::array<std::byte, head_bytes>;
[[nodiscard]] HeadBytes encode(const Head& head);
// Nothing for an unknown kind, or a body longer than most_bytes.
[[nodiscard]] std::optional<Head> decode_head(const HeadBytes& bytes);

// Shared, since one body waits in the queues of several connections at once.
using Body = std::shared_ptr<const Blob>;

class Writer {
 public:
  void u8(std::uint8_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void i32(std::int32_t value) { number(static_cast<std::uint32_t>(value)); }
  void u64(std::uint64_t value) { number(value); }
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void blob(std::span<const std::byte> bytes);  // length and bytes
  void text(std::string_view text) { blob(std::as_bytes(std::span(text))); }
  [[nodiscard]] const Blob& bytes() const noexcept { return bytes_; }
  // Throws Error(usage) when the body is too long to be sent.
  [[nodiscard]] Body body() &&;

 private:
  template <typename T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  Blob bytes_;
};

// Reads the bytes of a Writer. Throws Error(lost) when the bytes end early; never allocates more than they hold.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] std::uint8_t u8() { return number<std::uint8_t>(); }
  [[nodiscard]] std::uint32_t u32() { return number<std::uint32_t>(); }
  [[nodiscard]] std::int32_t i32() { return static_cast<std::int32_t>(number<std::uint32_t>()); }
  [[nodiscard]] std::uint64_t u64() { return number<std::uint64_t>(); }
  [[nodiscard]] std::span<const std::byte> raw(std::size_t count);
  [[nodiscard]] Blob blob();
  [[nodiscard]] std::string text();
  // A count of elements of at least `least` bytes each.
  [[nodiscard]] std::size_t count(std::size_t least);
  [[nodiscard]] bool done() const noexcept { return rest_.empty(); }

 private:
  template <typename T>
  T number() {
    const auto bytes = raw(sizeof(T));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return static_cast<T>(value);
  }
  std::span<const std::byte> rest_;
};

}  // namespace railgauge::wire
