// Losses as the stage of pairs tells them, over a made-up cluster.
#include <algorithm>
#include <string>
#include <vector>

#include "reports/validation/fields.hpp"
#include "reports/validation/words.hpp"
#include "tests/test.hpp"
#include "tests/validate/cluster.hpp"

namespace railgauge::validate {
namespace {

using test::ContainsSubstring;
using validation::HostState;

ValidationOptions over_eth0() {
  ValidationOptions options = relative();
  options.ports = {"eth0"};
  return options;
}

TEST_CASE("stages: hosts that lose packets are named though they are as fast as others", "[long]") {
  for (const std::size_t hosts : few_or_more()) {
    INFO(hosts);
    Cluster one(hosts), two(hosts), none(hosts);
    one.loses = two.loses = none.loses = std::vector<double>(hosts, 0);
    one.loses[2] = two.loses[1] = two.loses[3] = 2e-3;
    const validation::Validation found = validate_it(one, over_eth0());
    CHECK(faulty(found) == std::vector<std::string>{"n2 loss"});
    REQUIRE(found.diagnoses.size() == 1);
    const validation::Diagnosis& diagnosis = found.diagnoses.front();
    INFO(diagnosis.sentence);
    CHECK(diagnosis.from == "n2:eth0");
    CHECK(diagnosis.blame == validation::Blame::cable_port);
    CHECK(diagnosis.hosts == std::vector<std::string>{"n2"});
    CHECK_THAT(diagnosis.sentence, ContainsSubstring("cable/port: n2:eth0 loses packets: 0."));
    CHECK_THAT(validation::effect_of(diagnosis), ContainsSubstring("% of packets lost in both directions"));
    CHECK(found.outcome == validation::Outcome::failed);
    CHECK(found.hosts[2].state == HostState::faulty);
    std::vector<std::string> named = faulty(validate_it(two, over_eth0()));
    std::sort(named.begin(), named.end());
    CHECK(named == std::vector<std::string>{"n1 loss", "n3 loss"});
    CHECK(validate_it(none, over_eth0()).outcome == validation::Outcome::passed);
  }
}

TEST_CASE("stages: what is slow and loses packets has a finding for each") {
  Cluster cluster(4);
  cluster.loses.assign(4, 0);
  cluster.loses[1] = 1e-2;
  cluster.send[1] = cluster.receive[1] = 0.5;
  std::vector<std::string> named = faulty(validate_it(cluster, over_eth0()));
  std::sort(named.begin(), named.end());
  CHECK(named == std::vector<std::string>{"n1 bandwidth", "n1 loss"});
}

TEST_CASE("stages: of two hosts that lose packets both are named, and none is faulty") {
  Cluster cluster(2);
  cluster.loses = {2e-3, 0};
  const validation::Validation found = validate_it(cluster, over_eth0());
  CHECK(faulty(found).empty());
  CHECK(found.outcome == validation::Outcome::inconclusive);
  for (const validation::Host& host : found.hosts) CHECK(host.state == HostState::doubtful);
  REQUIRE(found.diagnoses.size() == 1);
  CHECK(found.diagnoses.front().to == "n1:eth0");
}

TEST_CASE("stages: that nobody counts packets is said once, of all hosts") {
  Cluster cluster(4);
  cluster.counts_packets = false;
  const validation::Validation found = validate_it(cluster);
  const auto said = [](const validation::Unread& each) { return each.name == "packets that were sent again"; };
  CHECK(std::count_if(found.unread.begin(), found.unread.end(), said) == 1);
  CHECK(std::find_if(found.unread.begin(), found.unread.end(), said)->hosts.size() == 4);
  CHECK(found.outcome == validation::Outcome::passed);
}

}  // namespace
}  // namespace railgauge::validate
