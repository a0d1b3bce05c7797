// Four ranks, one tree of root 0 (0 to 1, 1 to 2, 1 to 3), two chunks a and b:
//
//   round    0          1                   2               all_gather and broadcast; of reduce_scatter and reduce the rounds run
//          0 -a-> 1   0 -b-> 1                              backwards and so do the arrows: 2 and 3 send their inputs to 1, which
//                     1 -a-> 2, 1 -a-> 3   1 -b-> 2, 3      reduces them with its own and sends that to 0
//
// The trees: ForestColl (Zhao et al., Efficient Schedule Construction for Collective Communications, arXiv 2402.06787, 2024).
#include "bench/synthesise/tree_schedule.hpp"

#include <algorithm>

namespace railgauge {
namespace {

class Builder {
 public:
  Builder(Collective collective, const topo::Forest& forest, std::int32_t ranks, std::uint32_t chunks)
      : collective_(collective),
        forest_(forest),
        chunks_(chunks),
        trees_(static_cast<std::uint32_t>(forest.trees)),
        height_(forest.height()),
        rooted_(row(collective).rooted),
        schedules_(static_cast<std::size_t>(ranks)) {
    for (Schedule& schedule : schedules_) schedule.blocks = (rooted_ ? 1 : static_cast<std::uint32_t>(ranks)) * trees_ * chunks_;
    std::vector<std::uint32_t> next(schedules_.size());  // of each root: the first tree that has no number yet
    for (const topo::OutTree& tree : forest.list) {
      std::uint32_t& first = next[static_cast<std::size_t>(tree.root)];
      numbers_.push_back(first);
      first += static_cast<std::uint32_t>(tree.count);
    }
  }

  std::vector<Schedule> build() {
    const std::uint32_t rounds = chunks_ + height_ - 1;
    const bool both = collective_ == Collective::all_reduce;
    const bool gathers = collective_ == Collective::reduce_scatter || collective_ == Collective::reduce;
    for (Schedule& schedule : schedules_) schedule.rounds.resize(both ? 2 * std::size_t{rounds} : rounds);
    if (gathers || both) reduce();
    if (!gathers) spread(both ? rounds : 0);
    return std::move(schedules_);
  }

 private:
  [[nodiscard]] Schedule& of(std::int32_t rank) { return schedules_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] Round& round(std::int32_t rank, std::size_t number) { return of(rank).rounds[number]; }

  // The blocks of a chunk of a tree, in a buffer that has those of all ranks, or those of the root alone.
  [[nodiscard]] Blocks blocks(std::size_t tree, std::uint32_t chunk, Buffer buffer, bool of_root) const {
    const topo::OutTree& it = forest_.list[tree];
    const std::uint32_t before = of_root || rooted_ ? 0 : static_cast<std::uint32_t>(it.root) * trees_ * chunks_;
    return {buffer, before + chunk * trees_ + numbers_[tree], static_cast<std::uint32_t>(it.count), 0};
  }

  // From the roots to the leaves, beginning in round `first`.
  void spread(std::uint32_t first) {
    const bool after = first != 0;  // all_reduce: the roots have their sums in the output
    for (std::size_t tree = 0; tree < forest_.list.size(); ++tree) {
      const topo::OutTree& it = forest_.list[tree];
      for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
        const Blocks output = blocks(tree, chunk, Buffer::output, false);
        const Blocks input = blocks(tree, chunk, Buffer::input, true);
        if (!after) round(it.root, 0).locals.push_back({Local::Kind::copy, input, output});
        for (const topo::OutTree::Branch& branch : it.branches) {
          const std::size_t at = std::size_t{first} + chunk + branch.depth;
          const bool from_input = branch.depth == 0 && !after;
          round(branch.from, at).transfers.push_back({Transfer::Kind::send, branch.to, from_input ? input : output});
          round(branch.to, at).transfers.push_back({Transfer::Kind::receive, branch.from, output});
        }
      }
    }
  }

