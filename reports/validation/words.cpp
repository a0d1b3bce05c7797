// The words.
#include "reports/validation/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/output/text.hpp"
#include "base/units.hpp"
#include "reports/record/result_text.hpp"
#include "reports/validation/fields.hpp"
#include "reports/web/inert.hpp"
#include "topo/hostlist.hpp"

namespace railgauge::validation {
namespace {

using web::shown;

bool known(const std::optional<double>& value) { return value && std::isfinite(*value); }

// The value in a validation's file.
constexpr std::string_view both_directions = "both ways";

}  // namespace

std::string ends_of(const Diagnosis& diagnosis) {
  if (diagnosis.from.empty()) return shown(diagnosis.to.empty() ? diagnosis.host : diagnosis.to);
  return diagnosis.to.empty() ? shown(diagnosis.from) : shown(diagnosis.from) + " - " + shown(diagnosis.to);
}

std::string effect_of(const Diagnosis& diagnosis) {
  std::string text;
  if (diagnosis.measure == Symptom::presence) text = "lost";
  if (diagnosis.measure == Symptom::loss && known(diagnosis.slower))
    text = fmt::format("{:.2g} % of packets lost", 100 * *diagnosis.slower);
  if (diagnosis.measure == Symptom::reach || (text.empty() && known(diagnosis.slower) && *diagnosis.slower >= 1))
    text = "no data passes";
  if (text.empty() && known(diagnosis.slower)) {
    const double slower = *diagnosis.slower;
    // A latency that is slower by a share of its inverse is longer by more than that.
    text = diagnosis.measure == Symptom::latency ? fmt::format("latency {:.1f} % longer", 100 * slower / (1 - slower))
                                                 : fmt::format("{:.1f} % less {}", 100 * slower, name(diagnosis.measure));
  }
  if (!text.empty() && !diagnosis.direction.empty())
    text += diagnosis.direction == both_directions ? " in both directions" : ", " + shown(diagnosis.direction);
  return text;
}

std::string level_of(const Validation& validation) {
  const LevelCheck& level = validation.level;
  if (!level.checked) return {};
  if (level.verified) return "each host reaches the level of its links, by " + shown(level.source);
  if (level.reason.empty()) return {};
  return "hosts were compared with each other alone, and their level is not verified: " + shown(level.reason);
}

std::string power_of(const Validation& validation) {
  const Power& power = validation.power;
  std::string text;
  if (known(power.slowdown)) text = fmt::format("a host that is {:.2g} % slower than the others", 100 * *power.slowdown);
  if (power.slow_hosts)
    text += fmt::format("{}up to {} of {} that carry half", text.empty() ? "" : ", ", *power.slow_hosts,
                        plural(validation.hosts.size(), "host"));
  if (known(power.share_of_time) && *power.share_of_time < 1)
    text += fmt::format("{}a host that is slow in {:.2g} % of the time", text.empty() ? "" : ", ", 100 * *power.share_of_time);
  if (text.empty()) return {};
  return "this run would have found " + text + "; what is less may not have been seen";
}

std::string sure_of(const Diagnosis& diagnosis) {
  if (!known(diagnosis.confidence)) return {};
  constexpr double sure = 0.999;
  if (*diagnosis.confidence > sure) return "more than 99.9 % sure";
  return fmt::format("{:.1f} % sure", std::floor(1000 * *diagnosis.confidence) / 10);
}

std::string percent(const std::optional<double>& share) { return known(share) ? fmt::format("{:.1f} %", 100 * *share) : "-"; }
std::string percent_off(const std::optional<double>& off) {
  const std::string text = known(off) ? fmt::format("{:+.1f} %", 100 * *off) : "-";
  return text == "-0.0 %" ? "+0.0 %" : text;
}
std::string gigabytes(const std::optional<double>& value) { return known(value) ? format_gigabytes(*value) : "-"; }
std::string asked_of(const Figure& figure) {
  if (known(figure.least)) return "at least " + gigabytes(figure.least);
  return known(figure.most) ? "at most " + gigabytes(figure.most) : "-";
}
bool too_long(const Figure& figure) { return figure.most && figure.value > *figure.most; }
std::string amount(const std::optional<double>& value, std::string_view unit) {
  if (!known(value)) return "-";
  return fmt::format("{} {}", std::fabs(*value) < 1e6 ? format_gigabytes(*value) : significant(*value, 3), shown(unit));
}

std::string what_ran(const Validation& validation) {
  std::string text = fmt::format("{}, {}, {}", plural(validation.hosts.size(), "host"),
                                 plural(static_cast<std::size_t>(std::max(validation.ranks, 0)), "rank"),
                                 plural(static_cast<std::size_t>(std::max(validation.rails, 0)), "rail"));
  if (!validation.transport.empty()) text += ", over " + shown(validation.transport);
  if (!validation.launcher.empty()) text += ", started by " + shown(validation.launcher);
  text += ", in " + time_text(validation.took);
  return validation.budget ? text + " of " + time_text(*validation.budget) : text;
}

std::string count_states(const Validation& validation) {
  std::array<std::size_t, words_of<HostState>.size()> counts{};
  for (const Host& host : validation.hosts) ++counts[static_cast<std::size_t>(host.state)];
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], name(static_cast<HostState>(i)));
  return text;
}

std::string names_of(const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const std::string& host : hosts) names.push_back(shown(host));
  return shown(topo::compress_hostlist(names));
}

std::string took_of(const Stage& stage) {
  if (stage.state == StageState::skipped) return "-";
  return stage.budget ? time_text(stage.took) + " of " + time_text(*stage.budget) : time_text(stage.took);
}

std::string said_of(const Stage& stage) {
  std::string text = shown(stage.reason);
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (stage.resumed) add("wholly or partly from an earlier start");
  for (const std::string& note : stage.notes) add(shown(note));
  return text;
}

Standing standing_of(const Host& host) {
  Standing standing;
  std::optional<double> lowest;
  // Of a rail that nobody could compare the figure alone counts.
  const auto take = [&](std::optional<double>& figure, std::optional<double>& kept, const std::optional<double>& value,
                        const std::optional<double>& off, std::size_t rail) {
    if (!known(value) && !known(off)) return;
    const bool worse = known(off) ? !kept || *off < *kept : !kept && (!figure || *value < *figure);
    if (worse) figure = known(value) ? value : std::nullopt;
    if (worse && known(off)) kept = off;
    if (known(off) && (!lowest || *off < *lowest)) {
      lowest = off;
      standing.worst = rail;
    }
  };
  for (std::size_t i = 0; i < host.rails.size(); ++i) {
    const RailFigures& rail = host.rails[i];
    take(standing.send, standing.send_off, rail.send, rail.send_off, i);
    take(standing.receive, standing.receive_off, rail.receive, rail.receive_off, i);
    if (rail.latency && std::isfinite(rail.latency->count()) && (!standing.latency || *rail.latency > *standing.latency))
      standing.latency = rail.latency;
  }
  return standing;
}

std::string rail_name(const Host& host, std::size_t rail) {
  return rail < host.rails.size() && !host.rails[rail].port.empty() ? shown(host.rails[rail].port) : fmt::format("rail {}", rail);
}

}  // namespace railgauge::validation
