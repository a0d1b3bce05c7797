// Of c chunks and trees of height h, a round of the pipeline takes a latency L and D / c for its bytes, and there are c + h - 1
// of them: the time is least for c = sqrt((h - 1) D / L).
#include "bench/predict/synthesised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "bench/synthesise/tree_schedule.hpp"
#include "topo/trees/trees.hpp"

namespace railgauge::predict {
namespace {

constexpr std::int32_t most_ranks = 256;     // whose pipelines are simulated in seconds
constexpr std::uint32_t most_chunks = 4096;  // that synthesise makes

class Pipelines {
 public:
  Pipelines(const Costing& costing, Collective collective, const topo::Forest& forest)
      : costing_(costing),
        collective_(collective),
        forest_(forest),
        phases_(collective == Collective::all_reduce ? 2 : 1),
        few_(2 * forest.height() + 1),
        more_(3 * forest.height() + 4) {}

  Synthesised cost(const std::vector<std::uint64_t>& sizes) {
    Synthesised it{{{}, std::vector<Drawn>(sizes.size())}, forest_.trees, forest_.height(), chunks_of(sizes)};
    for (std::size_t i = 0; i < sizes.size() && it.costed.refusal.empty(); ++i) {
      const std::uint32_t chunks = it.chunks[i];
      Costed one = chunks <= more_ ? cost(chunks, {sizes[i]}) : continued(chunks, sizes[i]);
      it.costed.refusal = one.refusal;
      if (one.refusal.empty()) it.costed.drawn[i] = std::move(one.drawn.front());
    }
    return it;
  }

 private:
  Costed cost(std::uint32_t chunks, std::vector<std::uint64_t> sizes) {
    for (std::uint64_t& size : sizes) size = even(size, chunks);
    StoredSchedules schedules{costing_.shape().root, tree_schedules(collective_, forest_, costing_.shape().ranks, chunks)};
    Algorithm algorithm{};
    algorithm.name = synthesised_name;
    algorithm.collective = collective_;
    algorithm.stored = &schedules;
    return costing_.cost(algorithm, sizes);
  }

  Costed continued(std::uint32_t chunks, std::uint64_t size) {
    const auto part = [&](std::uint32_t of) { return size / chunks * of + size % chunks * of / chunks; };
    const Costed few = cost(few_, {part(few_)});
    Costed more = cost(more_, {part(more_)});
    if (!few.refusal.empty() || !more.refusal.empty()) return more;
    Drawn& drawn = more.drawn.front();
    const double further = static_cast<double>(chunks - more_) / (more_ - few_);
    for (std::size_t draw = 0; draw < drawn.seconds.size(); ++draw)
      drawn.seconds[draw] += further * (drawn.seconds[draw] - few.drawn.front().seconds[draw]);
    drawn.method = std::max(drawn.method, Method::continued);
    return more;
  }

  [[nodiscard]] std::uint64_t parts() const {  // blocks of one chunk
    return static_cast<std::uint64_t>(forest_.trees) *
           (row(collective_).rooted ? 1U : static_cast<std::uint64_t>(costing_.shape().ranks));
  }
  // Where blocks have a thousand elements and more, one more or less changes nothing, and equal blocks make equal rounds: whose
  // transfers end together.
  [[nodiscard]] std::uint64_t even(std::uint64_t size, std::uint32_t chunks) const {
    const std::uint64_t blocks = parts() * chunks;
    return size / blocks < 1000 ? size : (size + blocks - 1) / blocks * blocks;
  }

  // Of each size, so many that the time is least.
  std::vector<std::uint32_t> chunks_of(const std::vector<std::uint64_t>& sizes) {
    std::vector<std::uint32_t> chunks(sizes.size(), 1);
    const std::uint64_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
    if (forest_.height() <= 1 || largest == 0) return chunks;
    const Costed trial = cost(few_, {0, largest});
    if (!trial.refusal.empty()) return chunks;  // cost() of a size says so too
    const double empty = trial.drawn[0].seconds.front();
    const double full = trial.drawn[1].seconds.front();
    const double rounds = phases_ * (few_ + forest_.height() - 1.0);
    const double latency = empty / rounds;
    const double whole = (full - empty) / rounds * few_;  // of the bytes of the largest size, in one phase and one chunk
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double bytes = whole * static_cast<double>(sizes[i]) / static_cast<double>(largest);
      const double best = std::sqrt((forest_.height() - 1.0) * bytes / std::max(latency, 1e-12));
      const std::uint64_t most = std::min<std::uint64_t>(most_chunks, sizes[i] / parts());  // no block without an element
      chunks[i] = static_cast<std::uint32_t>(std::max(1.0, std::min(std::round(best), static_cast<double>(most))));
    }
    return chunks;
  }

  const Costing& costing_;
  Collective collective_;
  const topo::Forest& forest_;
  double phases_;
  std::uint32_t few_, more_;  // chunks of a simulated pipeline: with those of few_ all its trees are full
};

}  // namespace

Synthesised cost_synthesised(const Costing& costing, Collective collective, const std::vector<std::uint64_t>& sizes) {
  Synthesised it;
  if (!has_tree_schedule(collective))
    it.costed.refusal = fmt::format("no trees are known for {}", name(collective));
  else if (costing.question().round > 0)
    it.costed.refusal = "its rounds are those of a file: `railgauge synthesise -o` writes one, which --algorithm takes";
  else if (costing.shape().ranks < 2)
    it.costed.refusal = "one rank alone sends nothing";
  else if (costing.shape().ranks > most_ranks)
    it.costed.refusal =
        fmt::format("schedules of trees are predicted for at most {} ranks, and there are {}", most_ranks, costing.shape().ranks);
  if (!it.costed.refusal.empty()) return it;
  const topo::Forest forest = topo::forest_of(costing.network(), {row(collective).rooted ? costing.shape().root : -1});
  return Pipelines(costing, collective, forest).cost(sizes);
}

}  // namespace railgauge::predict
