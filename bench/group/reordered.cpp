// Translates the numbers of ranks; bench/group/reordered.hpp.
#include "bench/group/reordered.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace railgauge {
namespace {

int place_of(const std::vector<int>& order, int rank) {
  const auto found = std::find(order.begin(), order.end(), rank);
  if (found == order.end()) throw std::invalid_argument("an order of ranks has each of them");
  return static_cast<int>(found - order.begin());
}

std::vector<std::string> nodes_in(const std::vector<std::string>& nodes, const std::vector<int>& order) {
  std::vector<std::string> result;
  for (const int rank : order) result.push_back(nodes.at(static_cast<std::size_t>(rank)));
  return result;
}

class Reordered final : public Group {
 public:
  Reordered(std::unique_ptr<Group> group, std::vector<int> order)
      : Group(place_of(order, group->rank()), nodes_in(group->nodes(), order)),
        group_(std::move(group)),
        order_(std::move(order)) {}

  std::vector<Blob> allgather(const Blob& mine) override {
    std::vector<Blob> all = group_->allgather(mine), result;
    for (const int rank : order_) result.push_back(std::move(all[static_cast<std::size_t>(rank)]));
    return result;
  }
  void barrier() override { group_->barrier(); }
  std::vector<Blob> exchange(std::span<const int> peers, std::span<const Blob> blobs) override {
    std::vector<int> theirs;
    for (const int peer : peers) theirs.push_back(order_.at(static_cast<std::size_t>(peer)));
    return group_->exchange(theirs, blobs);
  }
  // In the order of the ranks here.
  std::unique_ptr<Group> split(int colour) override {
    Blob mine(sizeof colour);
    std::copy_n(reinterpret_cast<const std::byte*>(&colour), sizeof colour, mine.begin());
    const std::vector<Blob> colours = group_->allgather(mine);
    std::vector<std::pair<int, int>> members;  // rank there, rank here
    for (std::size_t there = 0; there < colours.size(); ++there)
      if (colours[there] == mine) members.emplace_back(static_cast<int>(there), place_of(order_, static_cast<int>(there)));
    std::vector<int> order(members.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return members[static_cast<std::size_t>(a)].second < members[static_cast<std::size_t>(b)].second;
    });
    return std::make_unique<Reordered>(group_->split(colour), std::move(order));
  }
  void check() const override { group_->check(); }

 private:
  std::unique_ptr<Group> group_;
  std::vector<int> order_;
};

}  // namespace

std::unique_ptr<Group> reordered(std::unique_ptr<Group> group, std::vector<int> order) {
  if (std::is_sorted(order.begin(), order.end())) return group;
  return std::make_unique<Reordered>(std::move(group), std::move(order));
}

}  // namespace railgauge
