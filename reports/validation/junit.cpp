// A suite a stage with a case for each host, and a suite of the whole fleet: its outcome, its figures, and what lies between
// hosts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>

#include "reports/escape.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/words.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::validation {
namespace {

using web::shown;

std::string for_xml(std::string_view text) { return xml_text(shown(text)); }
std::string seconds_text(Seconds time) {
  return fmt::format("{:.6f}", std::isfinite(time.count()) ? std::max(0.0, time.count()) : 0.0);
}

enum class Result : std::uint8_t { passed, failure, error, skipped };

struct Case {
  std::string name, message, type, output;
  Result result = Result::passed;
};

struct Suite {
  std::string name;
  Seconds took{};
  std::vector<Case> cases;
};

// What is held against each host in each stage.
class Charges {
 public:
  explicit Charges(const Validation& validation) {
    for (const Verdict& verdict : validation.verdicts) {
      std::set<std::string> hosts(verdict.hosts.begin(), verdict.hosts.end());
      if (!verdict.host.empty()) hosts.insert(verdict.host);
      for (const std::string& host : hosts) verdicts_[host].push_back(&verdict);
    }
    for (const Difference& difference : validation.differences) differences_[difference.host].push_back(&difference);
  }

  [[nodiscard]] Case of(const Stage& stage, const Host& host) const {
    Case result;
    result.name = for_xml(host.name);
    std::string charges, doubts, told;
    const auto add = [](std::string& text, const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (const auto found = verdicts_.find(host.name); found != verdicts_.end())
      for (const Verdict* verdict : found->second) {
        if (verdict->stage != stage.name) continue;
        add(verdict->accused ? charges : doubts, fmt::format("{}: {}", shown(verdict->blame), shown(verdict->sentence)));
        if (verdict->accused && result.type.empty()) result.type = for_xml(verdict->blame);
      }
    if (stage.name == "preflight")
      if (const auto found = differences_.find(host.name); found != differences_.end())
        for (const Difference* it : found->second)
          add(it->severity == "fault" ? charges : told,
              fmt::format("{} {}: {}, expected {}", shown(it->subject), shown(it->name), shown(it->found), shown(it->expected)));
    const auto judge = [&](Result how, const std::string& message) {
      result.result = how;
      result.message = xml_text(message);
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
    } else if (host.state == HostState::unmeasured && stage.name != "preflight") {
      judge(Result::skipped, "the host was not measured: " + shown(host.reason));
    }
    result.output = xml_text(told);
    return result;
  }

 private:
  std::unordered_map<std::string, std::vector<const Verdict*>> verdicts_;
  std::unordered_map<std::string, std::vector<const Difference*>> differences_;
};

Suite fleet_of(const Validation& validation) {
  Suite suite{"railgauge validate: fleet", validation.took, {}};
  Case whole{"outcome", for_xml(validation.sentence), std::string(word_of(validation.outcome)), {}, Result::passed};
  if (validation.outcome == Outcome::failed) whole.result = Result::failure;
  if (validation.outcome == Outcome::inconclusive || validation.outcome == Outcome::interrupted) whole.result = Result::error;
  if (whole.result == Result::passed) whole.output = whole.message;
  suite.cases.push_back(whole);
  for (const Stage& stage : validation.stages) {
    const std::string said = xml_text(said_of(stage));
    if (stage.state == StageState::done)
      suite.cases.push_back({"stage " + for_xml(stage.name), {}, {}, said, Result::passed});
    else
      suite.cases.push_back({"stage " + for_xml(stage.name), said, {}, {}, Result::skipped});
  }
  for (const Figure& figure : validation.figures) {
    const std::string facts =
        fmt::format("{} measured; peers {}, ceiling {}, reference {}, least {}", amount(figure.value, figure.unit),
                    gigabytes(figure.peers), gigabytes(figure.ceiling), gigabytes(figure.reference), gigabytes(figure.least));
    suite.cases.push_back({fmt::format("{}: {}, {}", for_xml(figure.stage), for_xml(figure.what), for_xml(figure.subject)),
                           figure.below ? xml_text(facts) : std::string(), "below",
                           figure.below ? std::string() : xml_text(facts), figure.below ? Result::failure : Result::passed});
  }
  // What is nobody's host has no case among them.
  for (const Verdict& verdict : validation.verdicts)
    if (verdict.host.empty())
      suite.cases.push_back({for_xml(ends_of(verdict)),
                             fmt::format("{}: {}", for_xml(verdict.blame), for_xml(verdict.sentence)),
                             for_xml(verdict.blame),
                             {},
                             verdict.accused ? Result::failure : Result::skipped});
  return suite;
}

struct Counts {
  unsigned long long tests = 0, failures = 0, errors = 0, skipped = 0;
  void add(const Suite& suite) {
    for (const Case& it : suite.cases) {
      ++tests;
      failures += it.result == Result::failure ? 1 : 0;
      errors += it.result == Result::error ? 1 : 0;
      skipped += it.result == Result::skipped ? 1 : 0;
    }
  }
  void write(pugi::xml_node node, const std::string& name, Seconds took) const {
    node.append_attribute("name") = name.c_str();
    node.append_attribute("tests") = tests;
    node.append_attribute("failures") = failures;
    node.append_attribute("errors") = errors;
    node.append_attribute("skipped") = skipped;
    node.append_attribute("time") = seconds_text(took).c_str();
  }
};

void write(pugi::xml_node suite, const Case& it, const std::string& group) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = group.c_str();
  test.append_attribute("name") = it.name.c_str();
  test.append_attribute("time") = "0";  // hosts are measured at the same time: the suite has it
  if (it.result != Result::passed) {
    pugi::xml_node complaint = test.append_child(it.result == Result::failure ? "failure"
                                                 : it.result == Result::error ? "error"
                                                                              : "skipped");
    complaint.append_attribute("message") = it.message.c_str();
    if (it.result != Result::skipped) complaint.append_attribute("type") = it.type.c_str();
  }
  if (!it.output.empty()) test.append_child("system-out").text().set(it.output.c_str());
}

}  // namespace

std::string to_junit(const Validation& validation) {
  std::vector<Suite> suites{fleet_of(validation)};
  const Charges charges(validation);
  for (const Stage& stage : validation.stages) {
    Suite& suite = suites.emplace_back(Suite{"railgauge validate: " + for_xml(stage.name), stage.took, {}});
    for (const Host& host : validation.hosts) suite.cases.push_back(charges.of(stage, host));
  }
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node all = document.append_child("testsuites");
  Counts counts;
  for (const Suite& suite : suites) counts.add(suite);
  counts.write(all, "railgauge validate", validation.took);
  for (const Suite& suite : suites) {
    pugi::xml_node node = all.append_child("testsuite");
    Counts own;
    own.add(suite);
    own.write(node, suite.name, suite.took);
    const std::string group = "railgauge.validate." + suite.name.substr(suite.name.rfind(": ") + 2);
    for (const Case& it : suite.cases) write(node, it, group);
  }
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace railgauge::validation
