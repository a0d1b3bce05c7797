// The outcome and its sentence.
#include "bench/validate/method/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "reports/validation/words.hpp"

namespace railgauge::validate {
namespace {

using validation::Diagnosis;
using validation::HostState;
using validation::Outcome;
using validation::Validation;

constexpr std::size_t most_named = 3;

std::string named(const std::vector<std::string>& ends) {
  std::string text;
  for (std::size_t i = 0; i < std::min(ends.size(), most_named); ++i) text += (i == 0 ? "" : ", ") + ends[i];
  if (ends.size() > most_named) text += fmt::format(" and {} more", ends.size() - most_named);
  return text;
}

std::size_t count(const Validation& found, HostState state) {
  return static_cast<std::size_t>(
      std::count_if(found.hosts.begin(), found.hosts.end(), [&](const validation::Host& host) { return host.state == state; }));
}

}  // namespace

void conclude(Validation& found, bool interrupted, const std::vector<std::string>& unanswered) {
  std::stable_sort(found.diagnoses.begin(), found.diagnoses.end(), [](const Diagnosis& a, const Diagnosis& b) {
    if (a.faulty != b.faulty) return a.faulty;
    return a.slower.value_or(1) > b.slower.value_or(1);
  });
  std::vector<std::string> faulty;
  std::set<std::string> hosts;
  bool open = false;
  const Diagnosis* wrong = nullptr;
  for (const Diagnosis& diagnosis : found.diagnoses) {
    if (diagnosis.measure == validation::Symptom::data && wrong == nullptr) wrong = &diagnosis;
    if (diagnosis.faulty) {
      faulty.push_back(fmt::format("{} ({})", diagnosis.from, name(diagnosis.blame)));
      hosts.insert(diagnosis.hosts.begin(), diagnosis.hosts.end());
    } else if (diagnosis.blame == validation::Blame::inconclusive) {
      open = true;
    }
  }
  const std::vector<validation::Figure>& figures = found.figures;
  const auto below = std::count_if(figures.begin(), figures.end(), [](const validation::Figure& figure) { return figure.below; });
  const std::size_t good = count(found, HostState::good), all = found.hosts.size();
  const std::size_t unmeasured = count(found, HostState::unmeasured);
  if (!faulty.empty() || below > 0 || wrong != nullptr) {
    found.outcome = Outcome::failed;
    found.sentence = faulty.empty() && wrong != nullptr ? fmt::format("wrong data: {}", validation::ends_of(*wrong))
                     : !faulty.empty() && hosts.empty() ? fmt::format("what lies between hosts is at fault: {}", named(faulty))
                     : !faulty.empty()                  ? fmt::format("{} of {} hosts {} at fault: {}", hosts.size(), all,
                                                     hosts.size() == 1 ? "is" : "are", named(faulty))
                                       : fmt::format("{} of {} figures are not what they must be", below, figures.size());
  } else if (open || good == 0 || unmeasured > 0 || !unanswered.empty()) {
    found.outcome = Outcome::inconclusive;
    found.sentence =
        open        ? "no host was found faulty, and what was suspected could not be decided"
        : all == 1  ? "one host takes part, and there is nobody to compare it with: start ranks on two or more hosts"
        : good == 0 ? "too little could be measured to say anything about any host"
        : unmeasured > 0
            ? fmt::format("no host was found faulty, and {} of {} hosts were measured too little to say anything of them",
                          unmeasured, all)
            : fmt::format("no host was found faulty, and {} was asked for and not measured", named(unanswered));
  } else if (found.level.checked && !found.level.verified && !found.level.relative) {
    found.outcome = Outcome::inconclusive;
    found.sentence = fmt::format(
        "{} of {} hosts are consistent, level not verified: {}; give the level as --expect pair=GB/s, or --relative to compare "
        "hosts with each other alone",
        good, all, found.level.reason);
  } else {
    found.outcome = Outcome::passed;
    found.sentence = fmt::format("{} of {} hosts are as fast as their peers, and there are no findings", good, all);
  }
  if (interrupted) {
    found.sentence = "interrupted; until then: " + found.sentence;
    found.outcome = Outcome::interrupted;
  }
}

}  // namespace railgauge::validate
