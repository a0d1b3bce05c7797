// crowd RANKS [agents]: so many ranks of this machine meet, over its loopback, each with the code and the connections of a real
// one; how long that takes, and how much of it is the work of the one process that all come to, which no number of machines
// shares. Ranks are threads of processes of 256. As agents they meet a conductor, which then has orders for pairs, answered at
// once.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/agents/conductor.hpp"
#include "bench/agents/order.hpp"
#include "bench/launch/acceptor.hpp"
#include "bench/launch/link.hpp"
#include "bench/launch/rendezvous.hpp"
#include "bench/launch/sentences.hpp"
#include "bench/launch/shape.hpp"

namespace {

using namespace railgauge;
using Clock = std::chrono::steady_clock;

constexpr int threads_a_process = 256;
constexpr Seconds deadline{300};
constexpr int rounds = 3;

struct Shared {
  pthread_barrier_t start, end;  // of all ranks
  std::atomic<int> done = 0;
  double work = 0;                   // of rank 0, seconds
  Clock::rep first = 0;              // when they started
  std::atomic<Clock::rep> last = 0;  // when the last of them was connected
};

void note_later(std::atomic<Clock::rep>& last) {
  const Clock::rep now = Clock::now().time_since_epoch().count();
  for (Clock::rep seen = last; seen < now && !last.compare_exchange_weak(seen, now);) {}
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void tell(int rank, const std::exception& error) { fmt::print(stderr, "rank {}: {}\n", rank, error.what()); }

struct CrowdMember {
  Shared& shared;
  int rank, ranks;
  const std::string& address;
};
std::string node_of(int rank) { return fmt::format("n{:05}", rank / 8); }
constexpr const char* arguments = "validate --quick";

// One rank of a control tree; keeps its connections until all are there.
void be_rank(const CrowdMember& part, RootListener* own) {
  Shared& shared = part.shared;
  pthread_barrier_wait(&shared.start);
  if (part.rank == 0) shared.first = Clock::now().time_since_epoch().count();
  const double before = processor_seconds();
  try {
    Rendezvous rendezvous({part.rank, part.ranks, node_of(part.rank), arguments, {}}, part.address, deadline, own);
    const ConnectedPeers connected = rendezvous.run();
    // What the children are told is long, and still in flight.
    while (*connected.unsent > 0) (void)connected.context->run_one();
    note_later(shared.last);
    if (part.rank == 0) shared.work = processor_seconds() - before;
    ++shared.done;
    pthread_barrier_wait(&shared.end);
  } catch (const std::exception& error) {
    tell(part.rank, error);
    pthread_barrier_wait(&shared.end);
  }
}

// An agent whose worker is done at once.
class Idle final : private LinkEvents {
 public:
  explicit Idle(const CrowdMember& part) : rank_(part.rank) {
    const Address address = parse_address(part.address);
    const wire::Hello hello{wire::protocol, address.token, wire::Hello::Purpose::introduce, static_cast<std::uint32_t>(rank_)};
    conductor_.emplace(context_, dial(address.candidates, hello, 0, moment_after(deadline)), unsent_);
    conductor_->events = this;
    conductor_->read();
    say({{"is", "introduction"},
         {"size", part.ranks},
         {"node", node_of(rank_)},
         {"local_rank", rank_ % 8},
         {"machine", node_of(rank_)},
         {"cores", 64},
         {"arguments", arguments}});
  }
  void run() {
    while (!over_) (void)context_.run_one();
  }
  int orders = 0;

 private:
  void arrived(Link&, const wire::Head& head, wire::Body body) override {
    if (head.kind == wire::Kind::goodbye) {
      over_ = true;
      return;
    }
    const nlohmann::json message = agents::message_of(*body);
    if (agents::kind_of(message) == "ping") return say({{"is", "pong"}});
    if (agents::kind_of(message) != "order") return;
    ++orders;
    agents::Answer answer;
    answer.order = agents::order_of(message).number;
    answer.rank = rank_;
    const nlohmann::json result{{"what", "stream"},     {"bytes", 262144},
                                {"status", "ok"},       {"reason", ""},
                                {"seconds", 5.4321e-6}, {"busbw", 48.2571},
                                {"least", 5.1e-6},      {"p95", 6.2e-6},
                                {"most", 8.1e-6},       {"p99", 7.4e-6},
                                {"begun", 0.8},         {"samples", 36000},
                                {"back", false},        {"stretches", std::vector<double>(8, 5.4321e-6)}};
    answer.figures = {{"results", {result, result, result}}};
    say(agents::to_json(answer));
  }
  void ended(Link&, const std::string&) override { over_ = true; }
  void drained() override {}
  void say(const nlohmann::json& message) { conductor_->send({wire::Kind::letter}, agents::body_of(message)); }

  int rank_;
  boost::asio::io_context context_{1};
  std::atomic<std::size_t> unsent_{0};
  std::optional<Link> conductor_;
  bool over_ = false;
};

void be_agent(const CrowdMember& part) {
  pthread_barrier_wait(&part.shared.start);
  try {
    Idle agent(part);
    agent.run();
    if (agent.orders == rounds) ++part.shared.done;
  } catch (const std::exception& error) { tell(part.rank, error); }
}

void conduct(Shared& shared, int ranks, RootListener own) {
  agents::Conductor conductor(std::move(own), ranks, arguments, {deadline, deadline});
  const auto always = [] { return true; };
  pthread_barrier_wait(&shared.start);
  const auto took = [](const char* what, const std::function<void()>& act) {
    const auto start = Clock::now();
    const double before = processor_seconds();
    act();
    fmt::print("{}: {:.3f} s, of which the conductor was at work for {:.3f}\n", what, Seconds(Clock::now() - start).count(),
               processor_seconds() - before);
  };
  took("rendezvous", [&] { conductor.meet(always); });
  for (int round = 0; round < rounds; ++round) {
    std::vector<agents::Order> orders;
    for (int rank = 0; rank < ranks / 2; ++rank) {
      agents::Order& order = orders.emplace_back();
      order.task = "measure";
      const nlohmann::json part{{"what", "stream"}, {"bytes", "256K"}, {"window", 16}, {"back", false}};
      order.words = {{"parts", {part, part, part}}, {"seconds", 0.2}, {"watchdog", 3}};
      order.members = {rank, rank + ranks / 2};
      order.limit = deadline;
    }
    std::vector<std::vector<agents::Answer>> answers;
    took("a round of orders", [&] { answers = conductor.carry_out(std::move(orders), always); });
    for (const std::vector<agents::Answer>& each : answers)
      for (const agents::Answer& answer : each)
        if (answer.ending != agents::Answer::Ending::done) fmt::print(stderr, "{}\n", answer.sentence);
  }
}

void start_threads(Shared& shared, int first, int count, int ranks, const std::string& address, void (*act)(const CrowdMember&)) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, std::size_t{256} << 10);
  struct Task {
    CrowdMember part;
    void (*act)(const CrowdMember&);
  };
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<pthread_t> threads;
  for (int rank = first; rank < first + count; ++rank) {
    tasks.push_back(std::make_unique<Task>(Task{{shared, rank, ranks, address}, act}));
    const auto start = [](void* argument) -> void* {
      const auto& task = *static_cast<Task*>(argument);
      task.act(task.part);
      return nullptr;
    };
    pthread_t thread{};
    if (const int code = pthread_create(&thread, &small, start, tasks.back().get()); code != 0) {
      fmt::print(stderr, "there are only {} threads: {}\n", threads.size(), std::strerror(code));
      kill(0, SIGTERM);
    }
    threads.push_back(thread);
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
}

}  // namespace

