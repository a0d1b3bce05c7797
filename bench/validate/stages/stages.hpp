// The stages of a validation in their order: each has a file and a row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

struct StageRow {
  std::string_view name, summary;
  double share = 0;         // of the budget, of all stages that run
  bool when_quick = false;  // part of --quick
  bool when_asked = false;  // runs only where --stages names it
  bool when_alone = false;  // part of --quick where there is one host
  bool thresholds = false;  // its figures are compared with --expect
  bool workload = false;    // part of any run that has a --workload, and of no other
  // Runs the stage: `told` says what became of it, and `run.found` takes its findings. Throws Error(usage) where the user made a
  // mistake.
  void (*run)(ValidationRun& run, validation::Stage& told) = nullptr;
};

[[nodiscard]] std::span<const StageRow> stages() noexcept;  // static storage

void run_preflight(ValidationRun& run, validation::Stage& told);
void run_node(ValidationRun& run, validation::Stage& told);
void run_pairs(ValidationRun& run, validation::Stage& told);
void run_groups(ValidationRun& run, validation::Stage& told);
void run_congestion(ValidationRun& run, validation::Stage& told);
void run_watch(ValidationRun& run, validation::Stage& told);
void run_workload(ValidationRun& run, validation::Stage& told);
void run_soak(ValidationRun& run, validation::Stage& told);

// Tells who looked slow at times and was not watched, for there was no time.
void tell_unwatched(ValidationRun& run);

}  // namespace railgauge::validate
