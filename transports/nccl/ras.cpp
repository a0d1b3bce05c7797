// Speaks with it.
#include "transports/nccl/ras.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace railgauge::nccl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds usual_patience{3'000};
constexpr std::size_t most_said = 600;        // characters of a sentence
constexpr std::size_t most_read = 1U << 20U;  // bytes of an answer

struct HostAndPort {
  std::string host, port;
};

// An empty port where it is no address.
HostAndPort split(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  std::string host = address.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {std::move(host), address.substr(colon + 1)};
}

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

// Until something can be read or written, or the deadline is over: false then.
bool wait_for(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd one{fd, events, 0};
    const int count = poll(&one, 1, static_cast<int>(std::min<long long>(left, 1000)));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

Socket connect_to(const addrinfo& one, Clock::time_point deadline) {
  Socket made(socket(one.ai_family, one.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, one.ai_protocol));
  if (!made.open()) return made;
  if (connect(made.fd(), one.ai_addr, one.ai_addrlen) == 0) return made;
  int error = 0;
  socklen_t size = sizeof error;
  const bool begun = errno == EINPROGRESS && wait_for(made.fd(), POLLOUT, deadline) &&
                     getsockopt(made.fd(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  return begun ? std::move(made) : Socket(-1);
}

Socket connect_to(const std::string& address, Clock::time_point deadline) {
  const HostAndPort parts = split(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  const std::vector<std::string> hosts =
      parts.host == "localhost" ? std::vector<std::string>{"127.0.0.1", "::1"} : std::vector{parts.host};
  for (const std::string& host : hosts) {
    addrinfo* found = nullptr;
    if (parts.port.empty() || getaddrinfo(host.c_str(), parts.port.c_str(), &hints, &found) != 0) continue;
    Socket made = connect_to(*found, deadline);
    freeaddrinfo(found);
    if (made.open()) return made;
  }
  return Socket(-1);
}

bool say(const Socket& socket, std::string_view words, Clock::time_point deadline) {
  while (!words.empty()) {
    const ssize_t sent = send(socket.fd(), words.data(), words.size(), MSG_NOSIGNAL);
    if (sent > 0)
      words.remove_prefix(static_cast<std::size_t>(sent));
    else if (sent == 0 || (errno != EINTR && (errno != EAGAIN || !wait_for(socket.fd(), POLLOUT, deadline))))
      return false;
  }
  return true;
}

// What comes, up to the end of a line, or to the end of all.
std::string hear(const Socket& socket, bool to_the_end, Clock::time_point deadline) {
  std::string heard;
  std::array<char, 4096> part{};
  while (heard.size() < most_read && (to_the_end || !heard.ends_with('\n'))) {
    if (!wait_for(socket.fd(), POLLIN, deadline)) break;
    const ssize_t got = recv(socket.fd(), part.data(), part.size(), 0);
    if (got == 0) break;
    if (got > 0)
      heard.append(part.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR && errno != EAGAIN)
      break;
  }
  return heard;
}

std::string converse(const std::string& address, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  const Socket socket = connect_to(address, deadline);
  if (!socket.open() || !say(socket, "CLIENT PROTOCOL 2\n", deadline)) return {};
  if (!hear(socket, false, deadline).starts_with("SERVER PROTOCOL ")) return {};
  // What it one after the other waits for the other processes, in whole seconds, so that an answer comes before our patience is
  // over.
  const auto theirs = std::max<long long>(1, std::chrono::duration_cast<std::chrono::seconds>(patience).count() / 2);
  if (!say(socket, "TIMEOUT " + std::to_string(theirs) + "\n", deadline) || hear(socket, false, deadline).empty()) return {};
  if (!say(socket, "VERBOSE STATUS\n", deadline)) return {};
  return troubles_in(hear(socket, true, deadline));
}

bool is_heading(std::string_view line) {
  return line.empty() || line.front() != ' ' || line.find_first_not_of(" =") == std::string_view::npos;
}

}  // namespace

std::string ask_ras(const std::string& address, std::chrono::milliseconds patience) noexcept {
  try {
    return converse(address, patience);
  } catch (...) { return {}; }
}

// Sections have a title with a line of = below it; what is wrong is indented below the name of its kind.
std::string troubles_in(std::string_view answer) {
  std::string troubles;
  bool wanted = false;
  while (!answer.empty()) {
    const std::size_t end = answer.find('\n');
    std::string_view line = answer.substr(0, end);
    answer.remove_prefix(end == std::string_view::npos ? answer.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line == "Errors" || line == "Warnings") wanted = true;
    if (!wanted || is_heading(line)) continue;
    line.remove_prefix(line.find_first_not_of(' '));
    troubles += troubles.empty() ? "" : "; ";
    troubles += line;
  }
  if (troubles.size() > most_said) {
    troubles.resize(most_said);
    troubles += "...";
  }
  return troubles;
}

std::string said_by_ras(const std::string& address) noexcept {
  if (address.empty()) return {};
  const std::string said = ask_ras(address, usual_patience);
  return said.empty() ? said : "; NCCL's RAS service says: " + said;
}

}  // namespace railgauge::nccl
