// One step, or a curve of them; bench/commands/workload_predict.hpp.
#include "bench/commands/workload_predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/workload/analyse/comparison.hpp"
#include "bench/workload/consistency.hpp"
#include "bench/workload/predict/fold.hpp"
#include "bench/workload/predict/predict_step.hpp"
#include "bench/workload/predict/tables.hpp"
#include "bench/workload/report/read_steps.hpp"
#include "bench/workload/run/outcome.hpp"
#include "bench/workload/run/run.hpp"

namespace railgauge {
namespace {

Folded folded_here(const WorkloadPrediction& given, std::optional<int> ranks) {
  const Workload first = given.make(ranks, 0);
  if (auto large = folded_if_large(first, [&](int rank) { return given.make(ranks, rank); })) return std::move(*large);
  Workload workload =
      made_here([&](std::optional<int> its, bool first_alone) { return first_alone ? first : given.make(its, std::nullopt); },
                ranks, "predict");
  expect_consistent(workload);
  return unfolded(std::move(workload));
}

int ranks_of(const Folded& folded) { return folded.step.ranks * folded.block; }

// " after rails=4".
std::string after_changes(const Topologies& topologies) {
  return topologies.changed ? fmt::format(" after {}", fmt::join(topologies.changes, ", ")) : "";
}

std::string how(const WorkloadPrediction& given, const Topologies& topologies, const Folded& folded,
                const PredictedStep& predicted) {
  std::string text =
      fmt::format("predicted on {}{}, rank r being its rank r: {} rank{}, nothing ran", fmt::join(given.links.topology, ", "),
                  after_changes(topologies), ranks_of(folded), ranks_of(folded) == 1 ? "" : "s");
  for (const std::string& line : predicted.assumed) text += "\nassumed: " + line;
  return text;
}

StepQuestion question_of(const WorkloadPrediction& given) {
  StepQuestion question;
  question.computes = given.computes;
  fill(question.links, given.links, given.transport);
  for (const std::string& name : given.algorithms) {
    if (name == "all") continue;
    if (std::none_of(catalog().begin(), catalog().end(), [&](const Algorithm& row) { return row.name == name; }))
      throw Error(Fault::usage, fmt::format("there is no algorithm {} (railgauge list algorithms)", name));
    question.links.algorithms.push_back(name);
  }
  return question;
}

// A line for each number of ranks as soon as it is known.
int predict_curve(const WorkloadPrediction& given, const Topologies& topologies, const StepQuestion& question) {
  std::unique_ptr<GrowingFile> records;
  for (const std::string& file : given.outputs) {
    if (!file.ends_with(".jsonl") || records)
      throw Error(Fault::usage, "-o " + file + ": of several numbers of ranks one file is written, whose name ends in .jsonl");
    records = std::make_unique<GrowingFile>(file);
  }
  std::vector<CurvePoint> before, after;
  std::string head;
  for (const int ranks : given.ranks) {
    const Folded folded = folded_here(given, ranks);
    const PredictedStep predicted = predict_step(topologies.graph, folded, question);
    before.push_back(point_of(folded.step, predicted.result, ranks_of(folded)));
    if (topologies.changed)
      after.push_back(point_of(folded.step, predict_step(*topologies.changed, folded, question).result, ranks_of(folded)));
    if (records) records->append(curve_line(topologies.changed ? after.back() : before.back()));
    head += fmt::format("{} ranks: {}\n", ranks_of(folded), folded.step.source);
  }
  std::string text =
      fmt::format("{} predicted on {}, nothing ran\n{}\n", given.name, fmt::join(given.links.topology, ", "), head) +
      curve_text(before);
  if (topologies.changed) text += fmt::format("\nafter {}:\n{}", fmt::join(topologies.changes, ", "), curve_text(after));
  print(text, stdout);
  return 0;
}

}  // namespace

int predict_workload(const WorkloadPrediction& given) {
  const StepQuestion question = question_of(given);
  const Topologies topologies = topologies_of(given.links);
  if (given.ranks.size() > 1 && !given.beside.empty())
    throw Error(Fault::usage, "--beside takes one number of --ranks, that of the run");
  if (given.ranks.size() > 1) return predict_curve(given, topologies, question);
  const Folded folded = folded_here(given, given.ranks.empty() ? std::nullopt : std::optional(given.ranks.front()));
  PredictedStep predicted = predict_step(topologies.graph, folded, question);
  std::vector<Comparison> comparisons;
  const auto compare = [&](std::string title, const char* first_name, const RunResult& first, const char* second_name,
                           const RunResult& second) {
    Comparison& its = comparisons.emplace_back(compared(folded.step, first, second));
    its.title = std::move(title);
    its.first = first_name;
    its.second = second_name;
  };
  if (topologies.changed) {
    const RunResult before = std::move(predicted.result);
    predicted = predict_step(*topologies.changed, folded, question);
    compare("before and" + after_changes(topologies), "before", before, "after", predicted.result);
  }
  if (!given.beside.empty()) {
    if (folded.block > 1)
      throw Error(Fault::usage,
                  fmt::format("--beside: a step of more than {} ranks has no list of each: choose fewer", most_unfolded));
    const RunResult measured = read_measured_steps(folded.step, given.beside);
    compare("predicted beside measured", "predicted", predicted.result, "measured", measured);
    comparisons.back().against_second = true;
  }
  Outcome outcome(folded.step, how(given, topologies, folded, predicted), given.outputs);
  for (const StepRecord& record : predicted.result.steps) outcome.add(record);
  outcome.end(predicted.result);
  for (Comparison& comparison : comparisons) outcome.beside(std::move(comparison));
  return outcome.finish();
}

}  // namespace railgauge
