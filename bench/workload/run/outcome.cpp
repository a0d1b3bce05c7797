// Writes while a run goes on, and after it; bench/workload/run/outcome.hpp.
#include "bench/workload/run/outcome.hpp"

#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "base/output/print.hpp"
#include "bench/workload/page/page.hpp"
#include "bench/workload/report/chrome_trace.hpp"
#include "bench/workload/report/records.hpp"
#include "bench/workload/report/report.hpp"

namespace railgauge {

Outcome::Outcome(const Workload& workload, std::string how, const std::vector<std::string>& files)
    : workload_(workload), how_(std::move(how)) {
  for (const std::string& file : files) {
    const bool records = file.ends_with(".jsonl"), page = file.ends_with(".html");
    if (!records && !page && !file.ends_with(".json"))
      throw Error(Fault::usage, "-o " + file +
                                    ": a name ends in .html (page of the step), .jsonl (records of steps) or .json (timeline "
                                    "for Perfetto)");
    std::unique_ptr<AsideFile>& aside = page ? page_ : timeline_;
    if (records ? records_ != nullptr : aside != nullptr)
      throw Error(Fault::usage, "-o " + file + ": one file of this kind is enough");
    if (records)
      records_ = std::make_unique<GrowingFile>(file);
    else
      aside = std::make_unique<AsideFile>(file);
  }
}

void Outcome::add(const StepRecord& record) {
  const std::lock_guard guard(lock_);
  if (finished_) return;
  result_.steps.push_back(record);
  if (records_) records_->append(to_json(record).dump() + "\n");
}

void Outcome::end(RunResult result) {
  const std::lock_guard guard(lock_);
  result.steps = std::move(result_.steps);
  result_ = std::move(result);
}

void Outcome::beside(Comparison comparison) {
  const std::lock_guard guard(lock_);
  comparisons_.push_back(std::move(comparison));
}

int Outcome::finish() {
  const std::lock_guard guard(lock_);
  if (std::exchange(finished_, true)) return 0;
  std::string report = report_of(workload_, result_, how_);
  for (const Comparison& comparison : comparisons_) report += "\n" + comparison_text(comparison);
  print(report, stdout);
  if (timeline_ && !result_.timeline.empty()) {
    timeline_->append(chrome_trace(workload_, result_.timeline));
    timeline_->publish();
  }
  if (page_ && !result_.steps.empty()) {
    page_->append(page_of_step(workload_, result_, how_, comparisons_));
    page_->publish();
  }
  if (!result_.wrong) return 0;
  std::fprintf(stderr, "railgauge: wrong data: %s\n", result_.wrong->sentence.c_str());
  return static_cast<int>(Fault::wrong_data);
}

}  // namespace railgauge
