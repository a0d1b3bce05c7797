// Workflow commands of GitHub Actions: a line for each point that is wrong, failed, below what was asked for or did not converge,
// which the page of the run shows beside the commit.
#include <fmt/format.h>

#include <string>

#include "base/output/escape.hpp"
#include "base/output/text.hpp"
#include "reports/formats/form.hpp"
#include "reports/formats/writer.hpp"
#include "reports/record/remark.hpp"
#include "reports/record/result_text.hpp"
#include "reports/record/standing.hpp"

namespace railgauge {
namespace {

class GitHub final : public Form {
 public:
  std::string add(const Result& result) override {
    const std::optional<Standing> standing = standing_of(result);
    tally_.add(result.status, standing);
    const std::string point = heading_of(result.point) + ": " + point_name(result.point);
    const std::string remark = remark_of(result);
    if (standing == Standing::below)
      return workflow_command("error", "below expectation",
                              point + ": " + standing_sentence(result) +
                                  (result.reason.empty() ? "" : "; not converged: " + result.reason) +
                                  (remark.empty() ? "" : "; " + remark));
    switch (result.status) {
      case Status::wrong:
        return workflow_command("error", "wrong data", point + ": " + result.reason);
      case Status::failed:
        return workflow_command("error", "failed", point + ": " + result.reason);
      case Status::not_converged:
        return workflow_command("warning", "not converged", point + ": " + result.reason + (remark.empty() ? "" : "; " + remark));
      case Status::ok:
        return remark.empty() ? remark : workflow_command("warning", "to look at", point + ": " + remark);
      case Status::predicted:
      case Status::skipped:
        return {};
    }
    return {};
  }
  std::string tail() override { return workflow_command("notice", "railgauge", tally_.sentence()); }

 private:
  Tally tally_;
};

}  // namespace

std::unique_ptr<Writer> make_github(const std::string& path) { return make_form_writer(path, std::make_unique<GitHub>()); }

}  // namespace railgauge
