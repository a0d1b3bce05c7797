// The supervisor of local ranks: how runs end, and that nothing outlives them.
#include "bench/launch/local.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "bench/launch/process_state.hpp"
#include "tests/launch/run_processes.hpp"
#include "tests/test.hpp"
#include "transports/gather.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

std::pair<Descriptor, Descriptor> pipe_ends() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string read_to_end(const Descriptor& from) {
  std::string all;
  char bytes[512];
  for (ssize_t count = 0; (count = read(from.get(), bytes, sizeof bytes)) > 0;)
    all.append(bytes, static_cast<std::size_t>(count));
  return all;
}

struct Outcome {
  int code = -1;
  std::string said;  // by all on stderr
};

// run_local() in a process of its own, whose identity `meanwhile` is given.
Outcome supervise(int ranks, const LocalBody& body, const std::function<void(pid_t)>& meanwhile = {},
                  const Slice* slice = nullptr, const LocalEvents& events = {}) {
  auto [from, to] = pipe_ends();
  std::fflush(nullptr);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    // Catch2 has handlers of its own for these.
    for (const int signal : {SIGTERM, SIGINT, SIGSEGV}) (void)std::signal(signal, SIG_DFL);
    (void)dup2(to.get(), 2);
    close(to.release());
    close(from.release());
    _exit(run_local(ranks, body, events, slice));
  }
  close(to.release());
  if (meanwhile) meanwhile(supervisor);
  Outcome outcome{-1, read_to_end(from)};
  int status = 0;
  (void)waitpid(supervisor, &status, 0);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

// A rank that joins, does `work`, and ends as the program would.
LocalBody rank_that(int ranks, const std::function<void(ControlTree&)>& work) {
  return [=](int rank, const std::string& address, RootListener* own) {
    try {
      const auto tree = join({rank, ranks, "here", "a"}, address, test::patient(), own);
      try {
        tree->barrier();
        work(*tree);
      } catch (const Error& error) {
        tree->announce(error.what());
        throw;
      }
      return 0;
    } catch (const Error& error) { return static_cast<int>(error.fault()); }
  };
}

[[noreturn]] void sleep_for_ever() {
  while (true) pause();
}

}  // namespace

TEST_CASE("supervisor: a run that goes well is silent") {
  const Outcome outcome = supervise(5, rank_that(5, [](ControlTree& tree) {
                                      if (tree.allgather({}).size() != 5) throw Error(Fault::wrong_data, "size");
                                    }));
  CHECK(outcome.code == 0);
  CHECK(outcome.said.empty());
}

TEST_CASE("supervisor: a killed rank is named and the run ends with code 5") {
  for (const int victim : {0, 2}) {
    const Outcome outcome = supervise(4, rank_that(4, [&](ControlTree& tree) {
                                        if (tree.rank() == victim) raise(SIGKILL);
                                        tree.barrier();
                                      }));
    CHECK(outcome.code == 5);
    CHECK_THAT(outcome.said, ContainsSubstring("railgauge: rank " + std::to_string(victim) + " (process "));
    CHECK_THAT(outcome.said, ContainsSubstring(") was killed by signal 9 (Killed)\n"));
    CHECK(outcome.said.find('\n') == outcome.said.size() - 1);  // one sentence
  }
}

TEST_CASE("supervisor: the most severe code of the ranks is the run's") {
  const auto codes = [](std::vector<int> each) {
    return supervise(static_cast<int>(each.size()),
                     [each](int rank, const std::string&, RootListener*) { return each[static_cast<std::size_t>(rank)]; })
        .code;
  };
  CHECK(codes({0, 0, 0}) == 0);
  CHECK(codes({0, 4, 1}) == 1);
  CHECK(codes({5, 2, 5}) == 2);
  CHECK(codes({2, 5, 6}) == 6);
}

TEST_CASE("supervisor: a rank that fails is named first, the others end by themselves") {
  const Outcome outcome = supervise(4, rank_that(4, [](ControlTree& tree) {
                                      if (tree.rank() == 1) throw Error(Fault::usage, "no such port");
                                      tree.barrier();
                                    }));
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.said, ContainsSubstring("railgauge: rank 1 (process "));
  CHECK_THAT(outcome.said, ContainsSubstring(") ended with exit code 2\n"));
  CHECK(outcome.said.find('\n') == outcome.said.size() - 1);
}

TEST_CASE("supervisor: a rank that ends as lost is named when nothing else explains it") {
  const Outcome outcome = supervise(2, [](int rank, const std::string&, RootListener*) { return rank == 1 ? 5 : 0; });
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.said, ContainsSubstring("rank 1 (process "));
  CHECK_THAT(outcome.said, ContainsSubstring(") ended with exit code 5\n"));
}

TEST_CASE("supervisor: what a rank throws is said, with its code") {
  const Outcome outcome = supervise(2, [](int rank, const std::string&, RootListener*) -> int {
    if (rank == 1) throw Error(Fault::not_comparable, "apples and pears");
    return 0;
  });
  CHECK(outcome.code == 3);
  CHECK_THAT(outcome.said, ContainsSubstring("railgauge: rank 1: apples and pears\n"));
}

