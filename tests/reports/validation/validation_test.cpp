// Exit codes, and who is taken out of service.
#include "reports/validation/validation.hpp"

#include <string>
#include <vector>

#include "tests/reports/validation/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validation;

namespace {

Diagnosis finding(std::vector<std::string> hosts, Symptom measure = Symptom::bandwidth) {
  Diagnosis diagnosis;
  diagnosis.faulty = true;
  diagnosis.measure = measure;
  diagnosis.hosts = std::move(hosts);
  return diagnosis;
}

}  // namespace

TEST_CASE("the exit code says the outcome") {
  Validation of = test::healthy();
  CHECK(exit_code(of) == 0);
  of.outcome = Outcome::failed;
  CHECK(exit_code(of) == 1);
  of.outcome = Outcome::inconclusive;
  CHECK(exit_code(of) == 4);
  of.outcome = Outcome::interrupted;
  CHECK(exit_code(of) == 5);
}

TEST_CASE("a lost host weighs more than a faulty one, since the others were measured without it") {
  for (const Outcome outcome : {Outcome::failed, Outcome::inconclusive, Outcome::interrupted}) {
    Validation of = test::healthy();
    of.outcome = outcome;
    of.hosts[2].state = HostState::lost;
    CHECK(exit_code(of) == 5);
    of.hosts[2].state = HostState::faulty;
    CHECK(exit_code(of) != (outcome == Outcome::interrupted ? 0 : 5));
    of.diagnoses = {finding({"n2"}, Symptom::presence)};
    CHECK(exit_code(of) == 5);
    of.diagnoses.front().faulty = false;  // it was only suspected of having gone
    CHECK(exit_code(of) != (outcome == Outcome::interrupted ? 0 : 5));
  }
}

TEST_CASE("hosts that are named as faulty are drained, each once, in the order of the fleet") {
  Validation of = test::healthy();
  of.diagnoses = {finding({"n6", "stranger", "n1"}), finding({"n1", "n0", "stranger"}), finding({"n4"})};
  of.diagnoses.back().faulty = false;
  CHECK(to_drain(of) == std::vector<std::string>{"n0", "n1", "n6", "stranger"});
  CHECK(to_drain(test::healthy()).empty());
}
