// Counters of ports as evidence for or against a cable.
#include "bench/validate/stages/port_evidence.hpp"

#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/method/fabric.hpp"
#include "tests/test.hpp"
#include "tests/topo/generate.hpp"

namespace railgauge::validate {
namespace {

using Catch::Matchers::EndsWith;
using test::ContainsSubstring;

TEST_CASE("a faulty cable has what its ports counted meanwhile as evidence, or why nobody read it") {
  topo::Graph before = to_graph(test::fat_tree(4));
  Fleet fleet;
  for (const topo::Node& node : before.nodes)
    if (node.kind == topo::Kind::machine) fleet.hosts.push_back({node.name, {}, npos, {}});
  REQUIRE(add_fabric(fleet, before).strangers.empty());
  validation::Validation found;
  for (const Host& host : fleet.hosts) {
    found.hosts.emplace_back();
    found.hosts.back().name = host.name;
  }
  validation::Diagnosis nic, uplink, other;
  nic.faulty = uplink.faulty = other.faulty = true;
  nic.host = fleet.hosts[5].name;
  nic.from = end_of_host(fleet, 5, 0);
  nic.to = end_of_switch(fleet, leaf_of(fleet, 5, 0), fleet.hosts[5].rails[0].leaf_port);
  const Cable& cable = fleet.cables[3];
  uplink.from = end_of_switch(fleet, cable.a, cable.a_port);
  uplink.to = end_of_switch(fleet, cable.b, cable.b_port);
  other.from = other.host = fleet.hosts[1].name;
  found.diagnoses = {nic, uplink, other};
  topo::Graph after = before;
  for (std::size_t i = 0; i < after.links.size(); ++i) {
    before.links[i].a_counters = {{"symbol_error", 5}, {"port_xmit_data", 1'000}, {"port_rcv_data", 1'000}};
    before.links[i].b_counters = {{"symbol_error", 0}, {"link_downed", 7}, {"port_xmit_wait", 0}};
    after.links[i].a_counters = {{"symbol_error", 17}, {"port_xmit_data", 250'001'000}, {"port_rcv_data", 500'001'000}};
    after.links[i].b_counters = {{"symbol_error", 0}, {"link_downed", 2}, {"port_xmit_wait", 12}};
  }
  validation::Validation live = found;
  add_port_evidence(live, fleet, before, &after, {});
  REQUIRE(live.diagnoses[0].evidence.size() == 2);
  CHECK_THAT(live.diagnoses[0].evidence[0],
             ContainsSubstring(nic.from + " counted 12 of symbol_error, 1 GB sent and 2 GB received"));
  CHECK_THAT(live.diagnoses[0].evidence[1], ContainsSubstring(nic.to + " counted 2 of link_downed, and waited 12 ticks"));
  CHECK(live.diagnoses[1].evidence.size() == 2);
  CHECK(live.diagnoses[2].evidence.empty());
  validation::Validation unread = found;
  add_port_evidence(unread, fleet, before, nullptr, "the fabric is gone");
  CHECK_THAT(unread.diagnoses[1].evidence.at(0), ContainsSubstring("were not read: the fabric is gone"));
  // What was not read before is nothing that came on top.
  topo::Graph less = before;
  for (topo::Link& link : less.links) {
    link.a_counters.erase("port_xmit_data");
    link.a_counters.erase("symbol_error");
  }
  validation::Validation half = found;
  add_port_evidence(half, fleet, less, &after, {});
  CHECK_THAT(half.diagnoses[0].evidence.at(0), EndsWith(nic.from + " counted no errors"));
  for (topo::Link& link : after.links) link.a_counters.clear();
  validation::Validation silent = found;
  add_port_evidence(silent, fleet, before, &after, {});
  CHECK_THAT(silent.diagnoses[0].evidence.at(0), ContainsSubstring("were not read: it did not tell them"));
}

}  // namespace
}  // namespace railgauge::validate
