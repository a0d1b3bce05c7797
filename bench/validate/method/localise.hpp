// What explains the slow pairs with the fewest faults: a host that sends or receives slowly, one rail of it, a leaf, a cable
// between switches. Sparse and non-negative: parts are only ever slower than usual, and few are. docs/validate-method.md.
#pragma once

#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

// What is less slow is nobody's fault, as a share. What lies between hosts is seen by few measurements, of single rails.
struct LeastSlower {
  double host = 0.015, nic = 0.03, between = 0.05;
  [[nodiscard]] double of(Part part) const { return part == Part::host ? host : part == Part::nic ? nic : between; }
};

struct LocaliseOptions {
  // How many false suspects are to be expected where all is well. Confirming clears them; cables, which few measurements pass,
  // would else be overlooked.
  double false_hosts = 0.5, false_nics = 0.3, false_between = 1;
  double false_differing = 0.003;  // of hosts that are only as far off as the best and the worst of many are
  LeastSlower least;
  std::size_t most = 64;  // suspects; more than that is no fault of single parts
};

struct Rival {
  Component component;
  Index rail = npos;  // the only one that its measurements are of
  double z = 0;
  double often = 1;  // as that of a suspect
};

struct Suspect {
  Component component;
  Index rail = npos;          // the only one that its measurements are of; npos: several
  double slower = 0;          // as a share
  double often = 1;           // share of its measurements that are slow; below 1 `slower` is of those alone (unsteady.hpp)
  double looks = 1;           // where often < 1: so many measurements that have nothing to do with each other a round is worth
  double z = 0;               // in standard errors, when it was found
  Index rounds = 0;           // measurements of different pairs or rounds that passed it
  std::vector<Rival> rivals;  // explain the same measurements nearly as well; the best first
};

// How often measurements are low where all is well, by suspect_unsteady().
struct Steadiness {
  double low = 0;         // what lies below this, off the usual, is low: a negative logarithm; 0: not known
  double often = 0;       // share of single rails
  double often_host = 0;  // share of medians over the rails of a pair
};

struct Suspicion {
  std::vector<Suspect> suspects;  // in the order found: the clearest first
  std::vector<Index> good;        // hosts that were measured and that no finding names, best known first
  Steadiness steadiness;
  double differing = 0;        // as a share: hosts and NICs that are less slow than that are no worse than hosts are anyway
  std::size_t candidates = 0;  // parts that enough measurements passed
  std::size_t unseen = 0;      // cables between switches that too few measurements passed, each way
  bool complete = true;        // false: there may be more than `most`
};

[[nodiscard]] Suspicion localise(const Fleet& fleet, const Samples& samples, const Model& model,
                                 const LocaliseOptions& options = {});

}  // namespace railgauge::validate
