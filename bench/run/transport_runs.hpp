// What a run measures over each of its transports, and which of those are not there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/run/run.hpp"
#include "bench/select/tuning.hpp"
#include "bench/session/natives.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {

// One transport of the sweep.
struct TransportRun {
  ChosenTransport transport;
  Abilities abilities;
  std::vector<Point> points;
  std::vector<NativePoint> natives;
  std::string absent;         // why it cannot be opened here; empty where it can
  std::vector<Case> skipped;  // of an absent one: the operations that were asked for
};

// Who measures.
struct Team {
  int ranks = 0, ranks_per_node = 0, nodes = 1;
  bool launched = false;  // by a launcher: ranks are processes
};

// Those that are asked for or, without a word, the one that serves best; "all": each that can serve here. A transport that is
// known and unavailable has points too, which are to be skipped. Throws Error(usage) for names, settings and sweeps that make no
// sense.
[[nodiscard]] std::vector<TransportRun> make_runs(const BenchOptions& options, const std::vector<KnownTransport>& known,
                                                  const Team& team, const Figures& figures);

[[nodiscard]] std::size_t count_points(const std::vector<TransportRun>& runs);

// Of "all": which transports are left out, with their reasons, for people. Empty where nothing is, or not all were asked for.
[[nodiscard]] std::string left_out(const BenchOptions& options, const std::vector<KnownTransport>& known);

// Collective: a transport that any rank lacks is unavailable for all.
[[nodiscard]] std::vector<KnownTransport> available_to_all(Group& group, std::vector<KnownTransport> known);

}  // namespace railgauge
