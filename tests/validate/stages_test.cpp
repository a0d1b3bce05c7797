// Stages over a made-up cluster, whose hosts answer as its faults have them.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/validate/journal.hpp"
#include "bench/validate/outcome.hpp"
#include "bench/validate/peers.hpp"
#include "bench/validate/stages/stages.hpp"
#include "tests/test.hpp"
#include "topo/preflight/facts.hpp"

namespace railgauge::validate {
namespace {

using nlohmann::json;
using validation::HostState;

struct Cluster {
  std::vector<double> send, receive;     // share of the usual bandwidth, by host
  std::vector<double> longer;            // factor of latency
  std::vector<double> loopback, copies;  // share of the usual, of mlx5_0:1 and of cuda:1; empty: there is no such device
  std::vector<bool> cut, dead;           // no data passes; does not answer
  int dies = -1, dies_in = 0;            // a host, and the set of orders in which it dies
  std::string unfit;                     // sentence of host 0, which cannot do what it is told
  double noise = 0.005;
  std::mt19937_64 random{3};
  int sets = 0;

  explicit Cluster(std::size_t hosts)
      : send(hosts, 1), receive(hosts, 1), longer(hosts, 1), cut(hosts, false), dead(hosts, false) {}

  std::vector<Member> members() const {
    std::vector<Member> all(send.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      all[rank].node = "n" + std::to_string(rank);
      all[rank].machine = all[rank].node;
      all[rank].there = true;
    }
    return all;
  }
  double noisy() { return std::exp(std::normal_distribution<double>(0, noise)(random)); }

  json result(const char* what, bool back, double seconds, double bandwidth) const {
    return {{"what", what},   {"back", back},       {"bytes", 1 << 20},   {"status", "ok"},
            {"reason", ""},   {"seconds", seconds}, {"busbw", bandwidth}, {"least", seconds},
            {"p95", seconds}, {"most", seconds},    {"samples", 60},      {"stretches", json::array()}};
  }
  json stream(bool back, std::size_t a, std::size_t b) {
    json all = result("stream", back, 0, 0);
    const double share = std::min(send[a], receive[b]) * noisy();
    const double bandwidth = 0.125 * share;
    all["seconds"] = 0.001048576 / bandwidth;
    all["busbw"] = bandwidth;
    for (int i = 0; i < 8; ++i) all["stretches"].push_back(0.001048576 / (bandwidth * noisy()));
    return all;
  }

