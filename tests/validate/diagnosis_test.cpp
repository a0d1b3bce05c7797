// From findings to words: classes, both ends, what is left open.
#include "bench/validate/method/diagnosis.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "tests/test.hpp"
#include "tests/validate/simulator.hpp"

using namespace railgauge::test;
using namespace railgauge::validate;

namespace {

Finding faulty(const Component& component) {
  Finding finding;
  finding.component = finding.suspect.component = component;
  finding.outcome = Outcome::faulty;
  finding.slower = 0.21;
  finding.suspect.slower = 0.2;
  finding.log_odds = 7.5;
  finding.partners = 4;
  return finding;
}

}  // namespace

TEST_CASE("a diagnosis names both ends of a host's cable, and evidence narrows the class") {
  const Fleet fleet = fleet_of(tree_of_128());
  const Finding nic = faulty({ComponentKind::nic, Direction::out, 17, 3});
  const Diagnosis open = diagnosis_of(fleet, nic);
  CHECK(open.blame == Blame::nic);
  CHECK(open.from == "n17:mlx5_3/1");
  CHECK(open.to == "leaf-3-0-1 port 2");
  CHECK(open.hosts == std::vector<std::string>{"n17"});
  CHECK_THAT(open.sentence,
             ContainsSubstring("21.0 % slower") && ContainsSubstring("sending") && ContainsSubstring("may also be its cable"));
  Evidence evidence;
  evidence.loopback_share = 1.0;
  CHECK(diagnosis_of(fleet, nic, evidence).blame == Blame::cable_port);
  evidence.loopback_share = 0.8;
  CHECK(diagnosis_of(fleet, nic, evidence).blame == Blame::nic);
  CHECK(diagnosis_of(fleet, nic, evidence).sentence.find("may also") == std::string::npos);
  evidence.pcie_degraded = true;
  CHECK(diagnosis_of(fleet, nic, evidence).blame == Blame::pcie);
  Evidence errors;
  errors.link_errors = 7;
  CHECK(diagnosis_of(fleet, nic, errors).blame == Blame::cable_port);
}

TEST_CASE("a slow host is blamed by what was read of it") {
  const Fleet fleet = fleet_of(tree_of_128());
  const Finding host = faulty({ComponentKind::host, Direction::both, 5, npos});
  CHECK(diagnosis_of(fleet, host).blame == Blame::configuration);
  CHECK(diagnosis_of(fleet, host).from == "n5");
  CHECK(diagnosis_of(fleet, host).to.empty());
  Evidence evidence;
  evidence.gpu_share = 0.97;
  CHECK(diagnosis_of(fleet, host, evidence).blame == Blame::configuration);
  evidence.gpu_share = 0.9;
  CHECK(diagnosis_of(fleet, host, evidence).blame == Blame::gpu);
  Evidence nvlink;
  nvlink.nvlink_share = 0.5;
  CHECK(diagnosis_of(fleet, host, nvlink).blame == Blame::nvlink);
  evidence.differences = {"its driver is 550.54 and others have 570.86"};
  CHECK_THAT(diagnosis_of(fleet, host, evidence).sentence, ContainsSubstring("its driver is 550.54"));
  CHECK(diagnosis_of(fleet, host, evidence).blame == Blame::configuration);
}

TEST_CASE("cables between switches are named by both ports") {
  const FatTree shape = tree_of_128();
  const Fleet fleet = fleet_of(shape);
  const Diagnosis uplink = diagnosis_of(fleet, faulty({ComponentKind::uplink, Direction::in, shape.uplink(2, 1, 0, 4), npos}));
  CHECK(uplink.blame == Blame::leaf);
  CHECK(uplink.from == "leaf-2-1-0 port 21");
  CHECK(uplink.to == "spine-2-1-4 port 1");
  CHECK(uplink.direction == "down");
  CHECK(uplink.hosts.empty());
  const Diagnosis spine =
      diagnosis_of(fleet, faulty({ComponentKind::spine_link, Direction::out, shape.spine_link(2, 1, 4, 1), npos}));
  CHECK(spine.blame == Blame::spine);
  CHECK(spine.to == "core-2-4-1 port 2");
  CHECK(diagnosis_of(fleet, faulty({ComponentKind::leaf, Direction::both, 3, npos})).blame == Blame::leaf);
}

TEST_CASE("odds are whole numbers, and large ones a bound") {
  const Fleet fleet = fleet_of(tree_of_128());
  Finding finding = faulty({ComponentKind::nic, Direction::out, 17, 3});
  CHECK_THAT(diagnosis_of(fleet, finding).sentence, ContainsSubstring("(1,808 to 1)"));
  for (const auto& [log_odds, text] : {std::pair(6.5, "(665 to 1)"), std::pair(std::log(120'034.5), "(120,034 to 1)"),
                                       std::pair(14.0, "(more than 1,000,000 to 1)"),
                                       std::pair(1e6, "(more than 1,000,000 to 1)"), std::pair(0.0, "(1 to 1)")}) {
    finding.log_odds = log_odds;
    CHECK_THAT(diagnosis_of(fleet, finding).sentence, ContainsSubstring(text));
    finding.suspect.often = 0.3;  // slow at times
    CHECK_THAT(diagnosis_of(fleet, finding).sentence, ContainsSubstring(text));
    finding.suspect.often = 1;
  }
}

TEST_CASE("nobody is to be drained for what was not confirmed") {
  const Fleet fleet = fleet_of(tree_of_128());
  Finding finding = faulty({ComponentKind::host, Direction::both, 5, npos});
  finding.outcome = Outcome::cleared;
  CHECK(diagnosis_of(fleet, finding).blame == Blame::unstable);
  CHECK(diagnosis_of(fleet, finding).hosts.empty());
  finding.outcome = Outcome::inconclusive;
  finding.reason = "it could be compared with too few";
  CHECK(diagnosis_of(fleet, finding).blame == Blame::inconclusive);
  CHECK_THAT(diagnosis_of(fleet, finding).sentence, ContainsSubstring("too few"));
  CHECK_FALSE(diagnosis_of(fleet, finding).faulty);
  for (int i = 0; i <= static_cast<int>(Blame::inconclusive); ++i) CHECK_FALSE(name(static_cast<Blame>(i)).empty());
}
