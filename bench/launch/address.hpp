// The address of a rank: its listening socket, the addresses for other ranks to try, and the greeting on a new connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "bench/launch/wire.hpp"

namespace railgauge {

// Whether peers connect from this machine only (ranks that one command started) or over the network.
enum class Reach : std::uint8_t { machine, network };

struct Listener {
  Descriptor socket;
  std::uint16_t port = 0;
};
// Listens on `port`, or on a free one where that is 0. Throws Error(usage) with the call that failed.
[[nodiscard]] Listener listen_on(Reach reach, std::uint16_t port = 0);

struct Candidate {
  std::string host;  // numeric; of an address that is awaited also a name
  std::uint16_t port = 0;
};
// The system's name of this machine. Several machines may share it, so it never identifies a node alone.
[[nodiscard]] std::string host_name();
// The interfaces of a host, by name, that other ranks should try first and last: the measured interfaces may be broken.
struct Network {
  std::string first;  // empty: none
  std::vector<std::string> last;
};
// The addresses of this machine's interfaces that are up, loopback last; loopback alone for Reach::machine. At most 16. Throws
// Error(usage) when the first one is not up, or has no address.
[[nodiscard]] std::vector<std::string> own_hosts(Reach reach, const Network& network = {});

// "<token>@10.0.0.7:4711,[2001:db8::7]:4711,127.0.0.1:4711": the address of rank 0 as its launcher passes it on.
// "<token>~node-0.ring:4711": its future address, agreed before any rank was started.
struct Address {
  wire::Token token{};
  std::vector<Candidate> candidates;
  bool awaited = false;  // nobody may listen there yet, and its name may not be known yet
};
[[nodiscard]] std::string to_text(const Address& address);
[[nodiscard]] std::string to_text(const Candidate& candidate);
// Throws Error(usage) when the text is no such address.
[[nodiscard]] Address parse_address(std::string_view text);
// 32 hexadecimal digits, or nothing.
[[nodiscard]] std::optional<wire::Token> parse_token(std::string_view text);
[[nodiscard]] std::string to_text(const wire::Token& token);
// A random token. Throws Error(usage) where the system provides no random bytes.
[[nodiscard]] wire::Token new_token();
// "node-0:4711" or "[2001:db8::7]:4711", or nothing.
[[nodiscard]] std::optional<Candidate> parse_candidate(std::string_view text);

// Connects to the first candidate that answers `hello` with a welcome as `rank`, trying them one after the other until `until`.
// Gives up sooner when all refuse, unless they are `awaited`. Throws Error(lost) that names the rank and the error of each
// candidate, and Error(usage) for another version of the protocol.
[[nodiscard]] Descriptor dial(const std::vector<Candidate>& candidates, const wire::Hello& hello, int rank,
                              std::chrono::steady_clock::time_point until, bool awaited = false);

// Sets the options of a connection of the control tree: no delay, and an end when the other side is silent for some 10 s.
void tune(int socket) noexcept;

}  // namespace railgauge
