// Gauges: of lines with the same labels the last one counts, as a family must not name one twice.
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "base/output/text.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/words.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::validation {
namespace {

constexpr double bytes_a_gigabyte = 1e9;

using Labels = std::initializer_list<std::pair<const char*, std::string_view>>;

std::string text_of(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"", text.empty() ? "" : ",", name);
    for (const char c : web::shown(value)) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text.empty() ? text : "{" + text + "}";
}

class Gauges {
 public:
  void family(const char* name, const char* unit, const char* help) {
    close();
    name_ = name;
    head_ = fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
    if (*unit != '\0') head_ += fmt::format("# UNIT {} {}\n", name, unit);
  }
  void line(const Labels& labels, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return;
    const auto [place, added] = places_.try_emplace(text_of(labels), lines_.size());
    const std::string text = fmt::format("{}{} {}\n", name_, place->first, *value);
    if (added)
      lines_.push_back(text);
    else
      lines_[place->second] = text;
  }
  std::string finish() {
    close();
    return text_ + "# EOF\n";
  }

 private:
  void close() {
    if (!lines_.empty()) text_ += head_;
    for (const std::string& line : lines_) text_ += line;
    lines_.clear();
    places_.clear();
  }

  std::string name_, head_, text_;
  std::vector<std::string> lines_;
  std::map<std::string, std::size_t> places_;
};

std::optional<double> bytes_of(const std::optional<double>& gigabytes) {
  return gigabytes ? std::optional(*gigabytes * bytes_a_gigabyte) : std::nullopt;
}
std::optional<double> share_of(const std::optional<double>& off) { return off ? std::optional(1 + *off) : std::nullopt; }

void add_rails(Gauges& gauges, const Validation& validation, auto value) {
  for (const Host& host : validation.hosts)
    for (std::size_t i = 0; i < host.rails.size(); ++i)
      gauges.line({{"host", host.name}, {"rail", std::to_string(i)}, {"port", host.rails[i].port}}, value(host.rails[i]));
}

void add_figures(Gauges& gauges, const Validation& validation, auto value) {
  for (const Figure& it : validation.figures)
    gauges.line({{"stage", it.stage}, {"what", it.what}, {"subject", it.subject}, {"unit", it.unit}}, value(it));
}

}  // namespace

std::string to_openmetrics(const Validation& validation) {
  Gauges gauges;
  gauges.family("railgauge_validation_passed", "", "1 for a validation that passed, 0 for any other outcome.");
  gauges.line({{"outcome", word_of(validation.outcome)}}, validation.outcome == Outcome::passed ? 1 : 0);
  gauges.family("railgauge_validation_exit_code", "", "What railgauge validate ended with: docs/exit-codes.md.");
  gauges.line({}, exit_code(validation));
  gauges.family("railgauge_validation_duration_seconds", "seconds", "From the start of the validation to its end.");
  gauges.line({}, validation.took.count());
  gauges.family("railgauge_validation_stage_duration_seconds", "seconds", "Of each stage that was not skipped.");
  for (const Stage& stage : validation.stages)
    if (stage.state != StageState::skipped)
      gauges.line({{"stage", stage.name}, {"state", word_of(stage.state)}}, stage.took.count());
  gauges.family("railgauge_validation_hosts", "", "Hosts by what became of them.");
  for (std::size_t state = 0; state < words_of<HostState>.size(); ++state) {
    double count = 0;
    for (const Host& host : validation.hosts) count += static_cast<std::size_t>(host.state) == state ? 1 : 0;
    gauges.line({{"state", words_of<HostState>[state]}}, count);
  }
  gauges.family("railgauge_validation_host_good", "", "1 for a host without findings, 0 for any other.");
  for (const Host& host : validation.hosts)
    gauges.line({{"host", host.name}, {"state", word_of(host.state)}}, host.state == HostState::good ? 1 : 0);
  gauges.family("railgauge_validation_send_bytes_per_second", "", "Median over the pairs of a host and rail, sending.");
  add_rails(gauges, validation, [](const RailFigures& rail) { return bytes_of(rail.send); });
  gauges.family("railgauge_validation_receive_bytes_per_second", "", "Median over the pairs of a host and rail, receiving.");
  add_rails(gauges, validation, [](const RailFigures& rail) { return bytes_of(rail.receive); });
  gauges.family("railgauge_validation_send_share", "", "The same beside its peers, sending: 1 is as usual.");
  add_rails(gauges, validation, [](const RailFigures& rail) { return share_of(rail.send_off); });
  gauges.family("railgauge_validation_receive_share", "", "The same beside its peers, receiving: 1 is as usual.");
  add_rails(gauges, validation, [](const RailFigures& rail) { return share_of(rail.receive_off); });
  gauges.family("railgauge_validation_latency_seconds", "seconds", "Median over the pairs of a host and rail.");
  add_rails(gauges, validation,
            [](const RailFigures& rail) { return rail.latency ? std::optional(rail.latency->count()) : std::nullopt; });
  gauges.family("railgauge_validation_accused", "",
                "1 for each part that is faulty, 0 for one that was suspected and not confirmed.");
  for (const Diagnosis& it : validation.diagnoses)
    gauges.line({{"blame", name(it.blame)},
                 {"from", it.from},
                 {"to", it.to},
                 {"host", it.host},
                 {"way", it.direction},
                 {"measure", name(it.measure)}},
                it.faulty ? 1 : 0);
  gauges.family("railgauge_validation_figure", "", "A figure in the unit of its label.");
  add_figures(gauges, validation, [](const Figure& it) { return std::optional(it.value); });
  gauges.family("railgauge_validation_figure_ceiling", "", "What the topology allows of that figure.");
  add_figures(gauges, validation, [](const Figure& it) { return it.ceiling; });
  gauges.family("railgauge_validation_figure_least", "", "What was asked for at least.");
  add_figures(gauges, validation, [](const Figure& it) { return it.least; });
  gauges.family("railgauge_validation_figure_most", "", "What was asked for at most.");
  add_figures(gauges, validation, [](const Figure& it) { return it.most; });
  gauges.family("railgauge_validation_figure_below", "", "1 for a figure below the least, or above the most, that it must be.");
  add_figures(gauges, validation, [](const Figure& it) { return std::optional(it.below ? 1.0 : 0.0); });
  gauges.family("railgauge_validation_differences", "", "Settings that differ between hosts or are wrong by themselves.");
  std::map<std::string, double> severities;
  for (const Difference& it : validation.differences) ++severities[std::string(word_of(it.severity))];
  for (const auto& [severity, count] : severities) gauges.line({{"severity", severity}}, count);
  gauges.family("railgauge_validation_unread_hosts", "", "Of how many hosts a thing could not be read.");
  for (const Unread& it : validation.unread) gauges.line({{"name", it.name}}, static_cast<double>(it.hosts.size()));
  return gauges.finish();
}

}  // namespace railgauge::validation
