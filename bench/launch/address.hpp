// Where a rank can be reached: its listening socket, the addresses by which others may try it, and the first words with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/launch/wire.hpp"

namespace railgauge {

// Owns a file descriptor. -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] int release() noexcept;

 private:
  int number_ = -1;
};

// Whether others come from this machine only (ranks that one command started) or over the network.
enum class Reach : std::uint8_t { machine, network };

struct Listener {
  Descriptor socket;
  std::uint16_t port = 0;
};
// Listens on a free port. Throws Error(usage) with the call that failed.
[[nodiscard]] Listener listen_on(Reach reach);

struct Candidate {
  std::string host;  // numeric
  std::uint16_t port = 0;
};
// The addresses of this machine's interfaces that are up, loopback last; loopback alone for Reach::machine. At most 16.
[[nodiscard]] std::vector<std::string> own_hosts(Reach reach);

// "<token>@10.0.0.7:4711,[2001:db8::7]:4711,127.0.0.1:4711": rank 0 as its launcher hands it on.
struct Address {
  wire::Token token{};
  std::vector<Candidate> candidates;
};
[[nodiscard]] std::string to_text(const Address& address);
[[nodiscard]] std::string to_text(const Candidate& candidate);
// Throws Error(usage) when the text is no such address.
[[nodiscard]] Address parse_address(std::string_view text);

// Connects to the first candidate that answers `hello` with a welcome as `rank`, trying them in turn until `until`. Gives up
// sooner when all refuse. Throws Error(lost) that names the rank and what became of the candidates, Error(usage) for another
// version of the protocol.
[[nodiscard]] Descriptor dial(const std::vector<Candidate>& candidates, const wire::Hello& hello, int rank,
                              std::chrono::steady_clock::time_point until);

// What every connection of the control tree has: no delay, and an end when the other side is silent for some 10 s.
void tune(int socket) noexcept;

}  // namespace railgauge