  // From the leaves to the roots. A rank that is between keeps the sum of a chunk in scratch until it is sent in the next round;
  // what its children send lies behind it.
  void reduce() {
    for (std::size_t tree = 0; tree < forest_.list.size(); ++tree) {
      const topo::OutTree& it = forest_.list[tree];
      std::vector<std::vector<const topo::OutTree::Branch*>> children(schedules_.size());
      for (const topo::OutTree::Branch& branch : it.branches) children[static_cast<std::size_t>(branch.from)].push_back(&branch);
      for (std::size_t parent = 0; parent < children.size(); ++parent)
        if (!children[parent].empty()) reduce_at(tree, static_cast<std::int32_t>(parent), children);
    }
  }

  void reduce_at(std::size_t tree, std::int32_t parent, const std::vector<std::vector<const topo::OutTree::Branch*>>& children) {
    const topo::OutTree& it = forest_.list[tree];
    const auto count = static_cast<std::uint32_t>(it.count);
    const bool at_root = parent == it.root;
    const std::uint32_t sum = slots_of(parent, tree);
    for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
      const Blocks own = blocks(tree, chunk, Buffer::input, false);
      Blocks target = own;  // scratch, numbered as the input
      target.buffer = Buffer::scratch;
      target.slot = sum;
      if (at_root) target = blocks(tree, chunk, Buffer::output, collective_ == Collective::reduce_scatter);
      std::uint32_t slot = at_root ? sum : sum + count;
      const auto& branches = children[static_cast<std::size_t>(parent)];
      const std::size_t number = std::size_t{chunk} + height_ - 1 - branches.front()->depth;
      Round& here = round(parent, number);
      here.locals.push_back({Local::Kind::copy, own, target});
      for (const topo::OutTree::Branch* branch : branches) {
        Blocks received = own;
        received.buffer = Buffer::scratch;
        received.slot = slot;
        slot += count;
        here.transfers.push_back({Transfer::Kind::receive, branch->to, received});
        here.locals.push_back({Local::Kind::reduce, received, target});
        Blocks sent = own;
        if (!children[static_cast<std::size_t>(branch->to)].empty()) {
          sent.buffer = Buffer::scratch;
          sent.slot = slots_of(branch->to, tree);
        }
        round(branch->to, number).transfers.push_back({Transfer::Kind::send, parent, sent});
      }
      of(parent).slots = std::max(of(parent).slots, slot);
    }
  }

  // Where the scratch of a rank for a tree begins: each tree has room for its sum and for what each child sends.
  [[nodiscard]] std::uint32_t slots_of(std::int32_t rank, std::size_t tree) {
    if (begins_.empty()) {
      begins_.assign(schedules_.size(), std::vector<std::uint32_t>(forest_.list.size()));
      std::vector<std::uint32_t> next(schedules_.size());
      for (std::size_t i = 0; i < forest_.list.size(); ++i) {
        const auto count = static_cast<std::uint32_t>(forest_.list[i].count);
        for (std::size_t at = 0; at < schedules_.size(); ++at) {
          begins_[at][i] = next[at];
          next[at] += count;
        }
        for (const topo::OutTree::Branch& branch : forest_.list[i].branches) next[static_cast<std::size_t>(branch.from)] += count;
      }
    }
    return begins_[static_cast<std::size_t>(rank)][tree];
  }

  Collective collective_;
  const topo::Forest& forest_;
  std::uint32_t chunks_, trees_, height_;
  bool rooted_;
  std::vector<std::uint32_t> numbers_;  // of each tree: its number, or that of its first, among those of its root
  std::vector<std::vector<std::uint32_t>> begins_;
  std::vector<Schedule> schedules_;
};

}  // namespace

bool has_tree_schedule(Collective collective) noexcept {
  switch (collective) {
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_reduce:
    case Collective::broadcast:
    case Collective::reduce:
      return true;
    default:
      return false;
  }
}

std::vector<Schedule> tree_schedules(Collective collective, const topo::Forest& forest, std::int32_t ranks,
                                     std::uint32_t chunks) {
  return Builder(collective, forest, ranks, chunks).build();
}

}  // namespace railgauge