  std::vector<std::vector<Answer>> carry_out(const std::string&, std::vector<Order> orders) {
    if (++sets == dies_in) dead[static_cast<std::size_t>(dies)] = true;
    std::vector<std::vector<Answer>> answers;
    for (const Order& order : orders) {
      answers.emplace_back();
      const auto any = [&](const std::vector<bool>& which) {
        return std::any_of(order.members.begin(), order.members.end(),
                           [&](int rank) { return which[static_cast<std::size_t>(rank)]; });
      };
      for (const int rank : order.members) {
        Answer answer;
        answer.rank = rank;
        if (dead[static_cast<std::size_t>(rank)]) {
          answer.ending = Answer::Ending::lost;
          answer.sentence = "rank " + std::to_string(rank) + " is gone: its connection closed";
        } else if (any(dead) || (order.members.size() > 1 && any(cut))) {
          answer.ending = Answer::Ending::late;
          answer.sentence = "rank " + std::to_string(rank) + " did not end what it was told to end within 3 s";
        } else if (!unfit.empty() && std::find(order.members.begin(), order.members.end(), 0) != order.members.end() &&
                   order.task == "measure") {
          answer.ending = Answer::Ending::failed;
          answer.fault = rank == 0 ? Fault::usage : Fault::lost;
          answer.sentence = rank == 0 ? unfit : "another rank of it is lost";
        } else if (rank == order.members.front()) {
          answer.figures = figures_of(order);
        }
        answers.back().push_back(std::move(answer));
      }
    }
    return answers;
  }
  struct Own {
    const char *what, *part, *of;
    double value;
  };
  json own(const Own& its) {
    const json figure{{"what", its.what}, {"part", its.part}, {"of", its.of}, {"unit", "GB/s"}, {"value", its.value * noisy()}};
    return {{"figures", json::array({figure})}, {"unread", json::array()}};
  }
  json figures_of(const Order& order) {
    const auto a = static_cast<std::size_t>(order.members.front()), b = static_cast<std::size_t>(order.members.back());
    if (order.task == "facts") {
      topo::preflight::HostFacts facts;
      facts.host = "n" + std::to_string(a);
      facts.model = "model";
      return {{"facts", topo::preflight::to_json(facts)}};
    }
    if (order.task == "loopback" && !loopback.empty()) return own({"loopback", "nic", "mlx5_0:1", 40 * loopback[a]});
    if (order.task == "copies" && !copies.empty()) return own({"copy", "pcie", "numa0 -> cuda:1", 25 * copies[a]});
    if (order.task == "copies" || order.task == "loopback")
      return {{"figures", json::array()}, {"unread", {{{"what", order.task}, {"reason", "there is none"}}}}};
    if (order.task == "node")
      return {{"figures", {{{"what", "copy"}, {"part", "host"}, {"unit", "GB/s"}, {"value", 10 * noisy()}}}}};
    json results = json::array();
    for (const json& part : order.words.at("parts")) {
      const auto what = part.at("what").get<std::string>();
      if (what == "ping_pong") {
        const double latency = 1e-5 * std::max(longer[a], longer[b]) * noisy();
        results.push_back(result("ping_pong", false, latency, 0));
      } else if (what == "stream") {
        const bool back = part.at("back").get<bool>();
        results.push_back(back ? stream(true, b, a) : stream(false, a, b));
      } else {
        results.push_back(result(what.c_str(), false, 0.01, 1));
      }
    }
    return {{"results", results}};
  }
};

validation::Validation validate_it(
    Cluster& cluster, const CourseOptions& options = {},
    const std::function<CarryOut(CarryOut)>& around = [](CarryOut inner) { return inner; }) {
  Course course(cluster.members(), options, around([&](const std::string& key, std::vector<Order> orders) {
                  return cluster.carry_out(key, std::move(orders));
                }));
  for (const StageRow& row : stages()) {
    if (row.when_asked) continue;
    validation::Stage told;
    told.name = row.name;
    row.run(course, told);
    course.found.stages.push_back(told);
  }
  conclude(course.found, false);
  return course.found;
}

std::vector<std::string> accused(const validation::Validation& found) {
  std::vector<std::string> hosts;
  for (const validation::Verdict& verdict : found.verdicts)
    if (verdict.accused) hosts.push_back(verdict.host + " " + verdict.measure);
  return hosts;
}

TEST_CASE("stages: a healthy cluster passes, of any size") {
  for (const std::size_t hosts : {2, 3, 4, 5, 8, 17}) {
    INFO(hosts);
    Cluster cluster(hosts);
    const validation::Validation found = validate_it(cluster);
    INFO(found.sentence);
    CHECK(found.outcome == validation::Outcome::passed);
    for (const validation::Host& host : found.hosts) CHECK(host.state == HostState::good);
  }
}

TEST_CASE("stages: who sends, receives or answers slowly is named, and nobody else") {
  for (const std::size_t hosts : {4, 8})
    for (std::size_t host = 0; host < hosts; host += 3) {
      const std::string name = "n" + std::to_string(host);
      Cluster slow(hosts), sends(hosts), late(hosts);
      slow.send[host] = slow.receive[host] = 0.95;
      sends.send[host] = 0.1;
      late.longer[host] = 5;
      INFO(hosts << " hosts, " << name);
      CHECK(accused(validate_it(slow)) == std::vector<std::string>{name + " bandwidth"});
      CHECK(accused(validate_it(sends)) == std::vector<std::string>{name + " bandwidth"});
      CHECK(accused(validate_it(late)) == std::vector<std::string>{name + " latency"});
    }
}

TEST_CASE("stages: a GPU or NIC that is slow by itself is named, and nobody else") {
  Cluster cluster(8);
  cluster.loopback.assign(8, 1);
  cluster.copies.assign(8, 1);
  cluster.loopback[2] = 0.6;
  cluster.copies[5] = 0.5;
  const validation::Validation found = validate_it(cluster);
  std::vector<std::string> blamed;
  for (const validation::Verdict& verdict : found.verdicts)
    if (verdict.accused) blamed.push_back(verdict.from + " " + verdict.blame);
  std::sort(blamed.begin(), blamed.end());
  CHECK(blamed == std::vector<std::string>{"n2:mlx5_0:1 nic", "n5:numa0 -> cuda:1 pcie"});
  CHECK(std::none_of(found.unread.begin(), found.unread.end(), [](const auto& each) { return each.reason == "there is none"; }));
}

TEST_CASE("stages: what a host does not have is said to be unread, once for all hosts") {
  Cluster cluster(4);
  const validation::Validation found = validate_it(cluster);
  for (const char* const what : {"copies", "loopback"}) {
    INFO(what);
    const auto its = std::find_if(found.unread.begin(), found.unread.end(), [&](const auto& each) { return each.name == what; });
    REQUIRE(its != found.unread.end());
    CHECK(its->hosts.size() == 4);
  }
}

TEST_CASE("stages: a slow rail is its cable where the NIC is as fast with itself as others, and the NIC where it is not") {
  for (const double loopback : {1.0, 0.7}) {
    INFO(loopback);
    Cluster cluster(8);
    cluster.loopback.assign(8, 1);
    cluster.loopback[3] = loopback;
    cluster.send[3] = cluster.receive[3] = 0.7;
    CourseOptions options;
    options.ports = {"mlx5_0:1"};
    const validation::Validation found = validate_it(cluster, options);
    std::vector<std::string> blames;
    for (const validation::Verdict& verdict : found.verdicts)
      if (verdict.accused) blames.push_back(verdict.from + " " + verdict.blame);
    CHECK(blames == std::vector<std::string>{loopback < 1 ? "n3:mlx5_0:1 nic" : "n3:mlx5_0:1 cable/port"});
  }
}

TEST_CASE("stages: who cannot be reached, is gone, or cannot take part is named") {
  for (const std::size_t hosts : {4, 8}) {
    INFO(hosts);
    Cluster cut(hosts), dead(hosts), dies(hosts), unfit(hosts);
    cut.cut[2] = true;
    const validation::Validation found = validate_it(cut);
    CHECK(accused(found) == std::vector<std::string>{"n2 reach"});
    CHECK(found.outcome == validation::Outcome::failed);
    dead.dead[1] = true;
    CHECK(accused(validate_it(dead)) == std::vector<std::string>{"n1 presence"});
    dies.dies = 3;
    dies.dies_in = 6;
    const validation::Validation without = validate_it(dies);
    CHECK(accused(without) == std::vector<std::string>{"n3 presence"});
    CHECK(without.hosts[3].state == HostState::lost);
    CHECK(without.hosts[0].state == HostState::good);
    unfit.unfit = "the transport ucx has no device eth0";
    CHECK(accused(validate_it(unfit)) == std::vector<std::string>{"n0 setting"});
  }
}

TEST_CASE("stages: two faults at once are both named") {
  Cluster cluster(8);
  cluster.cut[6] = true;
  cluster.send[1] = 0.9;
  std::vector<std::string> named = accused(validate_it(cluster));
  std::sort(named.begin(), named.end());
  CHECK(named == std::vector<std::string>{"n1 bandwidth", "n6 reach"});
}

TEST_CASE("stages: what a journal knows is not measured again, and comes to the same") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("railgauge-journal-" + std::to_string(getpid()));
  Cluster first(4), second(4);
  first.send[1] = second.send[1] = 0.8;
  int carried = 0, taken = 0;
  const auto with_journal = [&](Journal& journal) {
    return [&](CarryOut inner) -> CarryOut {
      return [&, inner](const std::string& key, std::vector<Order> orders) {
        if (const auto* known = journal.find(key)) return ++taken, *known;
        ++carried;
        auto answers = inner(key, std::move(orders));
        journal.add(key, answers);
        return answers;
      };
    };
  };
  {
    Journal journal(path.string(), "this");
    CHECK(accused(validate_it(first, {}, with_journal(journal))) == std::vector<std::string>{"n1 bandwidth"});
  }
  const int all = carried;
  {
    std::ofstream(path, std::ios::app) << "{\"key\": \"cut o";  // in the middle of a line
    Journal journal(path.string(), "this");
    CHECK(accused(validate_it(second, {}, with_journal(journal))) == std::vector<std::string>{"n1 bandwidth"});
  }
  CHECK(carried == all);
  CHECK(taken == all);
  CHECK_THROWS_AS(Journal(path.string(), "that"), Error);
  std::ofstream(path, std::ios::app) << "nonsense\n";
  CHECK_THROWS_AS(Journal(path.string(), "this"), Error);
  std::filesystem::remove(path);
}

TEST_CASE("stages: what one turn of a soak measured is not taken for the next one's by a journal") {
  Cluster cluster(4);
  std::vector<std::string> keys;
  Course course(cluster.members(), {}, [&](const std::string& key, std::vector<Order> orders) {
    keys.push_back(key);
    return cluster.carry_out(key, std::move(orders));
  });
  for (int turn = 0; turn < 2; ++turn) {
    validation::Stage told;
    run_pairs(course, told);
    course.options.seed += 1000;  // as run_soak() does
  }
  std::sort(keys.begin(), keys.end());
  CHECK(keys.size() >= 24);
  CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

TEST_CASE("hosts far below their peers are told from those that scatter") {
  std::vector<HostFigure> figures;
  for (Index host = 0; host < 8; ++host) figures.push_back({host, "a", 100 + static_cast<double>(host % 3)});
  figures.push_back({8, "b", 10});
  CHECK(behind_peers(figures).empty());
  figures[5].value = 80;
  const std::vector<Behind> behind = behind_peers(figures);
  REQUIRE(behind.size() == 1);
  CHECK(behind[0].host == 5);
  CHECK(behind[0].peers == 100.5);
}

}  // namespace
}  // namespace railgauge::validate
