// What explains the slow pairs with the fewest faults: a host that sends or receives slowly, one rail of it, a leaf, a cable between
// switches. Sparse and non-negative: parts are only ever slower than usual, and few are. docs/validate-method.md.
#pragma once

#include <span>
#include <vector>

#include "bench/validate/fleet.hpp"
#include "bench/validate/model.hpp"

namespace railgauge::validate {

struct LocaliseOptions {
  double family_error = 0.05;   // chance to suspect anything where all is well
  double least_slower = 0.015;  // what is less slow than that is not worth a suspicion
  std::size_t most = 64;        // suspects; more than that is no fault of single parts
};

struct Rival {
  Component component;
  Index rail = nowhere;  // the only one that its measurements are of
  double z = 0;
};

struct Suspect {
  Component component;
  Index rail = nowhere;        // the only one that its measurements are of; nowhere: several
  double slower = 0;           // as a share
  double z = 0;                // in standard errors, when it was found
  Index rounds = 0;            // measurements of different pairs or rounds that passed it
  std::vector<Rival> rivals;   // explain the same measurements nearly as well; the best first
};

struct Suspicion {
  std::vector<Suspect> suspects;   // in the order found: the clearest first
  std::vector<Index> good;         // hosts that were measured and that nothing is held against, best known first
  std::size_t candidates = 0;      // parts that were measured often enough to be told about
  double threshold = 0;            // of z
  bool complete = true;            // false: there may be more than `most`
};

[[nodiscard]] Suspicion localise(const Fleet& fleet, const Samples& samples, const Model& model, const LocaliseOptions& options = {});

}  // namespace railgauge::validate
