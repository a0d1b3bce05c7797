// A suite a stage with a case for each host, and a suite of the whole fleet: its outcome, its figures, and what lies between
// hosts.
#include <fmt/format.h>

#include <set>
#include <string>
#include <unordered_map>

#include "reports/formats/junit_file.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/words.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::validation {
namespace {

using junit::Case, junit::Result, junit::Suite;
using web::shown;

// What is compared with each host in each stage.
class Charges {
 public:
  explicit Charges(const Validation& validation) {
    for (const Diagnosis& diagnosis : validation.diagnoses) {
      std::set<std::string> hosts(diagnosis.hosts.begin(), diagnosis.hosts.end());
      if (!diagnosis.host.empty()) hosts.insert(diagnosis.host);
      for (const std::string& host : hosts) diagnoses_[host].push_back(&diagnosis);
    }
    for (const Difference& difference : validation.differences) differences_[difference.host].push_back(&difference);
  }

  [[nodiscard]] Case of(const Stage& stage, const Host& host) const {
    Case result;
    result.group = "railgauge.validate." + shown(stage.name);
    result.name = shown(host.name);
    std::string charges, doubts, told;
    const auto add = [](std::string& text, const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (const auto found = diagnoses_.find(host.name); found != diagnoses_.end())
      for (const Diagnosis* diagnosis : found->second) {
        if (diagnosis->stage != stage.name) continue;
        add(diagnosis->faulty ? charges : doubts, fmt::format("{}: {}", name(diagnosis->blame), shown(diagnosis->sentence)));
        if (diagnosis->faulty && result.type.empty()) result.type = std::string(name(diagnosis->blame));
      }
    if (stage.name == preflight_stage)
      if (const auto found = differences_.find(host.name); found != differences_.end())
        for (const Difference* it : found->second)
          add(it->severity == topo::Severity::fault ? charges : told,
              fmt::format("{} {}: {}, expected {}", shown(it->subject), shown(it->name), shown(it->found), shown(it->expected)));
    const auto judge = [&](Result how, const std::string& message) {
      result.result = how;
      result.message = message;
    };
    if (!charges.empty()) {
      judge(Result::failure, charges);
      if (result.type.empty()) result.type = "setting";
    } else if (stage.state == StageState::skipped) {
      judge(Result::skipped, "the stage was skipped: " + shown(stage.reason));
    } else if (host.state == HostState::lost) {
      judge(Result::skipped, "the host was lost: " + shown(host.reason));
    } else if (!doubts.empty()) {
      judge(Result::skipped, "suspected, and not decided: " + doubts);
    } else if (host.state == HostState::unmeasured && stage.name != preflight_stage) {
      judge(Result::skipped, "the host was not measured: " + shown(host.reason));
    }
    result.output = told;
    return result;
  }

 private:
  std::unordered_map<std::string, std::vector<const Diagnosis*>> diagnoses_;
  std::unordered_map<std::string, std::vector<const Difference*>> differences_;
};

Suite suite_of(const std::string& name, Seconds took) { return {"railgauge validate: " + name, {}, took, {}}; }

Suite fleet_of(const Validation& validation) {
  Suite suite = suite_of("fleet", validation.took);
  const auto add = [&](const std::string& name, Result result, const std::string& said, const std::string& type) {
    Case one{"railgauge.validate.fleet", name, {}, result, {}, type, {}};
    (result == Result::passed ? one.output : one.message) = said;
    suite.cases.push_back(std::move(one));
  };
  const bool open = validation.outcome == Outcome::inconclusive || validation.outcome == Outcome::interrupted;
  add("outcome",
      validation.outcome == Outcome::failed ? Result::failure
      : open                                ? Result::error
                                            : Result::passed,
      shown(validation.sentence), std::string(word_of(validation.outcome)));
  for (const Stage& stage : validation.stages)
    add("stage " + shown(stage.name), stage.state == StageState::done ? Result::passed : Result::skipped, said_of(stage), {});
  for (const Figure& figure : validation.figures)
    add(fmt::format("{}: {}, {}", shown(figure.stage), shown(figure.what), shown(figure.subject)),
        figure.below ? Result::failure : Result::passed,
        fmt::format("{} measured; peers {}, ceiling {}, reference {}, asked for {}", amount(figure.value, figure.unit),
                    gigabytes(figure.peers), gigabytes(figure.ceiling), gigabytes(figure.reference), asked_of(figure)),
        too_long(figure) ? "above" : "below");
  // What is nobody's host has no case among them.
  for (const Diagnosis& diagnosis : validation.diagnoses)
    if (diagnosis.host.empty())
      add(shown(ends_of(diagnosis)), diagnosis.faulty ? Result::failure : Result::skipped,
          fmt::format("{}: {}", name(diagnosis.blame), shown(diagnosis.sentence)), std::string(name(diagnosis.blame)));
  return suite;
}

}  // namespace

std::string to_junit(const Validation& validation) {
  std::vector<Suite> suites{fleet_of(validation)};
  const Charges charges(validation);
  for (const Stage& stage : validation.stages) {
    Suite& suite = suites.emplace_back(suite_of(shown(stage.name), stage.took));
    for (const Host& host : validation.hosts) suite.cases.push_back(charges.of(stage, host));
  }
  return junit::text_of("railgauge validate", validation.took, suites);
}

}  // namespace railgauge::validation
