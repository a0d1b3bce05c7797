// Localises faults: finds the fewest components that explain the slow pairs, as a host that sends or receives slowly, one rail of
// it, a leaf, or a cable between switches. The search is sparse and non-negative: components are only ever slower than usual, and
// few of them are (docs/validate-method.md).
#pragma once

#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

// A component that is slower by less, as a share, is no suspect. Few measurements cross what lies between hosts, all of single
// rails.
struct LeastSlower {
  double host = 0.015, nic = 0.03, between = 0.05;
  [[nodiscard]] double of(ComponentKind kind) const {
    return kind == ComponentKind::host ? host : kind == ComponentKind::nic ? nic : between;
  }
};

struct LocaliseOptions {
  // The number of false suspects to expect where all is well. Confirmation clears them; with fewer of them, cables, which few
  // measurements cross, would be overlooked.
  double false_hosts = 0.5, false_nics = 0.3, false_between = 1;
  double false_differing = 0.003;  // the same, of hosts that are no further off than hosts differ anyway
  LeastSlower least;
  std::size_t most = 64;  // suspects; more than that is no fault of single components
};

// Another component that explains the measurements of a suspect nearly as well. The members are those of Suspect.
struct Rival {
  Component component;
  Index rail = npos;
  double z = 0;
  double often = 1;
};

// How often measurements are low where all is well. suspect_unsteady() fills it.
struct Steadiness {
  double low = 0;         // the logarithm, off the usual, below which a measurement is low: negative; 0 is unknown
  double often = 0;       // share of low measurements, of single rails
  double often_host = 0;  // share of low medians over the rails of a pair
};

struct Suspect {
  Component component;
  Index rail = npos;  // the rail, where all its measurements are of one; else npos
  double slower = 0;  // as a share of the usual bandwidth
  double often = 1;   // share of its measurements that are slow; where it is below 1, `slower` is of those alone (unsteady.hpp)
  double looks = 1;   // where often < 1: the number of independent measurements that a round is worth
  Steadiness usual;   // where often < 1: by what it was seen; it may be further below the usual than for others
  double z = 0;       // how far it is off, in standard errors
  Index rounds = 0;   // different pairs or rounds whose measurements crossed it
  std::vector<Rival> rivals;  // the best first
};

struct Suspicion {
  std::vector<Suspect> suspects;  // the clearest first
  std::vector<Index> good;        // hosts that were measured and that no suspicion names, the least doubtful first
  Steadiness steadiness;
  double differing = 0;        // as a share: hosts and NICs that are slower by less differ no more than hosts do anyway
  std::size_t candidates = 0;  // components that enough measurements crossed
  std::size_t unseen = 0;      // cables between switches that too few measurements crossed, each direction counted
  bool complete = true;        // false: there are `most` suspects, and there may be more
};

[[nodiscard]] Suspicion localise(const Fleet& fleet, const Samples& samples, const Model& model,
                                 const LocaliseOptions& options = {});

}  // namespace railgauge::validate
