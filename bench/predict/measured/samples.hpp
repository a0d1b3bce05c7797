// Times of messages between two ranks, read from files of results: what predictions take their constants from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/validation/validation.hpp"

namespace railgauge::predict {

// One message from a rank to another, alone. `from` and `to` are names of machines; empty where the file does not say them, as of
// ping_pong, which runs between ranks 0 and 1.
struct Sample {
  std::string from, to;
  double bytes = 0;
  double seconds = 0;  // of one direction
};

// What one transport was measured to do, between machines or inside one.
struct Measured {
  bool between_machines = true;
  std::string transport;
  std::vector<std::string> sources;  // "ping_pong of a.jsonl"
  std::vector<Sample> samples;       // not empty, unless there is a gap
  double gap = 0;                    // seconds from one small message of a stream to its next; 0: not measured
  double gap_bytes = 0;              // of those messages
};

// Takes ping_pong, pairs and stream (of messages of up to 1 KiB, the smallest) of files of `railgauge bench`, and the pairs of
// files of `railgauge validate`. Results of other collectives, and those without a time, are passed over. `transport`: of that
// alone; empty: of any. At most one entry for messages between machines, and one for those inside. Throws Error(usage): a file
// that cannot be read or is neither, that has nothing of this kind, or several transports where none was named.
[[nodiscard]] std::vector<Measured> read_measured(std::span<const std::string> files, const std::string& transport);

// The messages between machines of a validation's pairs; `source`: whose they are, "pairs of a.json". Nothing where it has none.
[[nodiscard]] std::optional<Measured> measured_pairs(const validation::Validation& found, const std::string& source);

}  // namespace railgauge::predict
