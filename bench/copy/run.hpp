// `railgauge bench copy` from its options to its exit code: one process drives all devices of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/invocation.hpp"
#include "base/units.hpp"
#include "bench/copy/matrices.hpp"
#include "bench/measure/stop.hpp"

namespace railgauge {

struct CopyRun {
  CopyOptions copies;
  Policy policy;
  std::optional<Seconds> budget;      // of all cells together
  std::vector<std::string> topology;  // files and folders of `railgauge topo`; empty: this machine is asked
  std::vector<std::string> outputs;   // files
  std::string format;                 // empty: by the extension of each file
  std::optional<double> expect;       // share of expected below which a cell gives exit code 1
  bool strict = false;                // a cell that has not converged gives exit code 4
};

// Returns the exit code. Throws Error for a problem that it finds before the first result, and Error(lost) when a copy fails or
// does not end; finished results are kept then.
[[nodiscard]] int run_bench_copy(const CopyRun& run, const Invocation& invocation);

}  // namespace railgauge
