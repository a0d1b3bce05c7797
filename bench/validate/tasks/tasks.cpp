// Tasks of hands.
#include "bench/validate/tasks/tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>

#include "base/error.hpp"
#include "bench/group/expected.hpp"
#include "bench/group/nodes.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/select/sweep.hpp"
#include "bench/validate/method/expect.hpp"
#include "bench/validate/preflight/read.hpp"
#include "bench/validate/tasks/alone.hpp"

namespace railgauge::validate {
namespace {

using nlohmann::json;

// Means of so many stretches of the measured time, in order: whether it was as fast all the time.
constexpr std::size_t most_stretches = 8;

json stretches_of(const std::vector<Seconds>& samples) {
  const std::size_t count = std::min(most_stretches, samples.size());
  json means = json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(i * samples.size() / count);
    const auto end = samples.begin() + static_cast<std::ptrdiff_t>((i + 1) * samples.size() / count);
    means.push_back(std::accumulate(begin, end, Seconds(0)).count() / static_cast<double>(end - begin));
  }
  return means;
}

json figures_of(const Result& result) {
  const Summary& its = result.summary;
  return {{"what", result.point.collective},
          {"bytes", result.point.bytes},
          {"status", name(result.status)},
          {"reason", result.reason},
          {"seconds", its.median.count()},
          {"busbw", its.busbw},
          {"least", its.min.count()},
          {"p95", its.p95.count()},
          {"most", its.max.count()},
          {"samples", its.samples},
          {"stretches", stretches_of(result.samples)}};
}

json own_figures(const OwnFigures& own) {
  json figures = json::array(), unread = json::array();
  for (const OwnFigure& figure : own.figures)
    figures.push_back({{"what", figure.what},
                       {"part", figure.part},
                       {"of", figure.of},
                       {"unit", "GB/s"},
                       {"value", figure.gigabytes_per_second}});
  for (const OwnFigures::Unread& each : own.unread) unread.push_back({{"what", each.what}, {"reason", each.reason}});
  return {{"figures", std::move(figures)}, {"unread", std::move(unread)}};
}

// Libraries are loaded with the first order, and stay.
class Hands {
 public:
  explicit Hands(const TaskOptions& options) : options_(options) {}

  json facts(agents::TaskContext& context) {
    topo::preflight::ReadOptions reading;
    reading.host = context.order().nodes.at(static_cast<std::size_t>(context.place()));
    reading.environment = options_.environment;
    if (context.order().words.value("extent", std::string("all")) == "counters")
      reading.extent = topo::preflight::Extent::counters;
    return {{"facts", topo::preflight::to_json(topo::preflight::read_facts(reading))}};
  }

  json node(agents::TaskContext& context) {
    const json& words = context.order().words;
    return own_figures(
        measure_alone(options_.session.device, words.at("rank_of_host").get<int>(), Seconds(words.at("seconds").get<double>())));
  }

  json copies(agents::TaskContext& context) {
    return own_figures(
        measure_copies(context.group(), options_.plugin_folders, Seconds(context.order().words.at("seconds").get<double>())));
  }

  json loopback(agents::TaskContext& context) {
    const json& words = context.order().words;
    know_transports();
    LoopbackOrder order;
    order.asked = words.at("ports").get<std::vector<std::string>>();
    order.bytes = words.at("bytes").get<std::string>();
    if (const auto verbs = options_.settings.find("verbs"); verbs != options_.settings.end()) order.settings = verbs->second;
    return own_figures(measure_loopback(known_, order, session_for(context)));
  }

  json thresholds(agents::TaskContext& context) {
    const Expected expected = expect_of_hosts(context.group(), {});
    if (expected.team)
      for (const auto& [what, least] : context.order().words.at("least").items())
        if (const std::optional<Collective> collective = find_collective(what))
          check_threshold(*collective, *expected.team, least.get<double>());
    return json::object();
  }

  json measure(agents::TaskContext& context) {
    const json& words = context.order().words;
    know_transports();
    const auto name = words.value("transport", options_.transport);
    const ChosenTransport transport = choose_transport(known_, name, options_.settings);
    SessionOptions session = session_for(context);
    // A ring of buffers that no cache holds would be gone through once at least: on a slow link that takes longer than is
    // measured.
    session.cache = Cache::warm;
    ControlTree& group = context.group();
    std::vector<Point> points;
    for (const json& part : words.at("parts")) {
      SweepOptions sweep;
      sweep.collectives = {part.at("what").get<std::string>()};
      sweep.bytes = {part.at("bytes").get<std::string>()};
      sweep.root = part.value("root", 0);
      sweep.seed = part.value("seed", sweep.seed);
      sweep.types = {part.value("type", std::string("float32"))};
      const Situation situation{name, count_nodes(group), {}, session.device.memory_name, {}};
      sweep.window = part.value("window", sweep.window);
      const bool back = part.value("back", false);
      for (Point& point :
           make_points(sweep, group.size(), ranks_per_node_in_turn(group), choice_of(chooser_, situation), nullptr)) {
        if (back) point.spec.shape.ways = Ways::downward;
        points.push_back(std::move(point));
      }
    }
    const Expected expected = words.value("expect", false) ? expect_of_hosts(group, {}) : Expected{};
    json results = json::array();
    (void)run_session(group, transport, points, session, [&](const Result& result) {
      const bool back = points.at(results.size()).spec.shape.ways == Ways::downward;
      results.push_back(figures_of(result));
      results.back()["back"] = back;
      if (const auto ceiling = with_expectation(result, expected.team).expected) {
        results.back()["ceiling"] = ceiling->busbw;
        results.back()["basis"] = ceiling->basis;
      }
    });
    return {{"results", std::move(results)}};
  }

 private:
  void know_transports() {
    if (known_.empty()) known_ = known_transports(options_.plugin_folders);
  }
  [[nodiscard]] SessionOptions session_for(const agents::TaskContext& context) const {
    const json& words = context.order().words;
    SessionOptions session = options_.session;
    session.policy.max_time = Seconds(words.at("seconds").get<double>());
    session.watchdog = Seconds(words.value("watchdog", session.watchdog.count()));
    session.oversubscribed = context.order().oversubscribed;
    return session;
  }

  const TaskOptions& options_;
  std::vector<KnownTransport> known_;
  Chooser chooser_;
};

struct TaskRow {
  std::string_view name;
  json (Hands::*run)(agents::TaskContext&);
};
constexpr TaskRow rows[] = {{"measure", &Hands::measure},       {"facts", &Hands::facts},   {"node", &Hands::node},
                            {"thresholds", &Hands::thresholds}, {"copies", &Hands::copies}, {"loopback", &Hands::loopback}};

}  // namespace

agents::Work make_work(const TaskOptions& options) {
  const auto hands = std::make_shared<Hands>(options);
  return [hands](agents::TaskContext& context) -> json {
    for (const TaskRow& row : rows)
      if (row.name == context.order().task) return ((*hands).*row.run)(context);
    throw Error(Fault::usage, fmt::format("there is no task '{}'", context.order().task));
  };
}

}  // namespace railgauge::validate
