// Random clusters, schedules and sizes with the times that railgauge predicts, written down for a simulator: cases SEED COUNT
// FOLDER.
//
// A case is a file of words. "predicted S method"; "arcs N" and N capacities in bytes a second; "channels N" and for each
// "from to latency arcs ARC...", the path of messages from one rank to another; "gap S"; "ranks N" and for each "rounds K" and
// for each "local S messages M" and for each message "s|r CHANNEL BYTES".
#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "bench/predict/costing.hpp"
#include "bench/predict/predict.hpp"
#include "bench/predict/rounds/pattern.hpp"
#include "bench/schedule/traffic.hpp"
#include "tests/predict/clusters.hpp"
#include "topo/network/network.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

// What a simulator gets through in a minute: sends and receives in all, and in flight at once.
constexpr std::size_t most_messages = 400'000;
constexpr std::size_t most_together = 20'000;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  unsigned whole(unsigned least, unsigned most) { return std::uniform_int_distribution<unsigned>(least, most)(random_); }
  // Evenly in the logarithm.
  double between(double least, double most) {
    return least * std::pow(most / least, std::uniform_real_distribution<double>(0, 1)(random_));
  }
  template <class Items>
  const auto& of(const Items& items) {
    return items[whole(0, static_cast<unsigned>(std::size(items)) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

topo::Graph draw_graph(Draw& draw, unsigned& gpus, std::string& words) {
  Cluster it;
  constexpr unsigned choices[] = {0, 0, 1, 2, 4, 8};
  it.gpus = gpus = draw.of(choices);
  it.machines = static_cast<unsigned>(draw.between(2, 1024.5 / std::max(1U, it.gpus)));
  it.leaf_machines = draw.whole(1, 32);
  it.spines = draw.whole(1, 8);
  it.rails = draw.whole(0, 1) == 0;
  it.nvlink = draw.whole(0, 2) == 0 ? 0 : 450;
  it.uplink = draw.of(std::to_array({25.0, 50.0, 100.0, 400.0}));
  topo::Graph graph = cluster_graph(it);
  const unsigned slow = draw.whole(0, 3);
  for (unsigned i = 0; i < slow; ++i) {
    topo::Link& link = graph.links[draw.whole(0, static_cast<unsigned>(graph.links.size()) - 1)];
    link.bandwidth.line = link.bandwidth.nominal = link.bandwidth.nominal / draw.whole(2, 10);
  }
  words = fmt::format("{} machines of {} GPUs, {} below a leaf{}, {} spines, uplinks {} GB/s, {} slow links", it.machines,
                      it.gpus, it.leaf_machines, it.rails ? " of each rail" : "", it.spines, it.uplink, slow);
  return graph;
}

// The paths and the rounds of all ranks, as the prediction has them.
std::string rounds_text(const topo::Graph& graph, const Question& question, const Algorithm& algorithm, unsigned per_node,
                        const Costs& costs) {
  const topo::Network network = topo::network_of(graph, {});
  const Incidence incidence(graph, network);
  Routes routes(incidence, {RoutingKind::ecmp, question.seed});
  Shape shape;
  shape.ranks = static_cast<std::int32_t>(network.ranks.size());
  shape.ranks_per_node = static_cast<std::int32_t>(per_node);
  std::string text = fmt::format("arcs {}\n", network.arcs.size());
  for (const double capacity : capacities_of(graph, network)) text += fmt::format("{:.17g}\n", capacity);
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> channels;
  std::string paths;
  std::string ranks;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) {
    const Steps steps = steps_of(algorithm, shape);
    const std::uint64_t elements =
        used_elements(algorithm.collective, shape.ranks, question.sizes.front() / bytes_of(question.type));
    const Sizes sizes(algorithm.collective, shape, steps.blocks, elements, bytes_of(question.type));
    ranks += fmt::format("rounds {}\n", steps.rounds());
    for (std::size_t round = 0; round < steps.rounds(); ++round) {
      ranks += fmt::format("local {:.17g} messages {}", costs.local(moved(steps, sizes, round)), steps.messages_of(round).size());
      for (const Message& message : steps.messages_of(round)) {
        const auto pair = message.sends ? std::pair(shape.rank, message.peer) : std::pair(message.peer, shape.rank);
        const auto [at, fresh] = channels.try_emplace(pair, channels.size());
        if (fresh) {
          const Route route = routes.between(pair.first, pair.second);
          std::string arcs;
          std::size_t count = 0;
          visit(route.path, [&](std::uint32_t arc, double) {
            arcs += fmt::format(" {}", arc);
            ++count;
          });
          paths += fmt::format("{} {} {:.17g} {}{}\n", pair.first, pair.second, costs.latency(route), count, arcs);
        }
        ranks += fmt::format(" {} {} {:.0f}", message.sends ? 's' : 'r', at->second, sizes.bytes(message.amount));
      }
      ranks += "\n";
    }
  }
  return text + fmt::format("channels {}\n{}gap {:.17g}\nranks {}\n{}", channels.size(), paths, costs.gap, shape.ranks, ranks);
}

// Nothing where this draw is too large for a simulator, or has no algorithm.
std::optional<std::string> draw_case(std::uint64_t seed, std::string& words) {
  Draw draw(seed);
  unsigned gpus = 0;
  const topo::Graph graph = draw_graph(draw, gpus, words);
  const Algorithm& algorithm = draw.of(catalog());
  Question question;
  question.collective = algorithm.collective;
  question.algorithms = {std::string(algorithm.name)};
  question.sizes = {static_cast<std::uint64_t>(draw.between(1 << 10, 1 << 28)) / 4 * 4};
  question.routing = RoutingKind::ecmp;  // one path for each pair, which any simulator knows
  question.draws = 1;
  question.seed = seed;
  question.given = {draw.between(1e-6, 2e-5), draw.between(1e-7, 1e-6), draw.between(1e-8, 1e-6), draw.between(1e11, 5e12),
                    std::nullopt};
  if (algorithm.collective == Collective::barrier) question.sizes = {0};
  Shape shape;
  shape.ranks = static_cast<std::int32_t>(topo::network_of(graph, {}).ranks.size());
  shape.ranks_per_node = static_cast<std::int32_t>(std::max(1U, gpus));
  if (shape.ranks < 2 || !algorithm.refusal(shape).empty()) return std::nullopt;
  for (const std::int32_t rank : {0, shape.ranks - 1}) {
    shape.rank = rank;
    const Steps steps = steps_of(algorithm, shape);
    if (steps.messages.size() * static_cast<std::size_t>(shape.ranks) > most_messages) return std::nullopt;
    for (std::size_t round = 0; round < steps.rounds(); ++round)
      if (steps.messages_of(round).size() * static_cast<std::size_t>(shape.ranks) > most_together) return std::nullopt;
  }
  const Answer answer = predict::predict(graph, question);
  if (!answer.columns.front().refusal.empty()) return std::nullopt;
  shape.ranks_per_node = static_cast<std::int32_t>(answer.ranks_per_node);
  const Prediction& it = answer.columns.front().predictions.front();
  words += fmt::format("; {} by {}, {} B", name(algorithm.collective), algorithm.name, question.sizes.front());
  return fmt::format("predicted {:.17g} {}\n", it.seconds / time_share(algorithm.collective, shape), predict::name(it.method)) +
         rounds_text(graph, question, algorithm, answer.ranks_per_node, answer.costs);
}

}  // namespace
}  // namespace railgauge::test

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: railgauge_simgrid_cases SEED COUNT FOLDER\n", stderr);
    return 2;
  }
  std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  for (unsigned long left = std::strtoul(argv[2], nullptr, 10); left > 0; ++seed) {
    std::string words;
    const std::optional<std::string> text = railgauge::test::draw_case(seed, words);
    if (!text) continue;
    auto file = fmt::output_file(fmt::format("{}/{}.case", argv[3], seed));
    file.print("{}", *text);
    std::printf("%llu\t%s\n", static_cast<unsigned long long>(seed), words.c_str());
    std::fflush(stdout);
    --left;
  }
  return 0;
}
