// Goes through the points: refuses, measures, and hands each result on as soon as it is known.
#include "bench/session/session.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "bench/group/gather_json.hpp"
#include "bench/group/host.hpp"
#include "bench/plan/native.hpp"
#include "bench/schedule/algorithms/native.hpp"
#include "bench/session/connection.hpp"
#include "bench/session/pairs.hpp"
#include "bench/session/pairs_again.hpp"
#include "bench/session/plan_factory.hpp"
#include "bench/session/point_result.hpp"
#include "bench/session/point_runner.hpp"
#include "reports/pairs/pair_matrix.hpp"
#include "transports/gather.hpp"

namespace railgauge {
namespace {

class Session {
 public:
  Session(Group& group, const ChosenTransport& transport, const std::vector<Point>& points, const SessionOptions& options)
      : options_(options),
        connection_(group, transport, points, options),
        factory_(connection_, options),
        runner_(connection_, factory_, options),
        facts_{connection_.nodes(), describe_host(),
               options.device.table != nullptr ? std::string(connection_.device().name()) : std::string(),
               connection_.memory().reason()} {}

  Result measure_point(const Point& point, const Policy& policy) {
    if (const std::string reason = refusal_here(point); !reason.empty()) return skipped(point, reason);
    MeasuredPoint measured = runner_.run(point, policy, {});
    Result result = unmeasured(point);
    if (measured.fixed)
      add_measurement(result, point, std::move(*measured.fixed), *options_.fixed, measured.sets);
    else
      add_measurement(result, point, measured.measurement, measured.sets, runner_.lines());
    std::move(measured.watched).give(result);
    result.library = std::move(measured.library);
    result.kernel = std::move(measured.kernel);
    return result;
  }

  // One result for each ordered pair, as soon as its round is over; the last one when the outliers were measured again. The
  // policy is that of a round; `left` tells what is left of the budget, if there is one.
  void measure_pairs(const Point& point, const Policy& policy, const ResultSink& tell, const std::function<Seconds()>& left) {
    PairMatrix matrix(point.spec.shape.ranks);
    std::optional<Result> last;
    const auto note = [&](Result result) {
      if (last) tell(*last);
      if (result.summary.samples != 0 && result.status != Status::wrong)
        matrix.set(result.point.from, result.point.to, result.summary.median.count());
      last = std::move(result);
    };
    try {
      measure_rounds(point, policy, note);
      std::vector<PairFinding> findings =
          measure_pairs_again(connection_.group(), runner_, point, matrix,
                              {connection_.oversubscribed(), left ? std::optional(left()) : std::nullopt});
      if (last) last->findings = std::move(findings);
    } catch (const Error&) {  // what was measured is kept
      if (last) tell(*last);
      throw;
    }
    if (last) tell(*last);
  }

  void measure_rounds(const Point& point, const Policy& policy, const std::function<void(Result)>& note) {
    const std::vector<std::string>& nodes = connection_.group().nodes();
    const std::int32_t ranks = point.spec.shape.ranks;
    const std::vector<PairStep> steps = pair_steps(*point.spec.algorithm, ranks, pair_order(connection_.oversubscribed(), ranks));
    // All steps together may take as long as rounds would.
    const std::size_t rounds = pair_steps(*point.spec.algorithm, ranks, PairOrder::together).size();
    Policy of_a_step = policy;
    of_a_step.max_time = policy.max_time * (static_cast<double>(rounds) / static_cast<double>(steps.size()));
    of_a_step.min_time = std::min(policy.min_time, of_a_step.max_time);
    for (const PairStep& step : steps) {
      Point round = point;
      round.spec.shape.round = step.round;
      round.spec.shape.directions = step.directions;
      const MeasuredPoint measured = runner_.run(round, of_a_step, {.keep_ranks = true});
      for (PairSamples& pair : pair_samples(step, measured.measurement.by_rank, measured.measurement.host_by_rank)) {
        Result result = unmeasured(round);
        add_measurement(result, round, measurement_of(pair, measured.measurement, of_a_step), measured.sets, runner_.lines());
        Watched(measured.watched).give(result);
        result.point.from = pair.from;
        result.point.to = pair.to;
        result.point.from_node = nodes[static_cast<std::size_t>(pair.from)];
        result.point.to_node = nodes[static_cast<std::size_t>(pair.to)];
        note(std::move(result));
      }
    }
  }

