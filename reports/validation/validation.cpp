// What follows from the records: who is to be taken out of service, and the exit code.
#include "reports/validation/validation.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "reports/validation/fields.hpp"

namespace railgauge::validation {
namespace {

int code_of(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::passed:
      break;
    case Outcome::failed:
      return static_cast<int>(Fault::below_expectation);
    case Outcome::inconclusive:
      return static_cast<int>(Fault::inconclusive);
    case Outcome::interrupted:
      return static_cast<int>(Fault::lost);
  }
  return 0;
}

}  // namespace

std::string_view name(Blame blame) noexcept { return word_of(blame); }
std::string_view name(Symptom symptom) noexcept { return word_of(symptom); }
std::string_view name(HostState state) noexcept { return state == HostState::faulty ? "faulty" : word_of(state); }

std::vector<std::string> to_drain(const Validation& validation) {
  std::vector<std::string> mentioned, names;
  for (const Diagnosis& diagnosis : validation.diagnoses)
    if (diagnosis.faulty) mentioned.insert(mentioned.end(), diagnosis.hosts.begin(), diagnosis.hosts.end());
  std::unordered_set<std::string> left(mentioned.begin(), mentioned.end());
  const auto take = [&](const std::string& name) {
    if (left.erase(name) != 0) names.push_back(name);
  };
  for (const Host& host : validation.hosts) take(host.name);
  for (const std::string& name : mentioned) take(name);  // what the fleet does not know comes last
  return names;
}

int exit_code(const Validation& validation) noexcept {
  const bool lost = std::any_of(validation.hosts.begin(), validation.hosts.end(),
                                [](const Host& host) { return host.state == HostState::lost; }) ||
                    std::any_of(validation.diagnoses.begin(), validation.diagnoses.end(), [](const Diagnosis& diagnosis) {
                      return diagnosis.faulty && diagnosis.measure == Symptom::presence;
                    });
  const bool wrong = std::any_of(validation.diagnoses.begin(), validation.diagnoses.end(),
                                 [](const Diagnosis& diagnosis) { return diagnosis.measure == Symptom::data; });
  return more_severe(more_severe(code_of(validation.outcome), lost ? static_cast<int>(Fault::lost) : 0),
                     wrong ? static_cast<int>(Fault::wrong_data) : 0);
}

}  // namespace railgauge::validation
