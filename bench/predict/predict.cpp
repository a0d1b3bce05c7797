// From a graph and a question to a time for each algorithm and size: bench/predict/predict.hpp.
#include "bench/predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/bandwidth.hpp"
#include "base/error.hpp"
#include "base/statistics/samples.hpp"
#include "bench/predict/costing.hpp"
#include "bench/predict/in_network.hpp"
#include "bench/predict/synthesised.hpp"
#include "bench/schedule/traffic.hpp"
#include "bench/select/stored.hpp"
#include "topo/bound/bound.hpp"
#include "topo/gpu_models.hpp"

namespace railgauge::predict {
namespace {

constexpr std::uint64_t most_bounded = 30'000'000;  // ranks times arcs, to which the time of a bound is proportional

struct Choice {
  const Algorithm* algorithm = nullptr;  // none: the one that is synthesised, or one of in_network_names
  bool named = false;                    // asked for by name: that it cannot serve is an error
  std::string_view in_network = {};
};

std::vector<Choice> chosen(const Question& question, const StoredAlgorithms& stored) {
  std::vector<Choice> choices;
  const std::vector<const Algorithm*> files = stored.rows();
  const auto all = [&] {
    for (const Algorithm& row : catalog())
      if (row.collective == question.collective) choices.push_back({&row, false});
  };
  if (question.algorithms.empty()) all();
  for (const std::string& said : question.algorithms) {
    if (said == "all") {
      all();
    } else if (said == synthesised_name) {
      choices.push_back({nullptr, true});
    } else if (is_in_network(said)) {
      choices.push_back({nullptr, true, said});
    } else if (names_file(said)) {
      const Algorithm* const row =
          *std::find_if(files.begin(), files.end(), [&](const Algorithm* it) { return it->name == said; });
      if (row->collective != question.collective)
        throw Error(Fault::usage,
                    fmt::format("{} has schedules of {}, not of {}", said, name(row->collective), name(question.collective)));
      choices.push_back({row, true});
    } else {
      const Algorithm* row = find_algorithm(question.collective, said);
      if (row == nullptr)
        throw Error(Fault::usage,
                    fmt::format("{} has no algorithm {} (railgauge list algorithms)", name(question.collective), said));
      choices.push_back({row, true});
    }
  }
  return choices;
}

class Predictor {
 public:
  Predictor(const topo::Graph& graph, const Question& question)
      : graph_(graph), question_(question), stored_(question.algorithms), links_(graph, question), costing_(links_, question) {
    for (const std::string& folder : question.folders) stored_.add_folder(folder);
    for (const std::uint64_t size : question.sizes) elements_.push_back(costing_.elements(size));
  }

  Answer answer() {
    Answer it;
    it.question = question_;
    it.ranks = static_cast<unsigned>(costing_.shape().ranks);
    it.ranks_per_node = static_cast<unsigned>(costing_.shape().ranks_per_node);
    place(it);
    std::vector<Choice> choices = chosen(question_, stored_);
    for (const Choice& choice : choices) it.columns.push_back(column(choice));
    add_folders(it, choices);
    for (std::size_t size = 0; size < question_.sizes.size(); ++size) {
      Prediction* best = nullptr;
      for (std::size_t i = 0; i < it.columns.size(); ++i) {
        Column& column = it.columns[i];
        const Algorithm* const row = i < choices.size() ? choices[i].algorithm : nullptr;
        if (row != nullptr && row->stored != nullptr && !row->stored->takes(question_.sizes[size])) continue;
        if (column.refusal.empty() && (best == nullptr || column.predictions[size].seconds < best->seconds))
          best = &column.predictions[size];
      }
      if (best != nullptr) best->best = true;
    }
    add_bound(it);
    add_loads(it);
    it.costs = costing_.constants().costs;
    const std::vector<std::string>& constants = costing_.constants().assumed;
    it.assumed.insert(it.assumed.begin(), constants.begin(), constants.end());
    it.assumed.insert(it.assumed.end(), in_network_.begin(), in_network_.end());
    it.routing = links_.routing;
    it.assumed.push_back(text_of_routing(links_, question_) +
                         (links_.routing == RoutingKind::ecmp ? ", and the least and most" : ""));
    return it;
  }

