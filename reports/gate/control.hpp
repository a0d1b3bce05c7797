// A run beside its control: the accepted build, launched interleaved with the new one on the same machine in the same minutes. It
// says what has become slower; the history says what is missing. Pure functions; docs/gate.md explains them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/compare/purpose.hpp"
#include "reports/compare/side.hpp"
#include "reports/gate/judge.hpp"
#include "reports/gate/paired_sequential_test.hpp"
#include "reports/result.hpp"

namespace railgauge::gate {

// What one launch of each gave; nothing where it failed.
struct LaunchPair {
  std::string control_file, next_file;
  std::vector<Result> control, next;
};

class BesideControl {
 public:
  // The first pair says what the cases are. Throws Error(not_comparable) where both were not measured in one place, or have no
  // case in common.
  BesideControl(LaunchPair first, const compare::TurnRule& rule);
  [[nodiscard]] std::size_t wanted() const { return turns_.wanted(); }  // pairs to be made yet
  [[nodiscard]] bool suspected() const { return turns_.suspected(); }
  void add(LaunchPair pair);
  // `by_history`: what the history says of the first launch, without re-runs. `name`: of the control.
  [[nodiscard]] Judgement judge(Judgement by_history, const std::string& name) const;

 private:
  // What a launch said of a case.
  struct Seen {
    double seconds = 0;  // no number where it was not measured
    bool wrong = false, failed = false;
  };
  struct Turn {
    std::vector<Seen> control, next;  // by case
  };
  [[nodiscard]] std::vector<Seen> seen_in(std::span<const Result> results) const;
  [[nodiscard]] std::span<const Turn> deciding() const { return std::span(made_).last(turns_.pairs()); }
  [[nodiscard]] static std::optional<double> middle_of(std::span<const Turn> turns, std::vector<Seen> Turn::* side,
                                                       std::size_t place);
  void settle_case(Line& line) const;
  void settle(Line& line, std::size_t part) const;
  void add_missing(Judgement& judgement) const;
  void add_notes(Judgement& judgement) const;

  compare::Allowed joined_;                     // words of cases that differ on purpose
  std::map<compare::Key, std::size_t> places_;  // of the cases, so joined
  std::size_t first_;
  compare::PairedSequentialTest turns_;
  std::vector<LaunchPair> pairs_;
  std::vector<Turn> made_;  // of them
};

// Of a run without a control: `keep` is the command that keeps this build as one.
[[nodiscard]] Judgement without_control(Judgement by_history, const std::string& name, const std::string& keep);

}  // namespace railgauge::gate
