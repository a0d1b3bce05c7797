// Gauges in the text that both Prometheus and OpenMetrics read: one family a figure, one line a point. Of points whose labels are
// the same the last one counts, as a family must not name one twice.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/output/text.hpp"
#include "reports/formats/form.hpp"
#include "reports/formats/writer.hpp"
#include "reports/record/standing.hpp"

namespace railgauge {
namespace {

constexpr double bytes_a_gigabyte = 1e9;

struct Family {
  const char *name, *unit, *help;
  bool measured;  // only of points with samples
  double (*value)(const Result& result);
};

constexpr std::array families{
    Family{"railgauge_median_seconds", "seconds", "Median over samples of the time of one operation, the longest of all ranks.",
           true, [](const Result& result) { return result.summary.median.count(); }},
    Family{"railgauge_min_seconds", "seconds", "The shortest sample.", true,
           [](const Result& result) { return result.summary.min.count(); }},
    Family{"railgauge_p99_seconds", "seconds", "99 of 100 samples took no longer.", true,
           [](const Result& result) { return result.summary.p99.count(); }},
    Family{"railgauge_max_seconds", "seconds", "The longest sample.", true,
           [](const Result& result) { return result.summary.max.count(); }},
    Family{"railgauge_algbw_bytes_per_second", "", "Bytes of the operation by its median time.", true,
           [](const Result& result) { return result.summary.algbw * bytes_a_gigabyte; }},
    Family{"railgauge_busbw_bytes_per_second", "",
           "Bytes that links carry for it, as nccl-tests counts them, by its median time.", true,
           [](const Result& result) { return result.summary.busbw * bytes_a_gigabyte; }},
    Family{"railgauge_expected_busbw_bytes_per_second", "", "What the links between the ranks allow.", true,
           [](const Result& result) { return result.expected ? result.expected->busbw * bytes_a_gigabyte : std::nan(""); }},
    Family{"railgauge_expected_share", "", "The share of that which was asked for.", true,
           [](const Result& result) { return result.expected_share.value_or(std::nan("")); }},
    Family{"railgauge_predicted_seconds", "seconds", "What railgauge predict gives for it on the topology that was named.", false,
           [](const Result& result) { return result.predicted ? result.predicted->count() : std::nan(""); }},
    Family{"railgauge_meets_expectation", "", "1 for a point that reaches the share, 0 for one that does not.", true,
           [](const Result& result) {
             const std::optional<Standing> standing = standing_of(result);
             return !standing || *standing == Standing::unknown ? std::nan("") : *standing == Standing::meets ? 1.0 : 0.0;
           }},
    Family{"railgauge_wrong_elements", "", "Elements of results that were wrong.", true,
           [](const Result& result) { return static_cast<double>(result.summary.wrong); }},
    Family{"railgauge_point_ok", "",
           "1 for a point that was measured, 0 for one that failed, has wrong data or did not converge.", false,
           [](const Result& result) {
             return !was_tried(result.status) ? std::nan("") : result.status == Status::ok ? 1.0 : 0.0;
           }},
};

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char character : printable(text)) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + "\"";
}

std::string labels_of(const Result& result) {
  const Case& point = result.point;
  std::vector<std::pair<const char*, std::string>> labels{{"collective", point.collective},
                                                          {"algorithm", point.algorithm},
                                                          {"transport", point.transport},
                                                          {"memory", point.device},
                                                          {"type", point.type},
                                                          {"op", point.op},
                                                          {"mode", point.mode},
                                                          {"path", point.path},
                                                          {"ranks", std::to_string(point.ranks)},
                                                          {"nodes", std::to_string(point.nodes)},
                                                          {"bytes", std::to_string(point.bytes)},
                                                          {"in_place", point.in_place ? "true" : "false"},
                                                          {"lanes", std::to_string(point.lanes)},
                                                          {"host", result.host.name}};
  if (point.root >= 0) labels.emplace_back("root", std::to_string(point.root));
  if (point.window != 0) labels.emplace_back("window", std::to_string(point.window));
  if (point.from >= 0) {
    labels.emplace_back("from", std::to_string(point.from));
    labels.emplace_back("to", std::to_string(point.to));
  }
  if (!point.from_node.empty()) labels.emplace_back("from_node", point.from_node);
  if (!point.to_node.empty()) labels.emplace_back("to_node", point.to_node);
  std::string text;
  for (const auto& [name, value] : labels) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, in_quotes(value));
  return text;
}

class OpenMetrics final : public Form {
 public:
  std::string add(const Result& result) override {
    auto [point, added] = points_.try_emplace(labels_of(result));
    if (added) order_.push_back(point->first);
    for (std::size_t i = 0; i < families.size(); ++i) {
      const bool told = !families[i].measured || result.summary.samples != 0;
      point->second[i] = told ? families[i].value(result) : std::nan("");
    }
    return {};
  }

  std::string tail() override {
    std::string text;
    for (std::size_t i = 0; i < families.size(); ++i) {
      std::string lines;
      for (const std::string& labels : order_)
        if (const double value = points_.at(labels)[i]; std::isfinite(value))
          lines += fmt::format("{}{{{}}} {}\n", families[i].name, labels, value);
      if (lines.empty()) continue;
      text += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", families[i].name, families[i].help);
      if (*families[i].unit != '\0') text += fmt::format("# UNIT {} {}\n", families[i].name, families[i].unit);
      text += lines;
    }
    return text + "# EOF\n";
  }

 private:
  std::map<std::string, std::array<double, families.size()>> points_;  // by labels
  std::vector<std::string> order_;
};

}  // namespace

std::unique_ptr<Writer> make_openmetrics(const std::string& path) {
  return make_form_writer(path, std::make_unique<OpenMetrics>());
}

}  // namespace railgauge
