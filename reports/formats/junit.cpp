// JUnit XML, as Jenkins, GitLab and the actions of GitHub read it: a suite a command, a case a point. Wrong data is a failure,
// and so is less than the share of expected that was asked for; a point that did not come through is an error; one that did not
// converge passes, and says so in its output.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/output/text.hpp"
#include "reports/formats/form.hpp"
#include "reports/formats/junit_file.hpp"
#include "reports/formats/writer.hpp"
#include "reports/record/remark.hpp"
#include "reports/record/result_text.hpp"
#include "reports/record/standing.hpp"

namespace railgauge {
namespace {

// All of the time that was measured.
Seconds time_of(const Result& result) {
  Seconds sum{};
  for (const Seconds sample : result.samples)
    if (std::isfinite(sample.count())) sum += sample;
  return sum * static_cast<double>(result.summary.batch);
}

std::string output_of(const Result& result) {
  const Summary& summary = result.summary;
  if (summary.samples == 0) return {};
  std::string text = fmt::format("median {} ± {}, p99 {}, {} samples", time_text(summary.median), interval_text(summary),
                                 time_text(summary.p99), summary.samples);
  if (summary.busbw != 0)
    text += fmt::format(", algbw {} GB/s, busbw {} GB/s", format_gigabytes(summary.algbw), format_gigabytes(summary.busbw));
  if (result.expected)
    text += fmt::format(", {} of the {} GB/s that the links allow", share_text(summary.busbw, result.expected->busbw),
                        format_gigabytes(result.expected->busbw));
  if (result.status == Status::not_converged) text += "\nnot converged: " + printable(result.reason);
  if (standing_of(result) == Standing::unknown) text += "\n" + standing_sentence(result);
  if (const std::string remark = remark_of(result); !remark.empty()) text += "\n" + printable(remark);
  return text;
}

class Junit final : public Form {
 public:
  std::string head(const Run& run) override {
    suite_.name = "railgauge " + run.id;
    return {};
  }

  // All of it at the end: the counts stand in the first line.
  std::string add(const Result& result) override {
    if (suite_.host.empty()) suite_.host = result.host.name;
    junit::Case one{
        "railgauge." + heading_of(result.point), point_name(result.point), time_of(result), {}, result.reason, {}, {}};
    const auto judge = [&](junit::Result how, const char* type) {
      one.result = how;
      one.type = type;
    };
    if (result.status == Status::wrong) judge(junit::Result::failure, "wrong data");
    if (result.status == Status::failed) judge(junit::Result::error, "failed");
    if (result.status == Status::skipped) judge(junit::Result::skipped, "");
    if (result.status == Status::predicted) {  // not measured, so nothing passed
      judge(junit::Result::skipped, "");
      one.message = fmt::format("predicted, not measured: {}, busbw {} GB/s; {}", time_text(*result.predicted),
                                format_gigabytes(result.summary.busbw), printable(result.reason));
    }
    if (one.result == junit::Result::passed && standing_of(result) == Standing::below) {
      judge(junit::Result::failure, "below expectation");
      one.message = standing_sentence(result);
    }
    one.output = output_of(result);
    suite_.took += one.took;
    suite_.cases.push_back(std::move(one));
    return {};
  }

  std::string tail() override { return junit::text_of("railgauge", suite_.took, {suite_}); }

 private:
  junit::Suite suite_;
};

}  // namespace

std::unique_ptr<Writer> make_junit(const std::string& path) { return make_form_writer(path, std::make_unique<Junit>()); }

}  // namespace railgauge
