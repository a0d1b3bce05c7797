// A training step as a stage, over a made-up cluster.
#include <algorithm>
#include <string>

#include "bench/validate/stages/stages.hpp"
#include "bench/workload/models/fitted.hpp"
#include "bench/workload/scale.hpp"
#include "tests/test.hpp"
#include "tests/validate/cluster.hpp"

namespace railgauge::validate {
namespace {

using test::ContainsSubstring;

TEST_CASE("stages: a training step is told in milliseconds, beside what it is predicted to take") {
  Cluster cluster(4);
  ValidationOptions options = relative();
  options.workload = "resnet50";
  options.workload_scale = 0.01;
  const validation::Validation found = validate_it(cluster, options);
  const auto stage = std::find_if(found.stages.begin(), found.stages.end(), [](const auto& it) { return it.name == "workload"; });
  REQUIRE(stage != found.stages.end());
  CHECK(stage->state == validation::StageState::done);
  REQUIRE(stage->notes.size() == 1);
  CHECK_THAT(stage->notes[0], ContainsSubstring("resnet50 on 4 ranks, scale 0.01: 20 ms a step, of which 4 ms are exposed"));
  const auto figure = std::find_if(found.figures.begin(), found.figures.end(),
                                   [](const auto& it) { return it.what.starts_with("step of resnet50"); });
  REQUIRE(figure != found.figures.end());
  CHECK(figure->unit == "ms");
  CHECK(figure->value == 20);
  REQUIRE(figure->reference);
  CHECK(figure->source.starts_with("predicted from the pairs"));
  // A ring sends each byte of the gradients 2 * 3 / 4 times, and no pair was faster than the fastest.
  double fastest = 0;
  for (const validation::PairFigure& pair : found.pairs) fastest = std::max(fastest, pair.gigabytes_per_second);
  const auto bytes = static_cast<double>(payload_of(scaled(models::fitted_workload("resnet50", 4), 0.01)).most);
  REQUIRE(fastest > 0);
  CHECK(*figure->reference >= 1.5 * bytes / (1e6 * fastest));

  // Ten times as many bytes take longer.
  options.workload_scale = 0.1;
  const validation::Validation larger = validate_it(cluster, options);
  const auto its = std::find_if(larger.figures.begin(), larger.figures.end(),
                                [](const auto& it) { return it.what.starts_with("step of resnet50"); });
  REQUIRE(its != larger.figures.end());
  CHECK(its->reference.value_or(0) > 2 * *figure->reference);

  // Judged where that was asked for.
  CHECK(!figure->most);
  CHECK(!figure->below);
  options.workload_scale = 0.01;
  const auto judged = [&](StepLimit limit) {
    options.step_most = limit;
    const validation::Validation its = validate_it(cluster, options);
    const auto step = std::find_if(its.figures.begin(), its.figures.end(), [](const auto& it) { return it.most.has_value(); });
    REQUIRE(step != its.figures.end());
    CHECK(step->what.starts_with("step of resnet50"));
    return *step;
  };
  CHECK(judged({.most = Seconds(0.019), .words = "19ms"}).below);
  const validation::Figure within = judged({.most = Seconds(0.021), .words = "21ms"});
  CHECK(!within.below);
  CHECK(*within.most == 21);
  const double times = 20 / *figure->reference;
  CHECK(judged({.times_predicted = 0.5 * times, .words = "x"}).below);
  CHECK(!judged({.times_predicted = 2 * times, .words = "x"}).below);
  options.step_most.reset();

  options.workload = "resnet51";
  CHECK_THROWS_WITH(validate_it(cluster, options), ContainsSubstring("there is no model 'resnet51': choose from resnet50"));
}

// Two ranks a host: messages inside of hosts are measured beside those of pairs.
TEST_CASE("stages: a training step of several ranks a host is predicted from messages inside of hosts and between them",
          "[long]") {
  const auto predicted = [](std::size_t rails, double share_inside, std::size_t ranks = 8) {
    Cluster cluster(ranks);
    cluster.rails = rails;
    cluster.path = [&](std::size_t from, std::size_t to) { return from / rails == to / rails ? share_inside : 1.0; };
    ValidationOptions options = relative();
    options.workload = "resnet50";
    options.workload_scale = 0.01;
    const validation::Validation found = validate_it(cluster, options);
    const auto figure = std::find_if(found.figures.begin(), found.figures.end(),
                                     [](const auto& it) { return it.what.starts_with("step of resnet50 on "); });
    REQUIRE(figure != found.figures.end());
    INFO("rails " << rails << ": " << figure->source);
    REQUIRE(figure->reference);
    CHECK_THAT(figure->source,
               rails > 1 ? ContainsSubstring("from messages inside of hosts") : ContainsSubstring("the pairs of this run, as"));
    return *figure->reference;
  };
  const double apart = predicted(1, 1);
  const double as_fast = predicted(2, 1);
  const double faster = predicted(2, 20);
  const double slower = predicted(2, 0.1);
  // Of eight ranks the same messages, of which some stay inside.
  CHECK(as_fast > 0.5 * apart);
  CHECK(as_fast < 1.1 * apart);
  CHECK(faster <= 1.02 * as_fast);
  CHECK(slower > 1.5 * as_fast);
  // The last host has one rank.
  CHECK(predicted(2, 0.1, 7) > as_fast);
}

// Those who fail to measure it take no part in the prediction; where all do, there is none.
TEST_CASE("stages: without messages inside of hosts there is no prediction, and why is told") {
  Cluster cluster(4);
  cluster.rails = 2;
  ValidationOptions options = relative();
  options.workload = "resnet50";
  options.workload_scale = 0.01;
  const validation::Validation found = validate_it(cluster, options, [](const CarryOut& inner) -> CarryOut {
    return [inner](const std::string& key, std::vector<Order> orders) {
      auto answers = inner(key, std::move(orders));
      if (key == "workload inside")
        for (std::vector<Answer>& each : answers)
          for (Answer& answer : each) {
            answer.ending = Answer::Ending::failed;
            answer.fault = Fault::lost;
            answer.sentence = "made up";
          }
      return answers;
    };
  });
  const auto stage = std::find_if(found.stages.begin(), found.stages.end(), [](const auto& it) { return it.name == "workload"; });
  REQUIRE(stage != found.stages.end());
  REQUIRE(stage->notes.size() == 1);
  CHECK_THAT(stage->notes[0], ContainsSubstring("no prediction: messages between the ranks of a host could not be measured"));
}

}  // namespace
}  // namespace railgauge::validate
