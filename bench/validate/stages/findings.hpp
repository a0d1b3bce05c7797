// Suspects are measured again, and what comes of it is told: for the stages that measure pairs.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// Hosts with the same fault that are told one by one; more are one finding.
inline constexpr std::size_t most_single = 32;

// Tells one finding of so many hosts, of `of`, that what they have in common comes first. `worst` is the diagnosis of the worst
// one; `what` follows "48 of 64 hosts" in the sentence.
void tell_together(ValidationRun& run, const char* stage, Diagnosis worst, const std::set<Index>& hosts, std::size_t of,
                   std::string_view what);

// What a measure is of, as measurements: all, and the new ones since so many rounds.
using MeasuredSince = std::function<std::vector<Measurement>(Index since)>;

// Leaves out of the suspicion who no longer takes part and who is among `without`: nobody is compared with who cannot be reached,
// nor suspected of that once more.
void leave_out(const ValidationRun& run, const std::vector<bool>& without, Suspicion& suspicion);

// Measures until each suspicion is decided, or the time of the stage is over.
[[nodiscard]] std::vector<Finding> confirm(ValidationRun& run, Matches& matches, Asked asked, const Model& model,
                                           const Suspicion& suspicion, ConfirmOptions options, const MeasuredSince& measured);

// Diagnoses the finding with what else is known of its host, and notes a faulty component between hosts.
void tell_finding(ValidationRun& run, const char* stage, const Finding& finding, Measure measure);

}  // namespace railgauge::validate