 private:
  void place(Answer& answer) const {
    const topo::Network& network = costing_.network();
    std::set<std::size_t> machines;
    for (const std::uint32_t rank : network.ranks) machines.insert(costing_.view().machine(network.vertices[rank].node));
    answer.machines = static_cast<unsigned>(std::max<std::size_t>(1, machines.size()));
    if (network.ranks.empty()) return;
    const topo::Node& node = graph_.nodes[network.vertices[network.ranks.front()].node];
    if (node.kind == topo::Kind::gpu) answer.device = topo::gpu_model(node).link == "xGMI" ? "hip" : "cuda";
  }

  // Files of folders: a column for each, with the reason for one that does not serve. `choices` are those of the columns.
  void add_folders(Answer& answer, std::vector<Choice>& choices) {
    for (const Algorithm* const row : stored_.rows()) {
      if (!row->stored->of_folder) continue;
      choices.push_back({row, false});
      const std::string why = why_left_out(*row, {&question_.collective, 1}, costing_.shape());
      answer.columns.push_back(why.empty() ? column(choices.back()) : Column{std::string(row->name), why, {}, 0, 0});
      if (why.empty() && (row->stored->least_bytes != 0 || row->stored->most_bytes != 0))
        answer.assumed.push_back(fmt::format("{} is chosen {}, as its file says", row->name, size_range(*row->stored)));
    }
    for (const RefusedFile& file : stored_.refused()) answer.columns.push_back({file.path, file.reason, {}, 0, 0});
  }

  Column column(const Choice& choice) {
    Column column;
    column.algorithm = choice.algorithm != nullptr  ? choice.algorithm->name
                       : !choice.in_network.empty() ? std::string(choice.in_network)
                                                    : synthesised_name;
    Synthesised it;
    if (!choice.in_network.empty()) {
      InNetwork found = cost_in_network(graph_, question_, costing_, choice.in_network, elements_);
      it.costed = std::move(found.costed);
      in_network_.insert(in_network_.end(), found.assumed.begin(), found.assumed.end());
    } else if (choice.algorithm != nullptr)
      it.costed = costing_.cost(*choice.algorithm, elements_);
    else
      it = cost_synthesised(costing_, question_.collective, elements_);
    column.refusal = it.costed.refusal;
    if (!column.refusal.empty() && choice.named)
      throw Error(Fault::usage, fmt::format("{} by {}: {}", name(question_.collective), column.algorithm, column.refusal));
    if (!column.refusal.empty()) return column;
    if (question_.loads && !elements_.empty()) last_.push_back(it.costed.drawn.back());
    column.trees = it.trees;
    column.height = it.height;
    for (std::size_t size = 0; size < elements_.size(); ++size) {
      column.predictions.push_back(prediction(elements_[size], it.costed.drawn[size]));
      if (!it.chunks.empty()) column.predictions.back().chunks = it.chunks[size];
    }
    return column;
  }

  [[nodiscard]] Prediction prediction(std::uint64_t elements, const Drawn& drawn) const {
    std::vector<double> sorted = drawn.seconds;
    std::sort(sorted.begin(), sorted.end());
    Prediction it;
    it.bytes = elements * bytes_of(question_.type);
    it.seconds = nearest_rank(sorted, 0.5);
    it.least = sorted.front();
    it.most = sorted.back();
    if (it.seconds > 0 && question_.round == 0) {
      const Bandwidth found = bandwidth(question_.collective, costing_.shape().ranks, it.bytes, Seconds(it.seconds));
      it.algbw = found.algbw;
      it.busbw = found.busbw;
    }
    it.method = drawn.method;
    if (drawn.carried_of != 0)
      it.busiest = busiest(drawn.carried, static_cast<double>(elements) / static_cast<double>(drawn.carried_of),
                           drawn.seconds.front() / time_share(question_.collective, costing_.shape()));
    return it;
  }

