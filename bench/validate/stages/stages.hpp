// What a validation does, in this order: one file and one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/validate/stages/course.hpp"

namespace railgauge::validate {

struct StageRow {
  std::string_view name, summary;
  double share = 0;         // of the budget, of all stages that run
  bool when_quick = false;  // part of --quick
  bool when_asked = false;  // runs only where --stages names it
  bool when_alone = false;  // part of --quick where there is one host
  bool thresholds = false;  // its figures are held against --expect
  // What became of it; `course.found` has all else. Throws Error(usage) for what is no finding but a mistake of who started it.
  void (*run)(Course& course, validation::Stage& told) = nullptr;
};

[[nodiscard]] std::span<const StageRow> stages() noexcept;  // static storage

void run_preflight(Course& course, validation::Stage& told);
void run_node(Course& course, validation::Stage& told);
void run_pairs(Course& course, validation::Stage& told);
void run_groups(Course& course, validation::Stage& told);
void run_congestion(Course& course, validation::Stage& told);
void run_soak(Course& course, validation::Stage& told);

}  // namespace railgauge::validate
