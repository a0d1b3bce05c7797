// Listens, lists this machine's addresses, and dials.
#include "bench/launch/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

std::string reason(int code) { return std::generic_category().message(code); }

[[noreturn]] void fail(const std::string& call) { throw Error(Fault::usage, fmt::format("{}: {}", call, reason(errno))); }

// Waits for the socket; 0, or ETIMEDOUT, or the error of poll.
int wait_for(int socket, short events, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd entry{socket, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::clamp<long long>(left.count(), 0, 1'000'000)));
    if (ready > 0) return 0;
    if (ready == 0 && Clock::now() >= until) return ETIMEDOUT;
    if (ready < 0 && errno != EINTR) return errno;
  }
}

int read_all(int socket, std::span<std::byte> bytes, Clock::time_point until) {
  while (!bytes.empty()) {
    if (const int code = wait_for(socket, POLLIN, until); code != 0) return code;
    const ssize_t count = recv(socket, bytes.data(), bytes.size(), 0);
    if (count == 0) return ECONNRESET;
    if (count < 0 && errno != EAGAIN && errno != EINTR) return errno;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

// A fresh socket takes the 33 bytes of a greeting at once.
int write_all(int socket, std::span<const std::byte> bytes) {
  const ssize_t count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return count == static_cast<ssize_t>(bytes.size()) ? 0 : (count < 0 ? errno : EMSGSIZE);
}

using Found = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// A list of one entry where the host is numeric; of a name, as many as it has, which may take as long as the system's resolver
// does. Null where it is not known (now).
Found find(const Candidate& candidate, bool by_name) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICSERV | (by_name ? 0 : AI_NUMERICHOST);
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(candidate.host.c_str(), std::to_string(candidate.port).c_str(), &hints, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

int connect_to(const addrinfo& address, Clock::time_point until, Descriptor& connected) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return errno;
  if (connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) return errno;
    if (const int code = wait_for(socket.get(), POLLOUT, until); code != 0) return code;
    int code = 0;
    socklen_t length = sizeof code;
    if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &length) != 0) return errno;
    if (code != 0) return code;
  }
  connected = std::move(socket);
  return 0;
}

int connect_to(const Candidate& candidate, bool by_name, Clock::time_point until, Descriptor& connected) {
  const Found found = find(candidate, by_name);
  int code = EADDRNOTAVAIL;
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    code = connect_to(*each, until, connected);
    if (code == 0) break;
  }
  return code;
}

// Numeric; empty where others cannot use it.
std::string host_of(const ifaddrs& interface) {
  if ((interface.ifa_flags & IFF_UP) == 0 || (interface.ifa_flags & IFF_LOOPBACK) != 0) return {};
  const void* raw = &reinterpret_cast<const sockaddr_in*>(interface.ifa_addr)->sin_addr;
  if (interface.ifa_addr->sa_family == AF_INET6) {
    const auto* six = &reinterpret_cast<const sockaddr_in6*>(interface.ifa_addr)->sin6_addr;
    if (IN6_IS_ADDR_LINKLOCAL(six)) return {};  // means nothing without the name of a local interface
    raw = six;
  }
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(interface.ifa_addr->sa_family, raw, text, sizeof text) != nullptr ? text : std::string();
}

std::uint16_t port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  return code == std::errc{} && end == text.data() + text.size() ? port : std::uint16_t{0};
}

}  // namespace

