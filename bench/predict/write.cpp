// The answer for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/output/text.hpp"
#include "base/units.hpp"
#include "bench/predict/predict.hpp"

namespace railgauge::predict {
namespace {

using Json = nlohmann::ordered_json;

std::string time_text(const Prediction& it) {
  return (it.method == Method::in_step ? "~" : "") + format_seconds(Seconds(it.seconds));
}

std::string heading(const Answer& answer) {
  std::string text = fmt::format("{} of {} rank{}", name(answer.question.collective), answer.ranks, answer.ranks == 1 ? "" : "s");
  if (answer.ranks_per_node > 1) text += fmt::format(", {} on each machine", answer.ranks_per_node);
  if (answer.question.lanes > 1) text += fmt::format(", {} lanes", answer.question.lanes);
  if (answer.question.round > 0) text += fmt::format(", round {} alone", answer.question.round);
  return text + fmt::format(", {}, predicted\n", name(answer.question.type));
}

std::size_t width_of(const Answer& answer) {
  std::size_t width = 9;
  for (const Column& column : answer.columns) width = std::max(width, column.algorithm.size());
  return width;
}

bool any_in_step(const Answer& answer) {
  return std::any_of(answer.columns.begin(), answer.columns.end(), [](const Column& column) {
    return std::any_of(column.predictions.begin(), column.predictions.end(),
                       [](const Prediction& it) { return it.method == Method::in_step; });
  });
}

std::string refusals(const Answer& answer, std::string_view when) {
  std::string text;
  for (const Column& column : answer.columns)
    if (!column.refusal.empty()) text += fmt::format("not predicted{}: {}: {}\n", when, column.algorithm, column.refusal);
  return text;
}

// How the schedule was made that is synthesised, so that `railgauge synthesise` makes it again.
std::string synthesis_note(const Answer& answer, std::string_view when) {
  std::string text;
  for (const Column& column : answer.columns) {
    if (column.trees == 0) continue;
    std::vector<std::string> chunks;
    for (const Prediction& it : column.predictions)
      chunks.push_back(fmt::format("{} in {} chunk{}", format_bytes(it.bytes), it.chunks, it.chunks == 1 ? "" : "s"));
    text += fmt::format("{}{}: {} tree{} a root of height {}; {}\n", column.algorithm, when, column.trees,
                        column.trees == 1 ? "" : "s", column.height, fmt::join(chunks, ", "));
  }
  return text;
}

std::string assumptions(const Answer& answer) {
  std::string text;
  for (const std::string& line : answer.assumed) text += fmt::format("assumed: {}\n", line);
  return text;
}

constexpr std::string_view in_step_note =
    "~: as if all ranks began each round together: it takes less where some run ahead, and more where their rounds then "
    "collide\n";

std::string busiest_text(const Prediction& it) {
  return it.busiest ? fmt::format("{:.0f}% {}", it.busiest->share * 100, printable(it.busiest->name)) : "-";
}

// `when`: " before" and " after" a change.
std::string bound_line(const Answer& answer, std::string_view when) {
  if (answer.bound) return fmt::format("bound{}: {}\n", when, printable(answer.bound->line));
  return answer.no_bound.empty() ? "" : fmt::format("bound{}: {}\n", when, answer.no_bound);
}

std::string share_text(const Prediction& it) { return it.of_bound > 0 ? fmt::format("{:.1f}%", it.of_bound * 100) : "-"; }

Json json_of(const Answer& answer) {
  Json columns = Json::array();
  for (const Column& column : answer.columns) {
    Json predictions = Json::array();
    for (const Prediction& it : column.predictions) {
      Json json = {{"bytes", it.bytes},
                   {"seconds", it.seconds},
                   {"least_seconds", it.least},
                   {"most_seconds", it.most},
                   {"algbw_gigabytes_per_second", it.algbw},
                   {"busbw_gigabytes_per_second", it.busbw},
                   {"method", name(it.method)},
                   {"best", it.best}};
      if (it.chunks > 0) json["chunks"] = it.chunks;
      if (it.of_bound > 0) json["share_of_bound"] = it.of_bound;
      if (it.busiest) json["busiest"] = {{"name", it.busiest->name}, {"link", it.busiest->link}, {"share", it.busiest->share}};
      predictions.push_back(std::move(json));
    }
    Json json = {{"algorithm", column.algorithm}};
    if (column.trees > 0) json["trees"] = {{"of_a_root", column.trees}, {"height", column.height}};
    if (column.refusal.empty())
      json["predictions"] = std::move(predictions);
    else
      json["refusal"] = column.refusal;
    columns.push_back(std::move(json));
  }
  Json json = {{"schema", "railgauge.prediction/1"},      {"collective", name(answer.question.collective)},
               {"type", name(answer.question.type)},      {"ranks", answer.ranks},
               {"ranks_per_node", answer.ranks_per_node}, {"lanes", answer.question.lanes},
               {"routing", name(answer.routing)}};
  if (answer.question.round > 0) json["round"] = answer.question.round;
  if (answer.bound) json["bound"] = Json::parse(answer.bound->json);
  if (!answer.no_bound.empty()) json["no_bound"] = answer.no_bound;
  json["algorithms"] = std::move(columns);
  json["assumed"] = answer.assumed;
  return json;
}

std::string written(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string to_text(const Answer& answer) {
  std::string text = heading(answer) + bound_line(answer, "");
  const bool bounded = answer.bound.has_value();
  const bool drawn = answer.routing == RoutingKind::ecmp;
  const std::size_t width = width_of(answer);
  const auto of_all = [&](double bandwidth) { return answer.question.round > 0 ? "-" : format_gigabytes(bandwidth); };
  text += fmt::format("{:>10}  {:<{}}  {:>10}{}  {:>9}  {:>9}{}  busiest link\n", "bytes", "algorithm", width + 2, "time",
                      drawn ? fmt::format("  {:>21}", "least to most") : "", "algbw", "busbw",
                      bounded ? fmt::format("  {:>8}", "of bound") : "");
  for (std::size_t size = 0; size < answer.question.sizes.size(); ++size)
    for (const Column& column : answer.columns) {
      if (!column.refusal.empty()) continue;
      const Prediction& it = column.predictions[size];
      const std::string range = fmt::format("{} to {}", format_seconds(Seconds(it.least)), format_seconds(Seconds(it.most)));
      text += fmt::format("{:>10}  {:<{}} {}  {:>10}{}  {:>9}  {:>9}{}  {}\n", format_bytes(it.bytes), column.algorithm, width,
                          it.best ? '*' : ' ', time_text(it), drawn ? fmt::format("  {:>21}", range) : "", of_all(it.algbw),
                          of_all(it.busbw), bounded ? fmt::format("  {:>8}", share_text(it)) : "", busiest_text(it));
    }
  text +=
      fmt::format("GB/s; *: the best of its size; {}busiest link: the share of its capacity that is used over the whole time\n",
                  bounded ? "of bound: busbw as a share of the bound's; " : "");
  if (any_in_step(answer)) text += in_step_note;
  return text + synthesis_note(answer, "") + refusals(answer, "") + assumptions(answer);
}

std::string to_json(const Answer& answer) { return written(json_of(answer)); }

std::string to_text(const Answer& before, const Answer& after, const std::vector<std::string>& edits) {
  std::string text = heading(before);
  for (const std::string& edit : edits) text += fmt::format("what if: {}\n", edit);
  text += bound_line(before, " before") + bound_line(after, " after");
  if (before.ranks != after.ranks) text += fmt::format("ranks: {} before, {} after\n", before.ranks, after.ranks);
  const std::size_t width = std::max(width_of(before), width_of(after));
  text += fmt::format("{:>10}  {:<{}}  {:>12}  {:>12}  {:>7}  busiest link after\n", "bytes", "algorithm", width, "before",
                      "after", "takes");
  for (std::size_t size = 0; size < before.question.sizes.size(); ++size)
    for (std::size_t i = 0; i < before.columns.size(); ++i) {
      const Column &column = before.columns[i], &later = after.columns[i];  // the same algorithms, in the same order
      const Prediction* const was = column.refusal.empty() ? &column.predictions[size] : nullptr;
      const Prediction* const is = later.refusal.empty() ? &later.predictions[size] : nullptr;
      if (was == nullptr && is == nullptr) continue;
      const auto time = [](const Prediction* it) {
        return fmt::format("{:>10} {}", it == nullptr ? "-" : time_text(*it), it != nullptr && it->best ? '*' : ' ');
      };
      const bool compared = was != nullptr && is != nullptr && was->seconds > 0;
      text +=
          fmt::format("{:>10}  {:<{}}  {}  {}  {:>7}  {}\n", format_bytes((is != nullptr ? is : was)->bytes), column.algorithm,
                      width, time(was), time(is), compared ? fmt::format("{:.0f}%", 100 * is->seconds / was->seconds) : "-",
                      is != nullptr ? busiest_text(*is) : "-");
    }
  text += "*: the best of its size; takes: the time after, as a share of that before\n";
  if (any_in_step(before) || any_in_step(after)) text += in_step_note;
  text += synthesis_note(before, " before") + synthesis_note(after, " after");
  return text + refusals(before, " before") + refusals(after, " after") + assumptions(after);
}

std::string to_json(const Answer& before, const Answer& after, const std::vector<std::string>& edits) {
  return written(
      {{"schema", "railgauge.prediction-change/1"}, {"edits", edits}, {"before", json_of(before)}, {"after", json_of(after)}});
}

}  // namespace railgauge::predict
