// `railgauge bench` from its options to its exit code: finds the ranks, runs a session for each transport, hands results to
// writers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/invocation.hpp"
#include "bench/select/sweep.hpp"
#include "bench/session/session.hpp"

namespace railgauge {

struct BenchOptions {
  SweepOptions sweep;
  SessionOptions session;
  std::optional<int> ranks;                  // of this machine; empty under a launcher, or for a sensible number
  std::optional<int> sensible_ranks;         // that number, where a file of an algorithm has one
  std::vector<std::string> transports;       // or "all"; empty: shm on one host, ucx on several
  std::map<std::string, Settings> settings;  // by transport
  std::vector<std::string> outputs;          // files
  std::string format;                        // empty: by the extension of each file
  std::optional<Seconds> budget;             // of the whole sweep
  std::vector<std::string> topology;         // files and folders of `railgauge topo`; empty: the hosts are asked
  std::string tuning;                        // file for --algorithm auto; empty: this user's
  std::optional<double> expect;              // share of expected below which a point gives exit code 1
  bool tune = false;                         // measure what that file holds, and replace it
  bool strict = false;                       // a point that has not converged gives exit code 4
  bool first_look = false;                   // nothing was asked for: say how to go on
};

// Returns the exit code. Throws Error for what was found out before the first result.
[[nodiscard]] int run_bench(const BenchOptions& given, const Invocation& invocation);

}  // namespace railgauge
