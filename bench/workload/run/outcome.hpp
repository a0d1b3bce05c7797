// Where the steps of a run go: lines of a file as each is done, a timeline, a page and the report at the end.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/output/file.hpp"
#include "bench/workload/analyse/comparison.hpp"
#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// Threads may share it.
class Outcome {
 public:
  // `files`: NAME.jsonl for records of steps, NAME.json for the timeline, NAME.html for the page. Throws Error(usage) for other
  // names, and for files that exist. `workload` outlives it. `how`: as in report_of().
  Outcome(const Workload& workload, std::string how, const std::vector<std::string>& files);
  void add(const StepRecord& record);
  void end(RunResult result);          // its steps are those that were added
  void beside(Comparison comparison);  // for the end of the report, and the page
  // Prints the report, of what is finished, and publishes the files. Once; what comes later is dropped. Returns 6 and says what
  // is wrong where data was wrong, else 0.
  int finish();

 private:
  const Workload& workload_;
  std::string how_;
  std::mutex lock_;
  RunResult result_;
  std::vector<Comparison> comparisons_;
  std::unique_ptr<GrowingFile> records_;
  std::unique_ptr<AsideFile> timeline_, page_;
  bool finished_ = false;
};

}  // namespace railgauge
