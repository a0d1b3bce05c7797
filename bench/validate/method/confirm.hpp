// Confirms suspicions: nobody is faulty for what was seen once. Suspects are measured again with hosts that are proven good, and
// then with one end swapped. Confirmation says what to measure, takes the measurements, and goes on until each suspicion is
// decided (docs/validate-method.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics/draws.hpp"
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

struct ConfirmOptions {
  double error = 0.002;  // chance to call a component faulty that is as good as others
  double miss = 0.001;   // chance to clear a component that is as slow as it looked
  LeastSlower least;
  Index least_partners = 3;          // a faulty suspect was slow with at least so many good hosts or pairs
  Index most_squares = 24;           // after so many comparisons, or as what is seldom slow needs, a suspect stays inconclusive
  Index least_squares_at_times = 0;  // who is slow at times is cleared after so many comparisons: good spells last, too
  std::uint64_t seed = 1;
};

enum class Outcome : std::uint8_t { faulty, cleared, inconclusive };

// What became of one suspect.
struct Finding {
  Suspect suspect;      // as it was localised
  Component component;  // what was confirmed: the suspect's component, or that of a rival
  Index rail = npos;    // the rail that it is of; npos: several
  Outcome outcome = Outcome::inconclusive;
  double slower = 0;    // as a share of the usual bandwidth, by the new measurements alone
  double often = 1;     // share of the new measurements that are slow; where it is below 1, `slower` is of the slow ones alone
  double log_odds = 0;  // natural logarithm of the odds that it is slow and not good
  Index squares = 0;    // comparisons with good hosts
  Index partners = 0;   // different good hosts, or pairs, that it was measured with
  double level = 0;     // where often < 1: GB/s while it is slow; 0 is unknown
  std::optional<Seconds> period;  // where often < 1: in which it comes back, where that is clear
  std::string reason;             // why it is inconclusive: a sentence; else empty
};

// One comparison: pairs that are measured in up to two rounds, and the weight of each.
struct Contrast {
  struct Term {
    Index from = 0, to = 0;
    unsigned turn = 0;  // the round: 0 or 1
    double weight = 0;  // positive where the pair crosses the suspect
  };
  std::vector<Term> terms;
  bool back = false;  // the opposite direction counts as well
  Index rail = npos;  // the rail that counts; npos: the mean of all rails
  double error = 0;   // standard deviation of the comparison, as a logarithm
};

// Refers to the fleet, the model and the suspicion, which must outlive it.
class Confirmation {
 public:
  Confirmation(const Fleet& fleet, const Model& model, const Suspicion& suspicion, const ConfirmOptions& options = {});
  // The round to measure now, on all rails and in both directions; nothing once all suspicions are decided.
  [[nodiscard]] std::optional<Round> next();
  // Takes the measurements of that round with all their repeats (unsteady.hpp). A comparison is void where one of them is
  // missing, as for a host that died.
  void add(std::span<const Measurement> measurements);
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

 private:
  struct Look {  // at one flow: bit 0 of `passed` is the suspect, the others are its rivals
    unsigned passed = 0;
    Index from = 0;
    double off = 0, low = 0;  // off the usual in the median; the share of repeats that are low
  };
  struct Trial {                 // of findings_[i]
    std::size_t hypothesis = 0;  // 0: the suspect itself; then its rivals
    Index tries = 0;
    bool decided = false, doubtful = false;
    std::vector<Index> partners;  // hosts; of a component between hosts, those that send through it
    std::vector<double> seen;
    double low = 0, watched = 0, control_low = 0, controls = 0;  // pairs, of what is slow at times
    std::vector<Pair> crossing;                                  // pairs that pass it; empty: not looked for yet
    bool searched = false;
    std::vector<Look> looks;
  };
  struct Running {
    std::size_t trial = 0;
    Contrast square;
    double sum = 0;
    std::size_t measured = 0;
    double step = 0;  // of the logarithm of the odds, of what is slow at times
  };

  void begin();
  void evaluate(const Running& running);
  void note_partners(const Running& running);
  // Of what is slow at times: confirm_unsteady.cpp.
  [[nodiscard]] bool at_times(std::size_t trial) const { return findings_[trial].suspect.often < 1; }
  void watch(Running& running, const Contrast::Term& term, std::span<const Measurement> measurements);
  void evaluate_watched(const Running& running);
  // Of sets, which may be slow at times too, the suspect and its rivals at once: confirm_sets.cpp.
  [[nodiscard]] bool of_sets(std::size_t trial) const { return at_times(trial) && in_set(findings_[trial].suspect.component); }
  [[nodiscard]] std::optional<Contrast> square_of_sets(std::size_t i, const std::vector<bool>& busy);
  void look(const Running& running, std::span<const Measurement> measurements);
  void evaluate_sets(std::size_t i);
  [[nodiscard]] double least_of(const Component& component) const;
  [[nodiscard]] Index most_tries(std::size_t i) const;
  void decide(std::size_t i);
  void move_on(std::size_t i);
  [[nodiscard]] std::optional<Contrast> square_for(std::size_t trial, const std::vector<bool>& busy);
  [[nodiscard]] std::optional<Contrast> square_of_host(std::size_t i, const std::vector<bool>& busy);
  [[nodiscard]] std::optional<Contrast> square_of_cable(std::size_t i, const std::vector<bool>& busy);
  [[nodiscard]] std::optional<Contrast> square_of_switch(std::size_t i, const std::vector<bool>& busy);
  void search_crossing(std::size_t i);
  [[nodiscard]] bool passes(const Component& component, Index from, Index to, Index rail);
  [[nodiscard]] bool fit_for_use(std::size_t trial, Index from, Index to, Index rail);
  [[nodiscard]] double error_of(bool back, Index rail) const;
  [[nodiscard]] Index random_good();
  [[nodiscard]] std::vector<Component> others(std::size_t i) const;
  [[nodiscard]] std::ptrdiff_t touched(const std::vector<Component>& alternatives, const Pair& pair, Index rail);
  [[nodiscard]] std::vector<Pair> crossing_in_order(std::size_t i, const std::vector<bool>& busy);

  const Fleet& fleet_;
  const Model& model_;
  const Suspicion& suspicion_;
  ConfirmOptions options_;
  Kinds kinds_;
  compare::Draws draws_;
  std::vector<Finding> findings_;
  std::vector<Trial> trials_;
  std::vector<Running> running_;
  unsigned turn_ = 0;
  std::vector<Hop> hops_;
};

}  // namespace railgauge::validate