int main(int count, char** words) {
  int ranks = 0;
  const std::string_view word = count == 2 || count == 3 ? words[1] : "";
  const bool as_agents = count == 3;
  if (const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), ranks);
      code != std::errc{} || end != word.data() + word.size() || ranks < 2 || ranks % 2 != 0 ||
      (as_agents && words[2] != std::string_view("agents"))) {
    fmt::print(stderr, "usage: crowd RANKS [agents]: an even number\n");
    return 2;
  }
  void* const pages = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 2;
  Shared& shared = *new (pages) Shared;
  pthread_barrierattr_t between;
  pthread_barrierattr_init(&between);
  pthread_barrierattr_setpshared(&between, PTHREAD_PROCESS_SHARED);
  // A conductor is besides its agents.
  for (pthread_barrier_t* const barrier : {&shared.start, &shared.end})
    pthread_barrier_init(barrier, &between, static_cast<unsigned>(as_agents ? ranks + 1 : ranks));
  setpgid(0, 0);  // to end together
  RootListener own(Reach::machine);
  const std::string address = own.address();
  std::vector<pid_t> processes;
  for (int first = as_agents ? 0 : 1; first < ranks; first += threads_a_process) {
    const pid_t process = fork();
    if (process == 0) {
      own.close();
      allow_connections(threads_a_process * (shape::fan_out + 8));
      start_threads(
          shared, first, std::min(threads_a_process, ranks - first), ranks, address,
          as_agents ? be_agent : [](const CrowdMember& part) { be_rank(part, nullptr); });
      _exit(0);
    }
    processes.push_back(process);
  }
  // Where a process dies, nobody else would go on.
  alarm(static_cast<unsigned>(2 * deadline.count()));
  if (as_agents)
    conduct(shared, ranks, std::move(own));
  else
    be_rank({shared, 0, ranks, address}, &own);
  for (const pid_t process : processes) waitpid(process, nullptr, 0);
  if (shared.done != ranks) {
    fmt::print(stderr, "{} of {} ranks came through\n", shared.done.load(), ranks);
    return 1;
  }
  const Seconds took = Clock::duration(shared.last.load() - shared.first);
  if (!as_agents)
    fmt::print("{} ranks met in {:.3f} s; rank 0 was at work for {:.3f} s of it, {:.1f} us for each\n", ranks, took.count(),
               shared.work, 1e6 * shared.work / ranks);
  return 0;
}