TEST_CASE("supervisor: a rank that will not end is made to", "[long]") {
  const Outcome outcome = supervise(3, rank_that(3, [](ControlTree& tree) {
                                      if (tree.rank() == 1) (void)std::signal(SIGTERM, SIG_IGN);
                                      tree.barrier();
                                      if (tree.rank() == 0) raise(SIGSEGV);
                                      sleep_for_ever();
                                    }));
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.said, ContainsSubstring("rank 0 (process "));
  CHECK_THAT(outcome.said, ContainsSubstring("ranks 1 and 2 did not end within 3 s; sending signal 15 (Terminated)\n"));
  CHECK_THAT(outcome.said, ContainsSubstring("rank 1 did not end within 2 s; sending signal 9 (Killed)\n"));
}

TEST_CASE("supervisor: an interruption is handed on, and the run ends with code 5") {
  auto [from, to] = pipe_ends();
  const int up = to.get();
  const Outcome outcome = supervise(
      3,
      [up](int, const std::string&, RootListener*) -> int {
        (void)!write(up, "u", 1);
        sleep_for_ever();
      },
      [&from = from](pid_t supervisor) {
        char byte = 0;
        for (int rank = 0; rank < 3; ++rank) (void)!read(from.get(), &byte, 1);
        kill(supervisor, SIGTERM);
      });
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.said, ContainsSubstring("interrupted by signal 15 (Terminated); waiting for 3 ranks to end\n"));
  CHECK(outcome.said.find('\n') == outcome.said.size() - 1);
}

TEST_CASE("supervisor: when it is killed its ranks vanish") {
  auto [from, to] = pipe_ends();
  const int up = to.get();
  std::string heard;
  (void)supervise(
      3,
      [up](int, const std::string&, RootListener*) -> int {
        (void)!write(up, "u", 1);
        sleep_for_ever();
      },
      [&](pid_t supervisor) {
        char byte = 0;
        for (int rank = 0; rank < 3; ++rank) (void)!read(from.get(), &byte, 1);
        close(to.release());
        kill(supervisor, SIGKILL);
        heard = read_to_end(from);  // ends when no rank holds the other end any more
      });
  CHECK(heard.empty());
}

TEST_CASE("supervisor: a rank that stays stopped is named, and the run ends with code 5") {
  LocalEvents events;
  events.most_stopped = Seconds{1};
  for (const int victim : {0, 2}) {
    const Outcome outcome = supervise(4,
                                      rank_that(4,
                                                [&](ControlTree& tree) {
                                                  if (tree.rank() == victim) raise(SIGSTOP);
                                                  tree.barrier();
                                                }),
                                      {}, nullptr, events);
    CHECK(outcome.code == 5);
    CHECK_THAT(outcome.said, ContainsSubstring("railgauge: rank " + std::to_string(victim) + " (process "));
    CHECK_THAT(outcome.said, ContainsSubstring(") has not answered for 1 s: it is stopped (state T) by signal 19 (Stopped "));
    CHECK(outcome.said.find('\n') == outcome.said.size() - 1);  // one sentence
  }
}

TEST_CASE("supervisor: a rank that is stopped and goes on soon is no news") {
  const Outcome outcome = supervise(3, rank_that(3, [](ControlTree& tree) {
                                      const std::vector<std::int64_t> processes = gather<std::int64_t>(tree, getpid());
                                      if (tree.rank() == 1) raise(SIGSTOP);
                                      if (tree.rank() == 0) {
                                        const auto stopped = static_cast<pid_t>(processes[1]);
                                        while (!is_stopped(state_of_process(stopped).value_or('T'))) usleep(1000);
                                        kill(stopped, SIGCONT);
                                      }
                                      tree.barrier();
                                    }));
  CHECK(outcome.code == 0);
  CHECK(outcome.said.empty());
}

namespace {

// Two supervisors of two and three ranks of one run, side by side.
std::pair<Outcome, Outcome> supervise_slices(const std::function<void(ControlTree&)>& work) {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  const Slice first{0, address, &listener}, second{2, address, nullptr};
  std::pair<Outcome, Outcome> outcomes;
  outcomes.first = supervise(
      2, rank_that(5, work),
      [&](pid_t) {
        listener.close();
        outcomes.second = supervise(3, rank_that(5, work), {}, &second);
      },
      &first);
  return outcomes;
}

}  // namespace

TEST_CASE("supervisor: slices of a run meet, whoever started their ranks") {
  const auto [first, second] = supervise_slices([](ControlTree& tree) {
    if (tree.allgather({}).size() != 5) throw Error(Fault::wrong_data, "size");
  });
  CHECK(first.code == 0);
  CHECK(second.code == 0);
  CHECK(first.said + second.said == "");
}

TEST_CASE("supervisor: a rank of a slice that is killed is named by its number in the run") {
  const auto [first, second] = supervise_slices([](ControlTree& tree) {
    if (tree.rank() == 3) raise(SIGKILL);
    tree.barrier();
  });
  CHECK(first.code == 5);
  CHECK(second.code == 5);
  CHECK_THAT(second.said, ContainsSubstring("rank 3 (process "));
  CHECK_THAT(second.said, ContainsSubstring("was killed by signal 9"));
}

TEST_CASE("supervisor: no ranks are refused") { CHECK_THROWS_AS(run_local(0, {}), Error); }

TEST_CASE("ranks are bound to a core each where there are enough") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK_THAT(bind_rank(3, 100000), ContainsSubstring("not bound: 100000 ranks on "));
  const int cores = CPU_COUNT(&before);
  const std::string done = bind_rank(cores - 1, cores);
  cpu_set_t after;
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_COUNT(&after) == 1);
  CHECK(CPU_ISSET(std::stoul(done.substr(done.find(' '))), &after));
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}

}  // namespace railgauge
