// The service of NCCL 2.24 and later that tells of missing ranks: as much of its protocol and of its words as is needed.
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "tests/transports/nccl/fake/communicator.hpp"

namespace {

void say(int socket, const std::string& words) { (void)send(socket, words.data(), words.size(), MSG_NOSIGNAL); }

std::string status(const std::string& rank) {
  return "NCCL version 2.28.9 compiled with CUDA 13.0\n\nJob summary\n===========\n\n  Nodes  Processes\n(total)    (total)\n    "
         "  1  "
         "        2\n\nCommunicators... (0.00s)\n=============\n\nGroup     Comms    Status  Errors\n    0         1      INIT  "
         "INCOMPLETE\n\nErrors\n======\n\n#0-0 (1234567890abcdef) INCOMPLETE\n  Missing communicator data from 1 rank\n  Rank " +
         rank + " -- GPU 1 managed by process 4711 on node 127.0.0.1\n\nWarnings\n========\n\n";
}

// One line after the other; a status ends the conversation.
void serve(int socket, const std::string& rank) {
  std::string heard;
  for (char c = 0; recv(socket, &c, 1, 0) == 1;) {
    if (c != '\n') {
      heard += c;
      continue;
    }
    if (heard.starts_with("CLIENT PROTOCOL ")) say(socket, "SERVER PROTOCOL 2\n");
    if (heard.starts_with("TIMEOUT ")) say(socket, "OK\n");
    if (heard.ends_with("STATUS")) {
      say(socket, status(rank));
      break;
    }
    heard.clear();
  }
  close(socket);
}

int listen_at(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (colon == std::string::npos ||
      getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found) != 0)
    return -1;
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);  // of all processes of a host
  const bool listens = bind(socket, found->ai_addr, found->ai_addrlen) == 0 && listen(socket, 16) == 0;
  freeaddrinfo(found);
  return listens ? socket : -1;
}

}  // namespace

void fake_nccl::start_ras() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* const address = std::getenv("NCCL_RAS_ADDR");
    const char* const rank = std::getenv("FAKE_RAS");
    if (address == nullptr || rank == nullptr) return;
    const int listener = listen_at(address);
    if (listener < 0) return;
    std::thread([listener, its = std::string(rank)] {
      for (;;)
        if (const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); socket >= 0) serve(socket, its);
    }).detach();
  });
}
