// Finds the hosts whose cables lose packets, by what senders sent again: pure arithmetic, explained in docs/validate-method.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/method/fleet.hpp"

namespace railgauge::validate {

// What one host sent to another in a round, and how much of it a second time.
struct Sent {
  Index from = 0, to = 0, rail = 0, round = 0;
  std::uint64_t packets = 0, resent = 0;
  bool of_port = false;  // counted by the port of the rail; else by the host, on all rails together
};

struct LossOptions {
  double share = 1e-4;  // of the packets: a host that loses less is not found
  double times = 5;     // as much as the median of the others
  // Of packets between any two hosts, where nobody loses less than the others: what is told then is no finding.
  double everywhere = 5e-4;
  double error = 1e-3;  // chance of finding somebody in a fleet where each loses as often as the others
};

// A host that loses more than the others, or, where nobody could be named, the fleet.
struct Lossy {
  Index host = npos, rail = npos;  // npos: of all; the rail also where hosts counted all rails together
  Direction direction = Direction::both;
  bool faulty = false;
  double share = 0, others = 0;      // of packets that are lost: at this host, and among hosts without a finding
  std::uint64_t packets = 0;         // that were sent to and from this host
  Index seen = 0, rounds = 0;        // rounds in which this host lost packets, of those that it was measured in
  Index partners = 0;                // that it lost them with
  double odds = 1;                   // how many times likelier the rounds are if this host is different
  std::vector<Index> others_losing;  // of what is not faulty: whom it could be instead
};

// Returns what each host or rail loses that is found, the worst first. Hosts that met several others in one round are left out of
// it: their counters do not tell which of them it was.
[[nodiscard]] std::vector<Lossy> find_losses(const Fleet& fleet, std::span<const Sent> sent, const LossOptions& options = {});

[[nodiscard]] Diagnosis diagnosis_of(const Fleet& fleet, const Lossy& lossy);

}  // namespace railgauge::validate
