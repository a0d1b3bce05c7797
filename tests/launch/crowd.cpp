// crowd RANKS: so many ranks of this machine meet, over its loopback, each with the code and the connections of a real one; how
// long that takes, and how much of it is the work of rank 0, which no number of machines shares. Ranks are threads of processes
// of 256.
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
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/launch/door.hpp"
#include "bench/launch/meeting.hpp"

namespace {

using namespace railgauge;
using Clock = std::chrono::steady_clock;

constexpr int threads_a_process = 256;
constexpr Seconds deadline{300};

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

// Runs one rank; keeps its connections until all are there.
void meet(Shared& shared, int rank, int ranks, const std::string& address, Rendezvous* own) {
  Introduction me{rank, ranks, fmt::format("n{:05}", rank / 8), "validate --quick", {}};
  pthread_barrier_wait(&shared.start);
  if (rank == 0) shared.first = Clock::now().time_since_epoch().count();
  const double before = processor_seconds();
  try {
    Meeting meeting(me, address, deadline, own);
    const Tied tied = meeting.run();
    note_later(shared.last);
    if (rank == 0) shared.work = processor_seconds() - before;
    ++shared.done;
    pthread_barrier_wait(&shared.end);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", rank, error.what());
    pthread_barrier_wait(&shared.end);
  }
}

void meet_all(Shared& shared, int first, int count, int ranks, const std::string& address) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, std::size_t{256} << 10);
  struct Task {
    Shared& shared;
    int rank, ranks;
    const std::string& address;
  };
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<pthread_t> threads;
  for (int rank = first; rank < first + count; ++rank) {
    tasks.push_back(std::make_unique<Task>(Task{shared, rank, ranks, address}));
    const auto start = [](void* argument) -> void* {
      const auto& task = *static_cast<Task*>(argument);
      meet(task.shared, task.rank, task.ranks, task.address, nullptr);
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
  const std::string_view word = count == 2 ? words[1] : "";
  if (const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), ranks);
      code != std::errc{} || end != word.data() + word.size() || ranks < 2) {
    fmt::print(stderr, "usage: crowd RANKS\n");
    return 2;
  }
  void* const pages = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 2;
  Shared& shared = *new (pages) Shared;
  pthread_barrierattr_t between;
  pthread_barrierattr_init(&between);
  pthread_barrierattr_setpshared(&between, PTHREAD_PROCESS_SHARED);
  for (pthread_barrier_t* const barrier : {&shared.start, &shared.end})
    pthread_barrier_init(barrier, &between, static_cast<unsigned>(ranks));
  setpgid(0, 0);  // to end together
  Rendezvous own(Reach::machine);
  const std::string address = own.address();
  std::vector<pid_t> processes;
  for (int first = 1; first < ranks; first += threads_a_process) {
    const pid_t process = fork();
    if (process == 0) {
      own.close();
      allow_connections(8 * threads_a_process + ranks / 16);
      meet_all(shared, first, std::min(threads_a_process, ranks - first), ranks, address);
      _exit(0);
    }
    processes.push_back(process);
  }
  // Where a process dies, nobody else would go on.
  alarm(static_cast<unsigned>(2 * deadline.count()));
  meet(shared, 0, ranks, address, &own);
  for (const pid_t process : processes) waitpid(process, nullptr, 0);
  if (shared.done != ranks) {
    fmt::print(stderr, "{} of {} ranks met\n", shared.done.load(), ranks);
    return 1;
  }
  const Seconds took = Clock::duration(shared.last.load() - shared.first);
  fmt::print("{} ranks met in {:.3f} s; rank 0 was at work for {:.3f} s of it, {:.1f} us for each\n", ranks, took.count(),
             shared.work, 1e6 * shared.work / ranks);
  return 0;
}