Listener listen_on(Reach reach, std::uint16_t port) {
  Listener listener;
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  // A port that was agreed on may have served a moment ago.
  const auto reuse = [port](int socket) {
    const int on = 1;
    if (port != 0) (void)setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  };
  const auto refuse = [port](const char* call) {
    fail(port == 0 ? call : fmt::format("rank 0 cannot listen on port {}: {}", port, call));
  };
  four.sin_addr.s_addr = htonl(reach == Reach::machine ? INADDR_LOOPBACK : INADDR_ANY);
  // One socket for both families where the kernel has IPv6.
  if (reach == Reach::network) {
    Descriptor both(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int off = 0;
    if (both.get() >= 0) reuse(both.get());
    if (both.get() >= 0 && setsockopt(both.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
        bind(both.get(), reinterpret_cast<const sockaddr*>(&six), sizeof six) == 0)
      listener.socket = std::move(both);
  }
  if (listener.socket.get() < 0) {
    listener.socket = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (listener.socket.get() < 0) fail("socket");
    reuse(listener.socket.get());
    if (bind(listener.socket.get(), reinterpret_cast<const sockaddr*>(&four), sizeof four) != 0) refuse("bind");
  }
  // Two that bind at the same moment both may, since neither listens yet: then listen says it.
  if (listen(listener.socket.get(), SOMAXCONN) != 0) refuse("listen");
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(listener.socket.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) fail("getsockname");
  // The port stands at the same place in both families.
  std::memcpy(&six, &bound, sizeof six);
  listener.port = ntohs(six.sin6_port);
  return listener;
}

std::string host_name() {
  char host[256] = "localhost";
  return gethostname(host, sizeof host - 1) == 0 ? host : "localhost";
}

std::vector<std::string> own_hosts(Reach reach, const Network& network) {
  constexpr std::size_t most = 15;
  std::vector<std::string> first, middle, last;
  ifaddrs* all = nullptr;
  if (reach == Reach::network && getifaddrs(&all) == 0) {
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, freeifaddrs);
    for (const int family : {AF_INET, AF_INET6}) {
      for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        const std::string host =
            each->ifa_addr != nullptr && each->ifa_addr->sa_family == family ? host_of(*each) : std::string();
        if (host.empty()) continue;
        const bool late = std::find(network.last.begin(), network.last.end(), each->ifa_name) != network.last.end();
        (network.first == each->ifa_name ? first : late ? last : middle).push_back(host);
      }
    }
    if (!network.first.empty() && first.empty())
      throw Error(Fault::usage, fmt::format("the interface {} is not up on {}, or has no address", network.first, host_name()));
  }
  std::vector<std::string> hosts = std::move(first);
  for (const std::vector<std::string>& more : {middle, last}) hosts.insert(hosts.end(), more.begin(), more.end());
  hosts.resize(std::min(hosts.size(), most));
  hosts.emplace_back("127.0.0.1");
  return hosts;
}

std::string to_text(const Candidate& candidate) {
  const bool six = candidate.host.find(':') != std::string::npos;
  return six ? fmt::format("[{}]:{}", candidate.host, candidate.port) : fmt::format("{}:{}", candidate.host, candidate.port);
}

std::string to_text(const Address& address) {
  std::string text = to_text(address.token);
  char between = address.awaited ? '~' : '@';
  for (const Candidate& candidate : address.candidates) {
    text += between + to_text(candidate);
    between = ',';
  }
  return text;
}

Address parse_address(std::string_view text) {
  const Error wrong(Fault::usage, fmt::format("'{}' is no address of rank 0", text.substr(0, 200)));
  Address address;
  if (text.size() < 34 || (text[32] != '@' && text[32] != '~')) throw wrong;
  const std::optional<wire::Token> token = parse_token(text.substr(0, 32));
  if (!token) throw wrong;
  address.token = *token;
  address.awaited = text[32] == '~';
  text.remove_prefix(33);
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::optional<Candidate> one = parse_candidate(text.substr(0, comma));
    if (!one || address.candidates.size() == 64) throw wrong;
    address.candidates.push_back(std::move(*one));
    if (comma == text.size()) return address;
    text.remove_prefix(comma + 1);
  }
}

std::string to_text(const wire::Token& token) {
  std::string text;
  for (const std::byte byte : token) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

wire::Token new_token() {
  wire::Token token{};
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size())) fail("getrandom");
  return token;
}

