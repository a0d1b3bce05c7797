// Fields of a case: what was asked, and that nothing ran.
#include "bench/predict/results.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/words.hpp"

namespace railgauge::predict {
namespace {

Case case_of(const Answer& answer, const Column& column, std::uint64_t bytes) {
  const Question& question = answer.question;
  const Collective collective = question.collective;
  const std::size_t element = bytes_of(question.type);
  Case it;
  it.collective = name(collective);
  it.algorithm = column.algorithm;
  it.transport = "links";
  it.device = answer.device;
  it.type = name(question.type);
  it.op = row(collective).reduces ? name(Op::sum) : name(Op::none);
  it.mode = "isolated";
  it.path = "predicted";
  it.ranks = static_cast<int>(answer.ranks);
  it.nodes = static_cast<int>(answer.machines);
  it.root = row(collective).rooted ? question.root : -1;
  it.lanes = static_cast<int>(question.lanes);
  it.count = bytes / element;
  it.bytes = it.count * element;
  if (collective == Collective::stream || collective == Collective::bidirectional) it.window = question.window;
  return it;
}

std::string reason_of(const Prediction& it) {
  if (it.method == Method::formula) return "by a formula of the links";
  if (!it.busiest) return "no link carries anything";
  return fmt::format("busiest link: {:.0f} % of {}", it.busiest->share * 100, it.busiest->name);
}

}  // namespace

std::vector<Result> to_results(const Answer& answer, const std::string& run) {
  Result common;
  common.run = run;
  for (std::size_t i = 0; i < answer.assumed.size(); ++i)
    common.settings.emplace_back(fmt::format("assumed.{}", i + 1), answer.assumed[i]);
  if (answer.bound) common.expected = Expectation{answer.bound->busbw, answer.bound->line};
  std::vector<Result> results;
  for (const Column& column : answer.columns)
    for (std::size_t size = 0; size < answer.question.sizes.size(); ++size) {
      Result it = common;
      if (!column.refusal.empty()) {
        it.point = case_of(answer, column, answer.question.sizes[size]);
        it.status = Status::skipped;
        it.reason = column.refusal;
        it.expected.reset();
      } else {
        const Prediction& prediction = column.predictions[size];
        it.point = case_of(answer, column, prediction.bytes);
        it.status = Status::predicted;
        it.reason = reason_of(prediction);
        it.predicted = Seconds(prediction.seconds);
        it.summary.algbw = prediction.algbw;
        it.summary.busbw = prediction.busbw;
      }
      results.push_back(std::move(it));
    }
  return results;
}

}  // namespace railgauge::predict
