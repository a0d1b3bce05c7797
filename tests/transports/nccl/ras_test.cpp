// Asking NCCL's RAS service: servers that answer, cut their answers, say nothing, or are something else.
#include "transports/nccl/ras.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "tests/test.hpp"

namespace railgauge::nccl {
namespace {

constexpr std::chrono::milliseconds long_enough{20'000};

const std::string status =
    "NCCL version 2.28.9 compiled with CUDA 13.0\n\nJob summary\n===========\n\n  Nodes  Processes\n\nCommunicators... (0.00s)\n"
    "=============\n\nGroup     Status  Errors\n    0    RUNNING  INCOMPLETE\n\nErrors\n======\n\nDEAD\n  1 job process is "
    "considered "
    "dead (unreachable via the RAS network)\n  Process 812 on node 10.0.0.2 managing GPU 1\n\n#0-0 (00c0ffee) INCOMPLETE\n  "
    "Missing "
    "communicator data from 1 rank\n  Rank 3 -- GPU 1 managed by process 812 on node 10.0.0.2\n\nWarnings\n========\n\n"
    "#0-0 (00c0ffee) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
    "  Rank 2 has launched up to operation 4 -- GPU 0 managed by process 811 on node 10.0.0.2\n\n";

const std::string troubles =
    "1 job process is considered dead (unreachable via the RAS network); Process 812 on node 10.0.0.2 managing GPU 1; Missing "
    "communicator data from 1 rank; Rank 3 -- GPU 1 managed by process 812 on node 10.0.0.2; Communicator ranks have different "
    "AllReduce operation counts; Rank 2 has launched up to operation 4 -- GPU 0 managed by process 811 on node 10.0.0.2";

// One conversation at a port of its own.
class Server {
 public:
  explicit Server(std::function<void(int socket)> serve) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(listen(listener_, 1) == 0);
    REQUIRE(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = std::to_string(ntohs(address.sin_port));
    if (serve)
      thread_ = std::thread([listener = listener_, serve = std::move(serve)] {
        const int one = accept(listener, nullptr, nullptr);
        serve(one);
        close(one);
      });
  }
  ~Server() {
    if (thread_.joinable()) thread_.join();
    close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  [[nodiscard]] std::string address(const std::string& host = "127.0.0.1") const { return host + ":" + port_; }

 private:
  int listener_ = -1;
  std::string port_;
  std::thread thread_;
};

std::string line_of(int socket) {
  std::string line;
  for (char c = 0; recv(socket, &c, 1, 0) == 1 && c != '\n';) line += c;
  return line;
}
void say(int socket, const std::string& words) { (void)send(socket, words.data(), words.size(), MSG_NOSIGNAL); }

// As NCCL does, a few bytes at a time.
void answer(int socket, const std::string& words) {
  if (line_of(socket) != "CLIENT PROTOCOL 2") return;
  say(socket, "SERVER PROTOCOL 2\n");
  if (!line_of(socket).starts_with("TIMEOUT ")) return;
  say(socket, "OK\n");
  if (line_of(socket) != "VERBOSE STATUS") return;
  for (std::size_t at = 0; at < words.size(); at += 100) say(socket, words.substr(at, 100));
}

TEST_CASE("ras: what is wrong is what stands below errors and warnings, without their headings") {
  CHECK(troubles_in(status) == troubles);
  CHECK(troubles_in("").empty());
  CHECK(troubles_in("Errors\n======\n\nWarnings\n========\n\n").empty());
  CHECK(troubles_in("  Rank 3 is missing\n").empty());
  CHECK(troubles_in("Errors\r\n======\r\n  Rank 3 is missing\r\n") == "Rank 3 is missing");
  CHECK(troubles_in("Errors\n  Rank 3 is mis") == "Rank 3 is mis");
  const std::string much = troubles_in("Errors\n  " + std::string(5000, 'x') + "\n");
  CHECK(much.size() < 700);
  CHECK(much.ends_with("..."));
}

TEST_CASE("ras: a service that knows of missing ranks is quoted") {
  const auto host = GENERATE(as<std::string>{}, "127.0.0.1", "localhost");
  const Server server([](int socket) { answer(socket, status); });
  CHECK(ask_ras(server.address(host), long_enough) == troubles);
}

TEST_CASE("ras: an answer that is cut counts up to there") {
  const Server server([](int socket) { answer(socket, status.substr(0, status.find("Warnings"))); });
  CHECK(ask_ras(server.address(), long_enough) == troubles.substr(0, troubles.find("; Communicator ranks")));
}

TEST_CASE("ras: nothing is said where no service answers") {
  CHECK(said_by_ras("").empty());
  for (const char* const address : {"localhost", "127.0.0.1:", ":28028", "127.0.0.1:x", "no.such.host:28028", "[::1:28028"})
    CHECK(ask_ras(address, long_enough).empty());
  std::string closed;
  {
    const Server server(nullptr);
    closed = server.address();
  }
  CHECK(ask_ras(closed, long_enough).empty());
  const Server other([](int socket) { say(socket, "HTTP/1.1 400 Bad Request\r\n\r\n"); });
  CHECK(ask_ras(other.address(), long_enough).empty());
}

TEST_CASE("ras: who does not answer is not waited for longer than that") {
  const Server silent(nullptr);  // the kernel takes the connection
  CHECK(ask_ras(silent.address(), std::chrono::milliseconds(50)).empty());
  const Server halfway([](int socket) {
    answer(socket, status.substr(0, status.find("\n\n#0-0")));
    std::array<char, 1> one{};
    (void)recv(socket, one.data(), one.size(), 0);  // until the other end gives up
  });
  CHECK(ask_ras(halfway.address(), std::chrono::milliseconds(2000)) == troubles.substr(0, troubles.find("; Missing")));
}

}  // namespace
}  // namespace railgauge::nccl