std::optional<wire::Token> parse_token(std::string_view text) {
  wire::Token token{};
  if (text.size() != 2 * token.size()) return std::nullopt;
  for (std::size_t i = 0; i < token.size(); ++i) {
    unsigned value = 0;
    const char* begin = text.data() + 2 * i;
    const auto [end, code] = std::from_chars(begin, begin + 2, value, 16);
    if (code != std::errc{} || end != begin + 2) return std::nullopt;
    token[i] = static_cast<std::byte>(value);
  }
  return token;
}

std::optional<Candidate> parse_candidate(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  Candidate candidate{std::string(host), port_of(text.substr(colon + 1))};
  if (host.empty() || candidate.port == 0) return std::nullopt;
  return candidate;
}

Descriptor dial(const std::vector<Candidate>& candidates, const wire::Hello& hello, int rank, Clock::time_point until,
                bool awaited) {
  const wire::HelloBytes words = encode(hello);
  std::vector<std::string> outcomes(candidates.size(), "not tried");
  const auto began = Clock::now();
  auto patience = std::chrono::milliseconds(2000);  // for one candidate, longer each time round
  auto pause = std::chrono::milliseconds(50);       // longer each time where thousands may be waiting for the same
  constexpr const char* other_token = "it does not answer; it may have another token";
  while (true) {
    bool refused = true;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto enough = std::min(until, Clock::now() + patience);
      Descriptor socket;
      int code = connect_to(candidates[i], awaited, enough, socket);
      refused = refused && code == ECONNREFUSED;
      wire::WelcomeBytes answer{};
      if (code == 0) code = write_all(socket.get(), words);
      if (code == 0) code = read_all(socket.get(), answer, enough);
      if (code != 0) {
        // That it listened once says more than that it has ended since.
        if (outcomes[i] != other_token)
          outcomes[i] = !awaited                ? reason(code)
                        : code == EADDRNOTAVAIL ? "its address is not known"
                        : code == ECONNRESET    ? other_token
                                                : reason(code);
        continue;
      }
      const auto welcome = wire::decode_welcome(answer);
      if (!welcome || (welcome->admission == wire::Welcome::Admission::welcome && static_cast<int>(welcome->rank) != rank)) {
        outcomes[i] = "somebody else answered";
      } else if (welcome->admission == wire::Welcome::Admission::other_version) {
        throw Error(Fault::usage, fmt::format("rank {} speaks version {} of the control tree and this rank version {}; start the "
                                              "same railgauge everywhere",
                                              rank, welcome->version, hello.version));
      } else if (welcome->admission == wire::Welcome::Admission::not_expected) {
        throw Error(Fault::usage, fmt::format("rank {} expects no rank {}, or has it already", rank, hello.rank));
      } else {
        return socket;
      }
    }
    // Who listens at all listens before it is dialled: refusals everywhere mean that it is gone.
    const auto now = Clock::now();
    if (now >= until || (refused && !awaited && now - began > std::chrono::seconds(2))) break;
    std::this_thread::sleep_for(std::min<Clock::duration>(pause, until - now));
    if (awaited) pause = std::min(2 * pause, std::chrono::milliseconds(1000));
    patience = std::min(2 * patience, std::chrono::milliseconds(30'000));
  }
  std::string tried;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    tried += fmt::format("{}{}: {}", i == 0 ? "" : "; ", to_text(candidates[i]), outcomes[i]);
  throw Error(Fault::lost, fmt::format("rank {} cannot reach rank {} ({})", hello.rank, rank, tried));
}

void tune(int socket) noexcept {
  // A host that lost its power or its cable says nothing: unanswered data ends the connection after 10 s, and probes after 5 s
  // of silence see to it that there is unanswered data. An option that a system lacks only makes the news later.
  const auto set = [socket](int level, int option, int value) { (void)setsockopt(socket, level, option, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 2);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace railgauge
