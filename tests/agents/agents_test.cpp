// A conductor and agents as real processes, and what happens to the others when one of them dies, hangs or is stopped.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/agents/agent.hpp"
#include "bench/agents/conductor.hpp"
#include "bench/launch/address.hpp"
#include "tests/test.hpp"

namespace railgauge::agents {
namespace {

using namespace test;
using nlohmann::json;

constexpr Seconds ample{60};  // where nothing is to be late

json words_of_worker(TaskContext& context) {
  const std::string& task = context.order().task;
  if (task == "place") return {{"place", context.place()}};
  if (task == "sum") {
    Blob mine{static_cast<std::byte>(context.order().members[static_cast<std::size_t>(context.place())])};
    int sum = 0;
    for (const Blob& blob : context.group().allgather(mine)) sum += std::to_integer<int>(blob.at(0));
    return {{"sum", sum}};
  }
  if (task == "fail") throw Error(Fault::usage, "there is no such thing");
  const bool mine = context.place() == 0;
  if (task == "first dies" && mine) (void)raise(SIGKILL);
  if (task == "first stops" && mine) (void)raise(SIGSTOP);
  if (task == "first hangs" && mine)
    while (true) (void)pause();
  if (context.order().members.size() > 1) context.group().barrier();
  return {{"process", getpid()}};
}

// A connection that is heard, and left.
Descriptor knock(const std::string& text, int rank) {
  const Address address = parse_address(text);
  return dial(address.candidates,
              {wire::protocol, address.token, wire::Hello::Purpose::introduce, static_cast<std::uint32_t>(rank)}, 0,
              std::chrono::steady_clock::now() + std::chrono::seconds(30));
}

// Agents of this machine, as processes.
class Agents {
 public:
  explicit Agents(int size, int absent = -1, const Patience& patience = {ample, ample}, int impatient = -1,
                  Seconds silence = 5 * ample)
      : size_(size) {
    RootListener own(Reach::machine);
    const std::string address = own.address();
    for (int rank = 0; rank < size; ++rank) {
      if (rank == absent) {
        processes_.push_back(-1);
        continue;
      }
      const pid_t process = fork();
      if (process == 0) {
        own.close();
        AgentOptions options;
        options.placement = {rank, size, 0, 1, "n" + std::to_string(rank)};
        options.address = address;
        options.arguments = "the same";
        options.silence = silence;
        options.network.reach = Reach::machine;
        int code = 1;
        try {
          if (rank == impatient) (void)knock(address, rank);
          code = run_agent(options, words_of_worker);
        } catch (const Error& error) { code = static_cast<int>(error.fault()); } catch (const std::exception&) {
        }
        _exit(code);
      }
      processes_.push_back(process);
    }
    conductor_.emplace(std::move(own), size, "the same", patience);
  }
  ~Agents() {
    conductor_.reset();
    for (const pid_t process : processes_) {
      if (process < 0) continue;
      (void)kill(process, SIGKILL);
      (void)waitpid(process, nullptr, 0);
    }
  }
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;

