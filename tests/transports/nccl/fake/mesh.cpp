// Connects the ranks, and moves bytes.
#include "tests/transports/nccl/fake/mesh.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>
#include <system_error>

namespace fake_nccl {
namespace {

sockaddr_un address_of(const std::string& name, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

[[noreturn]] void fail(const char* call) { throw std::runtime_error(std::string(call) + ": " + std::strerror(errno)); }

int connect_to(const std::string& name) {
  socklen_t length = 0;
  const sockaddr_un address = address_of(name, length);
  for (int attempt = 0;; ++attempt) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) fail("socket");
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0) return socket;
    close(socket);
    if (attempt == 500) fail("connect");
    usleep(10000);
  }
}

void put(int socket, const void* bytes, std::size_t size) {
  if (::send(socket, bytes, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size)) fail("send");
}
void take(int socket, void* bytes, std::size_t size) {
  if (recv(socket, bytes, size, MSG_WAITALL) != static_cast<ssize_t>(size)) fail("recv");
}

constexpr std::size_t name_bytes = 40;

}  // namespace

int Mesh::listen(std::string& name) {
  name = "fake-nccl-" + std::to_string(getpid()) + "-" + std::to_string(std::random_device{}());
  socklen_t length = 0;
  const sockaddr_un address = address_of(name, length);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0 || bind(socket, reinterpret_cast<const sockaddr*>(&address), length) != 0 || ::listen(socket, 64) != 0)
    fail("listen");
  return socket;
}

// Each rank tells rank 0 where it listens, learns of the others there, and connects to those below it.
Mesh::Mesh(const std::string& name, int listener, int rank, int size) : rank_(rank), peers_(static_cast<std::size_t>(size), -1) {
  std::vector<char> names(static_cast<std::size_t>(size) * name_bytes);
  const auto at = [&](int one) { return names.data() + static_cast<std::size_t>(one) * name_bytes; };
  const auto accept_peer = [&](int socket) {
    const int peer = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) fail("accept");
    std::int32_t who = 0;
    take(peer, &who, sizeof who);
    peers_.at(static_cast<std::size_t>(who)) = peer;
    return who;
  };
  const std::int32_t me = rank;
  if (rank == 0) {
    for (int i = 1; i < size; ++i) {
      const int who = accept_peer(listener);
      take(peers_[static_cast<std::size_t>(who)], at(who), name_bytes);
    }
    for (int i = 1; i < size; ++i) put(peers_[static_cast<std::size_t>(i)], names.data(), names.size());
    return;
  }
  std::string mine;
  const int here = listen(mine);
  peers_[0] = connect_to(name);
  put(peers_[0], &me, sizeof me);
  std::memcpy(at(rank), mine.data(), std::min(mine.size(), name_bytes - 1));
  put(peers_[0], at(rank), name_bytes);
  take(peers_[0], names.data(), names.size());
  for (int other = 1; other < rank; ++other) {
    peers_[static_cast<std::size_t>(other)] = connect_to(at(other));
    put(peers_[static_cast<std::size_t>(other)], &me, sizeof me);
  }
  for (int other = rank + 1; other < size; ++other) accept_peer(here);
  close(here);
}

Mesh::~Mesh() {
  for (const int peer : peers_)
    if (peer >= 0) close(peer);
}

bool Mesh::send(int peer, Half& message) {
  const int socket = peers_[static_cast<std::size_t>(peer)];
  message.head = message.size;
  while (message.done < sizeof message.head + message.size) {
    const bool head = message.done < sizeof message.head;
    const void* const from =
        head ? reinterpret_cast<std::byte*>(&message.head) + message.done : message.bytes + (message.done - sizeof message.head);
    const std::size_t left = head ? sizeof message.head - message.done : message.size - (message.done - sizeof message.head);
    const ssize_t sent = ::send(socket, from, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (sent < 0) fail("send");
    message.done += static_cast<std::uint64_t>(sent);
  }
  return true;
}

bool Mesh::receive(int peer, Half& message) {
  const int socket = peers_[static_cast<std::size_t>(peer)];
  while (message.done < sizeof message.head + message.size) {
    const bool head = message.done < sizeof message.head;
    void* const to =
        head ? reinterpret_cast<std::byte*>(&message.head) + message.done : message.bytes + (message.done - sizeof message.head);
    const std::size_t left = head ? sizeof message.head - message.done : message.size - (message.done - sizeof message.head);
    const ssize_t got = recv(socket, to, left, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got < 0) fail("recv");
    if (got == 0) throw std::runtime_error("the peer has closed the connection");
    message.done += static_cast<std::uint64_t>(got);
    if (message.done == sizeof message.head && message.head != message.size)
      throw std::runtime_error("a message of " + std::to_string(message.head) + " bytes where " + std::to_string(message.size) +
                               " were awaited");
  }
  return true;
}

}  // namespace fake_nccl
