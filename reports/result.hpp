// What was measured: plain records that every writer reads and that no writer changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge {

// One point of a sweep, in the names of base/words.hpp.
struct Case {
  std::string collective;
  std::string algorithm;
  std::string transport;
  std::string device = "host";
  std::string type;
  std::string op = "none";
  std::string mode = "back-to-back";  // or "isolated": each iteration starts together
  std::string path = "exchange";      // or "mapped": how the plan ran
  int ranks = 0;
  int nodes = 0;
  int root = -1;  // -1 where the collective has none
  int lanes = 1;
  bool in_place = false;
  std::uint64_t bytes = 0;  // S of docs/bandwidth.md
  std::uint64_t count = 0;  // elements of S
};

enum class Status : std::uint8_t { ok, not_converged, skipped, wrong, failed };

struct Summary {
  std::uint64_t samples = 0;     // timed samples, each the maximum over ranks
  std::uint64_t batch = 1;       // iterations of one sample
  std::uint64_t buffers = 1;     // buffer sets that the iterations of a batch take in turn
  std::string cache = "warm";    // "cold": the sets together exceed twice the last-level cache
  double effective_samples = 0;  // corrected for autocorrelation
  double checked = 1;            // share of the timed iterations whose data was checked
  std::uint64_t warm_up = 0;     // iterations before the first sample
  Seconds min{}, median{}, ci_low{}, ci_high{}, p95{}, p99{}, max{};
  double algbw = 0, busbw = 0;  // 1e9 bytes a second, from the median; 0 where the collective moves nothing
  std::uint64_t wrong = 0;      // wrong elements
};

struct Host {
  std::string name;
  std::string cpu;
  std::string kernel;
};

struct Result {
  std::string run;  // the same for all results of one command
  Case point;
  Status status = Status::ok;
  std::string reason;  // a sentence where the status is not ok
  std::vector<Seconds> samples;
  std::vector<std::vector<Seconds>> by_rank;  // each rank's times of the iterations, where they were asked for; else empty
  Summary summary;
  Host host;
  std::vector<std::pair<std::string, std::string>> versions;  // library, version
};

[[nodiscard]] constexpr const char* name(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::not_converged:
      return "not_converged";
    case Status::skipped:
      return "skipped";
    case Status::wrong:
      return "wrong";
    case Status::failed:
      return "failed";
  }
  return "?";
}

}  // namespace railgauge
