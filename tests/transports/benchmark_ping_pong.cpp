// Times a ping-pong of two processes straight on the Exchange contract, without plan and executor: what a transport itself costs.
//   benchmark_ping_pong PLUGIN_FOLDER TRANSPORT BYTES ROUND_TRIPS [NAME=VALUE ...]
// Prints the median and the mean of half a round trip in nanoseconds, over batches; rank 0 is pinned to core 0, rank 1 to core 1.
#include <fmt/format.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "transports/table.hpp"

namespace {

using namespace railgauge;

// Two ranks over a pair of connected sockets.
class Pair final : public Group {
 public:
  Pair(int rank, int socket) : Group(rank, {"localhost", "localhost"}), socket_(socket) {}
  ~Pair() override { close(socket_); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  std::vector<Blob> allgather(const Blob& mine) override {
    std::vector<Blob> all(2);
    all[static_cast<std::size_t>(rank())] = mine;
    all[static_cast<std::size_t>(1 - rank())] = swap(mine);
    return all;
  }
  void barrier() override { static_cast<void>(swap({})); }
  std::vector<Blob> exchange(std::span<const int>, std::span<const Blob> blobs) override { return {swap(blobs[0])}; }
  std::unique_ptr<Group> split(int) override { throw Error(Fault::usage, "this group cannot be split"); }
  void check() const override {}

 private:
  Blob swap(const Blob& mine) {
    std::uint64_t bytes = mine.size();
    write_all(&bytes, sizeof bytes);
    write_all(mine.data(), mine.size());
    read_all(&bytes, sizeof bytes);
    Blob theirs(bytes);
    read_all(theirs.data(), theirs.size());
    return theirs;
  }
  void write_all(const void* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t some = write(socket_, static_cast<const char*>(from) + done, bytes - done);
      if (some <= 0) throw Error(Fault::lost, "the other rank is gone");
      done += static_cast<std::size_t>(some);
    }
  }
  void read_all(void* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t some = read(socket_, static_cast<char*>(to) + done, bytes - done);
      if (some <= 0) throw Error(Fault::lost, "the other rank is gone");
      done += static_cast<std::size_t>(some);
    }
  }
  int socket_;
};

void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<unsigned>(core), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

void run(Exchange& exchange, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    exchange.post(round);
    while (!exchange.test(round)) {}
  }
}

int play(Group& group, char** arguments, int count) {
  const std::size_t bytes = std::strtoull(arguments[3], nullptr, 10);
  const std::size_t trips = std::max(std::size_t{20}, std::size_t{std::strtoull(arguments[4], nullptr, 10)});
  Settings settings;
  for (int i = 5; i < count; ++i) {
    const std::string_view text = arguments[i];
    const std::size_t equals = text.find('=');
    settings[std::string(text.substr(0, equals))] = equals == text.npos ? "" : std::string(text.substr(equals + 1));
  }
  const Plugin plugin = load_plugin(arguments[2], "railgauge_transport", {arguments[1]});
  if (plugin.symbol == nullptr) throw Error(Fault::usage, plugin.reason);
  const auto transport = reinterpret_cast<const TransportTable* (*)()>(plugin.symbol)()->open(settings);

  constexpr std::size_t page = 4096;
  const std::size_t room = std::max(page, (bytes + page - 1) / page * page);
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(page, 2 * room));
  std::memset(memory, group.rank() + 1, 2 * room);
  {
    const auto endpoint = transport->connect(group, Place{});
    endpoint->attach({.address = memory, .bytes = 2 * room});
    const int peer = 1 - group.rank();
    const Message send{.kind = Message::Kind::send, .elided = true, .peer = peer, .address = memory, .bytes = bytes};
    const Message receive{.kind = Message::Kind::receive, .elided = true, .peer = peer, .address = memory + room, .bytes = bytes};
    const auto exchange =
        group.rank() == 0 ? endpoint->prepare(0, {{send}, {receive}}) : endpoint->prepare(0, {{receive}, {send}});

    const std::size_t batch = std::clamp(trips / 5000, std::size_t{1}, std::size_t{10});
    for (std::size_t i = 0; i < trips / 10; ++i) run(*exchange, 2);
    std::vector<double> samples;
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    auto before = begin;
    for (std::size_t i = 0; i < trips / batch; ++i) {
      for (std::size_t k = 0; k < batch; ++k) run(*exchange, 2);
      const auto now = Clock::now();
      samples.push_back(std::chrono::duration<double, std::nano>(now - before).count() / 2 / static_cast<double>(batch));
      before = now;
    }
    const double mean =
        std::chrono::duration<double, std::nano>(before - begin).count() / 2 / static_cast<double>(samples.size() * batch);
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2), samples.end());
    if (group.rank() == 0) fmt::print("{:.1f} {:.1f}\n", samples[samples.size() / 2], mean);
    group.barrier();
  }
  std::free(memory);
  return 0;
}

int rank(int number, int socket, char** arguments, int count) {
  try {
    pin(number);
    Pair group(number, socket);
    return play(group, arguments, count);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", number, error.what());
    return 2;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    fmt::print(stderr, "usage: benchmark_ping_pong PLUGIN_FOLDER TRANSPORT BYTES ROUND_TRIPS [NAME=VALUE ...]\n");
    return 2;
  }
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) != 0) return 2;
  const pid_t child = fork();
  if (child == 0) {
    close(sockets[0]);
    return rank(1, sockets[1], arguments, count);
  }
  close(sockets[1]);
  const int mine = rank(0, sockets[0], arguments, count);
  int status = 0;
  waitpid(child, &status, 0);
  return mine != 0 ? mine : (WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}