  [[nodiscard]] Result skipped(const Point& point, const std::string& reason) const {
    Result result = unmeasured(point);
    result.status = Status::skipped;
    result.reason = reason;
    return result;
  }

 private:
  [[nodiscard]] Result unmeasured(const Point& point) const {
    return unmeasured_result(point, connection_.chosen(), options_, facts_, factory_.path_of(*point.spec.algorithm));
  }

  // Collective where the point is the library's: the first rank's reason, the same on all.
  std::string refusal_here(const Point& point) {
    const CollectiveTable* const library = connection_.chosen().library();
    if (!is_native(*point.spec.algorithm) || library->refusal_here == nullptr) return {};
    const std::string mine = library->refusal_here(connection_.endpoint(), native_call(point.spec));
    for (const nlohmann::json& reason : gather_json(connection_.group(), mine))
      if (!reason.get<std::string>().empty()) return reason.get<std::string>();
    return {};
  }

  const SessionOptions& options_;
  // Each needs those before it.
  Connection connection_;
  PlanFactory factory_;
  PointRunner runner_;
  SessionFacts facts_;
};

int code_of(const Result& result) { return result.status == Status::wrong ? static_cast<int>(Fault::wrong_data) : 0; }

}  // namespace

bool fit_budget(Group& group, const std::optional<Seconds>& budget, Seconds elapsed, Policy& policy) {
  if (!budget) return true;
  const Seconds left = *budget - gather(group, elapsed).front();
  policy.max_time = std::min(policy.max_time, left);
  policy.min_time = std::min(policy.min_time, left);
  return left > Seconds(0);
}

Result skipped_result(Case point, const SessionOptions& options, const std::string& reason) {
  Result result;
  result.run = options.run;
  result.point = std::move(point);
  result.status = Status::skipped;
  result.reason = reason;
  result.host = describe_host();
  return result;
}

int run_session(Group& group, const ChosenTransport& transport, const std::vector<Point>& points, const SessionOptions& options,
                const ResultSink& add) {
  const auto doing = [&](const std::string& what) {
    if (options.doing) options.doing(what);
  };
  doing("connecting " + std::to_string(group.size()) + " ranks over " + transport.name);
  Session session(group, transport, points, options);
  const Clock clock = steady_clock();
  const Seconds begin = clock.now();
  const std::function<Seconds()> left = [&] { return *options.budget - (clock.now() - begin); };
  int code = 0;
  for (const Point& point : points) {
    const auto tell = [&](const Result& result) {
      code = more_severe(code, code_of(result));
      if (group.rank() == 0) add(result);
    };
    if (!point.refusal.empty()) {
      tell(session.skipped(point, point.refusal));
      continue;
    }
    doing("measuring " + std::string(name(point.spec.algorithm->collective)) + ", " + format_bytes(point.bytes) + ", by " +
          std::string(point.spec.algorithm->name) + " over " + transport.name);
    Policy policy = options.policy;
    if (!fit_budget(group, options.budget, clock.now() - begin, policy)) {
      tell(session.skipped(point, budget_is_over));
      continue;
    }
    if (options.begins) options.begins(static_cast<std::size_t>(&point - points.data()));
    if (point.spec.algorithm->collective == Collective::pairs)
      session.measure_pairs(point, policy, tell, options.budget ? left : std::function<Seconds()>());
    else
      tell(session.measure_point(point, policy));
  }
  group.barrier();
  return code;
}

}  // namespace railgauge
