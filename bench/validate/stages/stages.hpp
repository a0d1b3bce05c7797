// What a validation does, in this order: one file and one row each.
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
  // What became of it; `course.found` has all else. Throws Error(usage) for what is no finding but a mistake of who started it.
  void (*run)(ValidationRun& course, validation::Stage& told) = nullptr;
};

[[nodiscard]] std::span<const StageRow> stages() noexcept;  // static storage

void run_preflight(ValidationRun& course, validation::Stage& told);
void run_node(ValidationRun& course, validation::Stage& told);
void run_pairs(ValidationRun& course, validation::Stage& told);
void run_groups(ValidationRun& course, validation::Stage& told);
void run_congestion(ValidationRun& course, validation::Stage& told);
void run_soak(ValidationRun& course, validation::Stage& told);

}  // namespace railgauge::validate
