// Pairs again and again for as long as there is time: what is slow only now and then, and errors that take hours to come.
#include <fmt/format.h>

#include "bench/validate/stages/facts.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {

void run_soak(ValidationRun& course, validation::Stage& told) {
  const std::uint64_t seed = course.options.seed;
  std::size_t turns = 0;
  validation::Stage turn;
  // Of the turns the last one's pairs and figures are kept: a soak of a day has millions.
  const std::size_t pairs = course.found.pairs.size(), figures = course.found.figures.size();
  const std::size_t verdicts = course.found.verdicts.size();
  while (!course.time_is_over() && course.living().size() > 1) {
    course.found.pairs.resize(pairs);
    course.found.figures.resize(figures);
    course.options.seed = seed + 1000 * ++turns;  // others meet each other
    course.turn = turns;
    turn = {};
    run_pairs(course, turn);
    if (turn.state == validation::StageState::skipped) break;
  }
  course.options.seed = seed;
  course.turn = 1;
  for (std::size_t i = figures; i < course.found.figures.size(); ++i) course.found.figures[i].stage = "soak";
  for (std::size_t i = verdicts; i < course.found.verdicts.size(); ++i) course.found.verdicts[i].stage = "soak";
  told.notes.push_back(fmt::format("{} turns of pairs", turns));
}

}  // namespace railgauge::validate
