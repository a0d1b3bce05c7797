// Pairs again and again for as long as there is time: what is slow only now and then, and errors that take hours to come.
#include <fmt/format.h>

#include "bench/validate/stages/facts.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {

void run_soak(ValidationRun& run, validation::Stage& told) {
  const std::uint64_t seed = run.options.seed;
  std::size_t turns = 0;
  validation::Stage turn;
  // Of the turns the last one's pairs and figures are kept: a soak of a day has millions.
  const std::size_t pairs = run.found.pairs.size(), figures = run.found.figures.size();
  const std::size_t diagnoses = run.found.diagnoses.size();
  while (!run.time_is_over() && run.living().size() > 1) {
    run.found.pairs.resize(pairs);
    run.found.figures.resize(figures);
    run.options.seed = seed + 1000 * ++turns;  // others meet each other
    run.turn = turns;
    turn = {};
    run_pairs(run, turn);
    if (turn.state == validation::StageState::skipped) break;
  }
  run.options.seed = seed;
  run.turn = 1;
  for (std::size_t i = figures; i < run.found.figures.size(); ++i) run.found.figures[i].stage = "soak";
  for (std::size_t i = diagnoses; i < run.found.diagnoses.size(); ++i) run.found.diagnoses[i].stage = "soak";
  told.notes.push_back(fmt::format("{} turns of pairs", turns));
}

}  // namespace railgauge::validate