  // `factor`: how much more or less than `carried` goes over the arcs.
  [[nodiscard]] std::optional<Busiest> busiest(const std::vector<double>& carried, double factor, double seconds) const {
    const std::vector<topo::Arc>& arcs = costing_.network().arcs;
    std::optional<Busiest> result;
    std::uint32_t which = 0;
    for (std::uint32_t arc = 0; arc < carried.size(); ++arc) {
      const double share = carried[arc] * factor / costing_.capacities()[arc] / seconds;
      if (share <= 0 || (result && share < result->share * (1 - 1e-9))) continue;
      const bool equal = result && share <= result->share * (1 + 1e-9);  // a cable rather than what leads to it
      if (equal && (is_cable(result->link) || !is_cable(arcs[arc].link))) continue;
      result = {arcs[arc].link, arc % 2 == 0, share, {}};
      which = arc;
    }
    if (!result) return result;
    const topo::View& view = costing_.view();
    const topo::Link& link = graph_.links[arcs[which].link];
    const std::string a = view.spoken(view.a(result->link), link.a_port);
    const std::string b = view.spoken(view.b(result->link), link.b_port);
    result->name = result->forward ? a + " to " + b : b + " to " + a;
    return result;
  }

  [[nodiscard]] bool is_cable(std::size_t link) const { return topo::is_cable(graph_.links[link].kind); }

  // Of the best algorithm whose messages are known: reductions in switches are a formula.
  void add_loads(Answer& answer) const {
    std::size_t drawn = 0;  // place in last_, which has no entry of columns that were refused
    for (const Column& column : answer.columns) {
      if (!column.refusal.empty() || column.predictions.empty()) continue;
      const Prediction& it = column.predictions.back();
      const auto order = [](const Prediction& one) { return std::pair(!one.best, one.seconds); };
      const bool better = !answer.loads || order(it) < order(answer.loads->prediction);
      if (question_.loads && it.seconds > 0 && it.method != Method::formula && better)
        answer.loads = {column.algorithm, it, loads_of(last_[drawn])};
      ++drawn;
    }
  }

  [[nodiscard]] std::vector<double> loads_of(const Drawn& drawn) const {
    const std::vector<topo::Arc>& arcs = costing_.network().arcs;
    std::vector<double> loads(graph_.links.size(), -1);
    const double seconds = drawn.seconds.front() / time_share(question_.collective, costing_.shape());
    const double factor =
        drawn.carried_of == 0 ? 0 : static_cast<double>(elements_.back()) / static_cast<double>(drawn.carried_of) / seconds;
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
      const double carried = drawn.carried.empty() ? 0 : drawn.carried[arc];
      loads[arcs[arc].link] = std::max(loads[arcs[arc].link], carried * factor / costing_.capacities()[arc]);
    }
    return loads;
  }

  void add_bound(Answer& answer) const {
    const topo::Network& network = costing_.network();
    if (!question_.bound || question_.round > 0 || !topo::has_bound(question_.collective) || network.ranks.size() < 2) return;
    if (network.ranks.size() * network.arcs.size() > most_bounded) {
      answer.no_bound = fmt::format("not computed: {} ranks and {} links are too many for it, and --ranks takes fewer",
                                    network.ranks.size(), network.arcs.size() / 2);
      return;
    }
    try {
      const topo::Bound bound = topo::Bounds(network).of(question_.collective, static_cast<std::uint32_t>(question_.root));
      answer.bound = {bound.busbw(), topo::to_line(graph_, bound), topo::to_json(graph_, bound)};
      for (Column& column : answer.columns)
        for (Prediction& it : column.predictions)
          if (it.seconds > 0) it.of_bound = bound.seconds(static_cast<double>(it.bytes)) / it.seconds;
    } catch (const Error& error) {  // too much for exact arithmetic
      answer.no_bound = error.what();
    }
  }

  const topo::Graph& graph_;
  const Question& question_;
  StoredAlgorithms stored_;
  Links links_;
  Costing costing_;
  std::vector<std::uint64_t> elements_;  // of each size
  std::vector<Drawn> last_;              // of each column that is not refused: of the last size
  std::vector<std::string> in_network_;  // what is assumed of reductions in switches
};

}  // namespace

Answer predict(const topo::Graph& graph, const Question& question) { return Predictor(graph, question).answer(); }

}  // namespace railgauge::predict