  void meet() {
    conductor_->meet([] { return true; });
  }
  std::vector<std::vector<Answer>> order(const std::vector<std::vector<int>>& groups, const std::string& task,
                                         Seconds limit = ample) {
    std::vector<Order> orders;
    for (const std::vector<int>& members : groups) {
      Order order;
      order.task = task;
      order.members = members;
      order.limit = limit;
      orders.push_back(order);
    }
    return conductor_->carry_out(std::move(orders), [] { return true; });
  }
  // The exit code of a rank that ends by itself.
  int code_of(int rank) {
    int status = 0;
    pid_t& process = processes_[static_cast<std::size_t>(rank)];
    if (waitpid(std::exchange(process, -1), &status, 0) < 0 || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
  }
  void signal(int rank, int number) const { (void)kill(processes_[static_cast<std::size_t>(rank)], number); }
  [[nodiscard]] const Member& member(int rank) const { return conductor_->members()[static_cast<std::size_t>(rank)]; }

 private:
  int size_;
  std::vector<pid_t> processes_;
  std::optional<Conductor> conductor_;
};

TEST_CASE("agents: who was not heard in time dials again, and has one place") {
  for (int turn = 0; turn < 10; ++turn) {
    Agents agents(3, -1, {ample, ample}, turn % 3);
    agents.meet();
    const auto answers = agents.order({{0, 1, 2}}, "sum");
    for (const Answer& answer : answers.at(0)) CHECK(answer.figures.value("sum", 0) == 3);
  }
}

TEST_CASE("agents: members of an order meet, several at the same time") {
  Agents agents(5);
  agents.meet();
  CHECK(agents.member(3).node == "n3");
  const auto answers = agents.order({{0, 3}, {4, 1, 2}}, "sum");
  REQUIRE(answers.size() == 2);
  for (const Answer& answer : answers[0]) CHECK(answer.figures.at("sum").get<int>() == 3);
  for (const Answer& answer : answers[1]) CHECK(answer.figures.at("sum").get<int>() == 7);
  const auto places = agents.order({{4, 2}}, "place");
  CHECK(places[0][0].rank == 4);
  CHECK(places[0][0].figures.at("place").get<int>() == 0);
  CHECK(places[0][1].figures.at("place").get<int>() == 1);
}

TEST_CASE("agents: what a worker throws is its answer, and it lives on") {
  Agents agents(2);
  agents.meet();
  const Answer answer = agents.order({{1}}, "fail")[0][0];
  CHECK(answer.ending == Answer::Ending::failed);
  CHECK(answer.fault == Fault::usage);
  CHECK(answer.sentence == "there is no such thing");
  CHECK(agents.order({{0, 1}}, "sum")[0][1].figures.at("sum").get<int>() == 1);
}

TEST_CASE("agents: a worker that is killed, hangs or is stopped is named and replaced, and its partner goes on") {
  struct Row {
    const char* task;
    Answer::Ending ending;
    const char* words;
    Seconds limit;
  };
  for (const Row& row : {Row{"first dies", Answer::Ending::killed, "was killed by signal 9", ample},
                         Row{"first hangs", Answer::Ending::late, "did not end what it was told", Seconds(1)},
                         Row{"first stops", Answer::Ending::stopped, "was stopped by a signal", Seconds(1)}}) {
    INFO(row.task);
    Agents agents(3);
    agents.meet();
    const auto answers = agents.order({{1, 2}, {0}}, row.task == std::string("first dies") ? "first dies" : row.task, row.limit);
    const Answer& first = answers[0][0];
    CHECK(first.ending == row.ending);
    CHECK_THAT(first.sentence, ContainsSubstring(row.words));
    CHECK(answers[0][1].ending != Answer::Ending::done);
    CHECK(agents.member(1).loss.empty());
    const auto after = agents.order({{1, 2}}, "sum");
    CHECK(after[0][0].figures.at("sum").get<int>() == 3);
    CHECK(after[0][1].figures.at("sum").get<int>() == 3);
  }
}

TEST_CASE("agents: one that is killed is lost, and the others go on without it", "[long]") {
  Agents agents(4);
  agents.meet();
  agents.signal(2, SIGKILL);
  const auto answers = agents.order({{0, 2}, {1, 3}}, "sum");
  CHECK(answers[0][1].ending == Answer::Ending::lost);
  CHECK_THAT(answers[0][1].sentence, ContainsSubstring("rank 2 is gone"));
  CHECK(answers[0][0].ending != Answer::Ending::done);
  CHECK(answers[1][0].figures.at("sum").get<int>() == 4);
  CHECK(!agents.member(2).loss.empty());
  const auto after = agents.order({{0, 3}, {1, 2}}, "sum");
  CHECK(after[0][0].figures.at("sum").get<int>() == 3);
  CHECK(after[1][0].ending == Answer::Ending::failed);
  CHECK(after[1][1].ending == Answer::Ending::lost);
}

TEST_CASE("agents: one that is stopped is lost once nothing was heard of it for so long") {
  Agents agents(3, -1, {ample, Seconds(2)});
  agents.meet();
  agents.signal(1, SIGSTOP);
  const auto answers = agents.order({{0}, {1}, {2}}, "place");
  CHECK(answers[0][0].ending == Answer::Ending::done);
  CHECK(answers[1][0].ending == Answer::Ending::lost);
  CHECK_THAT(answers[1][0].sentence, ContainsSubstring("nothing was heard of rank 1 for 2 s"));
}

TEST_CASE("agents: a conductor that says nothing for so long is given up") {
  Agents agents(2, -1, {ample, ample}, -1, Seconds(1));
  agents.meet();
  CHECK(agents.code_of(0) == static_cast<int>(Fault::lost));
  CHECK(agents.code_of(1) == static_cast<int>(Fault::lost));
}

TEST_CASE("agents: who does not come is lost, and the others begin") {
  Agents agents(3, 1, {Seconds(1.5), ample});
  agents.meet();
  CHECK_THAT(agents.member(1).loss, ContainsSubstring("rank 1 did not come within 1.5 s"));
  CHECK(agents.order({{0, 2}}, "sum")[0][0].figures.at("sum").get<int>() == 2);
}

TEST_CASE("agents: every order is answered for every member, whoever dies when", "[long]") {
  std::minstd_rand random(7);
  Agents agents(6);
  agents.meet();
  int killed = 0;
  for (int round = 0; round < 12; ++round) {
    std::vector<int> ranks{0, 1, 2, 3, 4, 5};
    std::shuffle(ranks.begin(), ranks.end(), random);
    if (round % 4 == 3) agents.signal(static_cast<int>(random() % 6), SIGKILL), ++killed;
    const auto answers = agents.order({{ranks[0], ranks[1]}, {ranks[2]}, {ranks[3], ranks[4], ranks[5]}}, "sum");
    REQUIRE(answers.size() == 3);
    CHECK(answers[0].size() == 2);
    CHECK(answers[2].size() == 3);
    for (const auto& each : answers)
      for (const Answer& answer : each)
        if (answer.ending == Answer::Ending::done) CHECK(answer.figures.contains("sum"));
  }
  int lost = 0;
  for (int rank = 0; rank < 6; ++rank) lost += agents.member(rank).loss.empty() ? 0 : 1;
  CHECK(lost >= 1);
  CHECK(lost <= killed);
}

}  // namespace
}  // namespace railgauge::agents
