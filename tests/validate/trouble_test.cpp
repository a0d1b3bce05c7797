// What is not fault and not health: figures that are missing, wrong data, hosts that cannot do what they are told.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/validate/method/outcome.hpp"
#include "bench/validate/method/reach.hpp"
#include "bench/validate/stages/journal.hpp"
#include "bench/validate/stages/stages.hpp"
#include "tests/test.hpp"
#include "tests/validate/cluster.hpp"

namespace railgauge::validate {
namespace {

using test::ContainsSubstring;
using validation::HostState;
using Change = std::function<void(const Order&, std::vector<Answer>&)>;

// The answers of each order may be changed.
std::function<CarryOut(CarryOut)> changed(const Change& change) {
  return [change](CarryOut inner) -> CarryOut {
    return [change, inner](const std::string& key, std::vector<Order> orders) {
      const std::vector<Order> asked = orders;
      auto answers = inner(key, std::move(orders));
      for (std::size_t i = 0; i < asked.size(); ++i) change(asked[i], answers[i]);
      return answers;
    };
  };
}
void fail(Answer& answer, Answer::Ending ending, Fault fault, const std::string& sentence) {
  answer.ending = ending;
  answer.fault = fault;
  answer.sentence = sentence;
  answer.figures = nullptr;
}
bool has(const Order& order, int rank) {
  return std::find(order.members.begin(), order.members.end(), rank) != order.members.end();
}

TEST_CASE("trouble: wrong data between two hosts fails the validation, and names both") {
  Cluster cluster(8);
  const validation::Validation found =
      validate_it(cluster, relative(), changed([](const Order& order, std::vector<Answer>& answers) {
                    if (order.task == "measure" && order.members.size() == 2 && has(order, 2) && has(order, 5)) {
                      json& result = answers.front().figures.at("results").back();
                      result["status"] = "wrong";
                      result["reason"] = "rank 1, element 77: expected 3 and got 4";
                    }
                  }));
  const auto diagnosis = std::find_if(found.diagnoses.begin(), found.diagnoses.end(),
                                      [](const auto& it) { return it.measure == validation::Symptom::data; });
  REQUIRE(diagnosis != found.diagnoses.end());
  CHECK(found.outcome == validation::Outcome::failed);
  CHECK(validation::exit_code(found) == static_cast<int>(Fault::wrong_data));
  CHECK(found.sentence == "wrong data: n2 - n5");
  CHECK_THAT(diagnosis->sentence, ContainsSubstring("wrong data between n2 and n5") && ContainsSubstring("element 77"));
  CHECK_FALSE(diagnosis->faulty);
  for (const std::size_t host : {2, 5}) CHECK(found.hosts[host].state == HostState::doubtful);
}

TEST_CASE("trouble: wrong data within a host makes it faulty") {
  Cluster cluster(4);
  const validation::Validation found =
      validate_it(cluster, relative(), changed([](const Order& order, std::vector<Answer>& answers) {
                    if (order.task == "copies" && has(order, 3))
                      fail(answers.front(), Answer::Ending::failed, Fault::wrong_data, "numa0 -> cuda:0: element 5 differs");
                  }));
  CHECK(faulty(found) == std::vector<std::string>{"n3 data"});
  CHECK(validation::exit_code(found) == static_cast<int>(Fault::wrong_data));
  CHECK_THAT(found.diagnoses.front().sentence, ContainsSubstring("wrong data within n3: numa0 -> cuda:0: element 5 differs"));
}

TEST_CASE("trouble: who is late once by itself is not faulty, and what none can do is nobody's fault") {
  Cluster one(8), all(8), wrong(8);
  const validation::Validation late =
      validate_it(one, relative(), changed([](const Order& order, std::vector<Answer>& answers) {
                    if (order.task == "node" && has(order, 2))
                      fail(answers.front(), Answer::Ending::late, Fault::lost, "rank 2 did not end");
                  }));
  CHECK(faulty(late).empty());
  CHECK(late.hosts[2].state == HostState::doubtful);
  CHECK(late.outcome == validation::Outcome::inconclusive);
  const validation::Validation none = validate_it(all, relative(), changed([](const Order& order, std::vector<Answer>& answers) {
                                                    if (order.task == "copies")
                                                      fail(answers.front(), Answer::Ending::late, Fault::lost, "it did not end");
                                                  }));
  CHECK(faulty(none).empty());
  CHECK(none.outcome == validation::Outcome::passed);
  CHECK(std::any_of(none.unread.begin(), none.unread.end(), [](const auto& each) { return each.hosts.size() == 8; }));
  CHECK_THROWS_WITH(validate_it(wrong, relative(), changed([](const Order& order, std::vector<Answer>& answers) {
                                  if (order.task == "loopback")
                                    fail(answers.front(), Answer::Ending::failed, Fault::usage, "there is no such size");
                                })),
                    "there is no such size");
}

TEST_CASE("trouble: a host whose ranks all cannot take part is named, though they are half of those that were asked") {
  Cluster cluster(6);
  cluster.rails = 2;
  const validation::Validation found =
      validate_it(cluster, relative(), changed([](const Order& order, std::vector<Answer>& answers) {
                    if (order.task != "measure" || !(has(order, 0) || has(order, 1)) || order.words.contains("transport")) return;
                    for (Answer& answer : answers) {
                      const bool its = answer.rank < 2;
                      fail(answer, Answer::Ending::failed, its ? Fault::usage : Fault::lost,
                           its ? "it lacks eth0" : "another rank of it is lost");
                    }
                  }));
  CHECK(faulty(found) == std::vector<std::string>{"n0 setting"});
}

TEST_CASE("trouble: what was not measured has not passed") {
  Cluster cluster(4), few(4);
  validation::Validation found = validate_it(cluster);
  REQUIRE(found.outcome == validation::Outcome::passed);
  conclude(found, false, {"all_reduce of 350 GB/s"});
  CHECK(found.outcome == validation::Outcome::inconclusive);
  CHECK_THAT(found.sentence, ContainsSubstring("all_reduce of 350 GB/s was asked for and not measured"));
  CHECK(validation::exit_code(found) == static_cast<int>(Fault::inconclusive));
  found.hosts[2].state = HostState::unmeasured;
  conclude(found, false);
  CHECK(found.outcome == validation::Outcome::inconclusive);
  CHECK_THAT(found.sentence, ContainsSubstring("1 of 4 hosts were measured too little"));
  // Two rounds can make nobody a suspect.
  ValidationOptions options = relative();
  options.rounds = 2;
  const validation::Validation short_one = validate_it(few, options);
  CHECK(short_one.outcome == validation::Outcome::inconclusive);
  for (const validation::Host& host : short_one.hosts) CHECK(host.state == HostState::unmeasured);
}

TEST_CASE("trouble: a host that is behind is faulty only when it was seen so three times") {
  Cluster cluster(8);
  cluster.loopback.assign(8, 1);
  cluster.loopback[4] = 0.5;
  std::optional<std::chrono::steady_clock::time_point>* until = nullptr;
  ValidationRun run(cluster.members(), {}, [&](const std::string& key, std::vector<Order> orders) {
    *until = std::chrono::steady_clock::now();  // no time for more
    return cluster.carry_out(key, std::move(orders));
  });
  until = &run.until;
  validation::Stage told;
  run_node(run, told);
  conclude(run.found, false);
  CHECK(faulty(run.found).empty());
  REQUIRE(run.found.diagnoses.size() == 1);
  CHECK_THAT(run.found.diagnoses.front().sentence, ContainsSubstring("seen 1 of 3 times"));
  CHECK(run.found.hosts[4].state == HostState::doubtful);
}

TEST_CASE("trouble: of several rails the one that is slow is told to be off, not the host") {
  Cluster cluster(16);
  cluster.rails = 2;
  cluster.send[7] = 0.8;  // rail 1 of n3
  const validation::Validation found = validate_it(cluster);
  const std::vector<validation::RailFigures>& rails = found.hosts[3].rails;
  REQUIRE(rails.at(1).send_off);
  CHECK(std::abs(*rails[1].send_off + 0.2) < 0.02);
  CHECK(std::abs(*rails[0].send_off) < 0.02);
  CHECK(std::abs(*rails[1].receive_off) < 0.02);
}

TEST_CASE("trouble: a soak keeps its last turn, and what it finds is its own") {
  Cluster cluster(4);
  cluster.send[1] = 0.8;
  int sets = 0;
  ValidationRun* its = nullptr;
  ValidationRun run(cluster.members(), {}, [&](const std::string& key, std::vector<Order> orders) {
    if (++sets == 60) its->until = std::chrono::steady_clock::now();  // in the third turn or so
    return cluster.carry_out(key, std::move(orders));
  });
  its = &run;
  validation::Stage told;
  run_soak(run, told);
  REQUIRE(faulty(run.found) == std::vector<std::string>{"n1 bandwidth"});
  CHECK(run.found.diagnoses.front().stage == "soak");
  CHECK(run.turn == 1);
  // No pair of hosts stands twice in one round.
  std::vector<std::vector<Index>> rows;
  for (const validation::PairFigure& each : run.found.pairs) rows.push_back({each.round, each.from, each.to});
  std::sort(rows.begin(), rows.end());
  CHECK_FALSE(rows.empty());
  CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
}

TEST_CASE("trouble: a journal knows an order only of the same members") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("railgauge-members-" + std::to_string(getpid()));
  Answer first, second;
  second.rank = 2;
  Journal journal(path.string(), "this");
  const auto orders = [](std::vector<int> members) {
    Order order;
    order.members = std::move(members);
    return std::vector{order};
  };
  journal.add("round 1", {{first, second}});
  {
    const Journal again(path.string(), "this");
    CHECK(again.find("round 1", orders({0, 2})) != nullptr);
    CHECK(again.find("round 1", orders({0, 1})) == nullptr);  // rank 1 was lost then
    CHECK(again.find("round 1", orders({0, 2, 3})) == nullptr);
    CHECK(again.find("round 2", orders({0, 2})) == nullptr);
  }
  std::filesystem::remove(path);
}

TEST_CASE("trouble: half of a large fleet that cannot reach the other half is told in time") {
  Fleet fleet;
  constexpr Index hosts = 2048;
  fleet.hosts.resize(hosts);
  std::vector<PairAttempt> attempts;
  for (Index round = 0; round < 8; ++round)
    for (Index i = 0; i < hosts / 2; ++i) {
      // Near and far, one after the other; between halves nothing passes.
      const Index step = 1 + round / 2;
      if (round % 2 == 0)
        attempts.push_back({i, (i + step) % (hosts / 2) + hosts / 2, npos, round, false, true, true});
      else
        attempts.push_back({2 * i, (2 * i + 2 * step - 1) % hosts, npos, round, true, true, true});
    }
  const std::vector<Unreached> found = reach(fleet, attempts);
  CHECK_FALSE(found.empty());
  Index failures = 0;
  for (const Unreached& each : found) failures += each.failures;
  CHECK(failures == 4 * hosts / 2);  // each failure is explained once
}

}  // namespace
}  // namespace railgauge::validate
