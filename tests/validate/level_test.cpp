// Whether a validation passes what it cannot know: levels, majorities, and what cannot be told apart.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bench/validate/stages/levels.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/validate/cluster.hpp"

namespace railgauge::validate {
namespace {

using test::ContainsSubstring;
using validation::HostState;

std::set<std::string> faulty_hosts(const validation::Validation& found) {
  std::set<std::string> hosts;
  for (const validation::Diagnosis& it : found.diagnoses)
    if (it.faulty) hosts.insert(it.hosts.begin(), it.hosts.end());
  return hosts;
}

std::set<std::string> first_hosts(std::size_t count) {
  std::set<std::string> hosts;
  for (std::size_t host = 0; host < count; ++host) hosts.insert("n" + std::to_string(host));
  return hosts;
}

topo::preflight::HostFacts facts_of(std::vector<topo::preflight::Fact> facts) {
  topo::preflight::HostFacts it;
  it.facts = std::move(facts);
  return it;
}

}  // namespace

TEST_CASE("level: where no level is known, hosts that are alike are no pass, unless only a comparison was asked for") {
  Cluster cluster(4);
  const validation::Validation found = validate_it(cluster, ValidationOptions{});
  CHECK(found.outcome == validation::Outcome::inconclusive);
  CHECK(exit_code(found) == 4);
  CHECK_THAT(found.sentence, ContainsSubstring("level not verified"));
  CHECK_THAT(found.sentence, ContainsSubstring("--expect pair="));
  Cluster again(4);
  CHECK(validate_it(again, relative()).outcome == validation::Outcome::passed);
}

TEST_CASE("level: any number of slow hosts is found with a level, and any but all of them without", "[long]") {
  for (const std::size_t hosts : {3, 4, 6})
    for (std::size_t slow = 1; slow <= hosts; ++slow)
      for (const double left : {0.1, 0.5}) {
        if (test::sanitized && hosts > 4) continue;
        if (!test::thorough() && (left < 0.2) != ((slow + hosts) % 2 == 0)) continue;  // one of both
        INFO(slow << " of " << hosts << " hosts carry " << left);
        Cluster cluster(hosts);
        for (std::size_t host = 0; host < slow; ++host) cluster.send[host] = cluster.receive[host] = left;
        ValidationOptions with = relative();
        with.pair_least = 0.1;
        Cluster same = cluster;
        const validation::Validation found = validate_it(same, with);
        CHECK(faulty_hosts(found) == first_hosts(slow));
        CHECK(found.outcome == validation::Outcome::failed);
        if (hosts < 4) continue;
        Cluster without = cluster;
        const validation::Validation compared = validate_it(without, relative());
        CHECK(faulty_hosts(compared) == first_hosts(slow == hosts ? 0 : slow));
      }
}

TEST_CASE("level: one direction that is slow on most hosts is found by its direction") {
  for (std::size_t slow = 1; slow < 6; ++slow) {
    INFO(slow << " of 6 hosts");
    Cluster cluster(6);
    for (std::size_t host = 0; host < slow; ++host) cluster.receive[host] = 0.5;
    const validation::Validation found = validate_it(cluster, relative());
    CHECK(faulty_hosts(found) == first_hosts(slow));
    for (const validation::Diagnosis& it : found.diagnoses)
      if (it.faulty) CHECK(it.direction == "receiving");
  }
}

TEST_CASE("level: two hosts below their level fail, and neither is accused") {
  Cluster cluster(2);
  cluster.send[1] = cluster.receive[1] = 0.1;
  ValidationOptions options;
  options.pair_least = 0.1;
  const validation::Validation found = validate_it(cluster, options);
  CHECK(found.outcome == validation::Outcome::failed);
  CHECK(faulty_hosts(found).empty());
  for (const validation::Host& host : found.hosts) CHECK(host.state == HostState::doubtful);
  Cluster well(2);
  CHECK(validate_it(well, options).outcome == validation::Outcome::passed);
}

TEST_CASE("level: two faults of one host are told apart, each by its own finding") {
  for (const std::size_t hosts : {4, 8})
    for (const double left : {0.1, 0.5}) {
      INFO(hosts << " hosts, " << left);
      Cluster cluster(hosts);
      cluster.receive[1] = left;
      cluster.longer[1] = 20;
      const validation::Validation found = validate_it(cluster, relative());
      std::set<std::string> told;
      for (const validation::Diagnosis& it : found.diagnoses)
        if (it.faulty) told.insert(it.host + " " + std::string(name(it.measure)) + " " + it.direction);
      CHECK(told == std::set<std::string>{"n1 bandwidth receiving", "n1 latency both ways"});
    }
}

TEST_CASE("level: more hosts that add to latency than one would read are one finding, and all of them are faulty") {
  constexpr unsigned hosts = 80, late = 48;
  Cluster cluster(hosts);
  for (unsigned i = 0; i < late; ++i) cluster.longer[i] = 20;
  const validation::Validation found = validate_it(cluster);
  REQUIRE(std::count_if(found.diagnoses.begin(), found.diagnoses.end(), [](const auto& each) { return each.faulty; }) == 1);
  const auto it = std::find_if(found.diagnoses.begin(), found.diagnoses.end(), [](const auto& each) { return each.faulty; });
  CHECK(it->from == "48 of 80 hosts");
  CHECK(it->hosts.size() == late);
  CHECK_THAT(it->sentence, ContainsSubstring("48 of 80 hosts add to the latency of each pair that they are in; the slowest, n"));
  CHECK(std::count_if(found.hosts.begin(), found.hosts.end(), [](const auto& host) { return host.state == HostState::faulty; }) ==
        late);
}

TEST_CASE("level: where hosts share cores, those that add to latency are named where no scheduler does that") {
  for (const double longer : {20.0, 60.0}) {  // 190 and 590 us
    Cluster cluster(4);
    cluster.share_cores = true;
    cluster.longer[0] = cluster.longer[1] = longer;
    INFO(longer);
    CHECK(faulty_hosts(validate_it(cluster)) == first_hosts(longer < 30 ? 0 : 2));
  }
}

TEST_CASE("level: by the rate of a port, and of none where a program made it") {
  const auto port =
      facts_of({{"mlx5_0/1", "port rate", "400 Gb/sec (4X NDR)", "", {}}, {"mlx5_0", "device type", "MT4129", "", {}}});
  const Level rdma = level_of_port(port, "mlx5_0:1", 1);
  CHECK(rdma.full == 50);
  CHECK(rdma.least > 40);
  CHECK(rdma.least < 46);
  CHECK_FALSE(rdma.may_fall_short);
  CHECK(level_of_port(port, "mlx5_0:1", 4).full == 12.5);
  // A slot that carries more than the port changes nothing; one that carries less is what the port can have.
  for (const auto& [slot, full] : {std::pair("55.14 GB/s (32.0 GT/s x16)", 50.0), {"27.57 GB/s (32.0 GT/s x8)", 27.57}}) {
    topo::preflight::HostFacts its = port;
    its.facts.push_back({"mlx5_0", "slot", slot, "", {}});
    CHECK(level_of_port(its, "mlx5_0:1", 1).full == full);
  }
  // Two ports of one card share its slot.
  topo::preflight::HostFacts pair = port;
  pair.facts.push_back({"mlx5_0", "slot", "55.14 GB/s (32.0 GT/s x16)", "", {}});
  CHECK(level_of_port(pair, "mlx5_0:1", 1, 2).full == 55.14 / 2);
  CHECK(level_of_port(pair, "mlx5_0:1", 1, 2).source ==
        "the slot of mlx5_0, 55.14 GB/s (32.0 GT/s x16) for 2 ports that have 400 Gb/sec (4X NDR) each");
  CHECK(level_of_port(port, "mlx5_1:1", 1).least == 0);
  CHECK(level_of_port(port, "", 1).least == 0);
  const auto soft = facts_of({{"rxe0/1", "port rate", "10 Gb/sec (4X SDR)", "", {}}});
  CHECK(level_of_port(soft, "rxe0:1", 1).least == 0);
  const auto card = facts_of({{"eth0", "speed", "1000 Mb/s", "", {}}, {"eth0", "kind", "card", "", {}}});
  CHECK(level_of_port(card, "eth0", 1).full == 0.125);
  CHECK_FALSE(level_of_port(card, "eth0", 1).may_fall_short);
  const auto fast = facts_of({{"eth0", "speed", "100000 Mb/s", "", {}}, {"eth0", "kind", "card", "", {}}});
  CHECK(level_of_port(fast, "eth0", 1).may_fall_short);
  const auto veth = facts_of({{"eth0", "speed", "10000 Mb/s", "", {}}, {"eth0", "kind", "veth", "", {}}});
  CHECK(level_of_port(veth, "eth0", 1).least == 0);
  for (const char* const wrong : {"", "-1 Mb/s", "Unknown!", "1e999 Mb/s", "nan"}) {
    const auto odd = facts_of({{"eth0", "speed", wrong, "", {}}, {"eth0", "kind", "card", "", {}}});
    INFO(wrong);
    CHECK(level_of_port(odd, "eth0", 1).least == 0);
  }
}

TEST_CASE("level: rails of one card share its slot, and those of two cards do not") {
  const auto card = [](const std::string& device, const std::string& serial) {
    return std::vector<topo::preflight::Fact>{{device + "/1", "port rate", "400 Gb/sec (4X NDR)", "", {}},
                                              {device, "device type", "MT4129", "", {}},
                                              {device, "slot", "55.14 GB/s (32.0 GT/s x16)", "", {}},
                                              {device, "card", serial, "", {}}};
  };
  for (const bool one_card : {true, false}) {
    INFO(one_card);
    std::vector<topo::preflight::Fact> facts = card("mlx5_0", "A1");
    for (topo::preflight::Fact& fact : card("mlx5_1", one_card ? "A1" : "B2")) facts.push_back(std::move(fact));
    Cluster cluster(4);
    cluster.rails = 2;
    ValidationOptions options = relative();
    options.ports = {"mlx5_0:1", "mlx5_1:1"};
    ValidationRun run(cluster.members(), options, {});
    REQUIRE(run.fleet.hosts.size() == 2);
    REQUIRE(run.fleet.rails == 2);
    run.facts[0] = facts_of(facts);
    const Levels levels = levels_of(run);
    for (const Level& rail : levels[0]) CHECK(rail.full == (one_card ? 55.14 / 2 : 50));
    for (const Level& rail : levels[1]) {  // of which no fact was read
      CHECK(rail.full == 0);
      CHECK(rail.source == "the stage preflight did not read what the host has");
    }
  }
}

}  // namespace railgauge::validate
