// Collects nodes, and runs those that are free.
#include "tests/softgpu/engine/graph.hpp"

#include <algorithm>
#include <utility>

namespace softgpu {

void Capture::add(const Stream& stream, Make make) {
  std::set<std::size_t>& its = tips[&stream];
  graph->nodes.push_back({std::move(make), {its.begin(), its.end()}});
  its = {graph->nodes.size() - 1};
}

bool Capture::is_joined() const {
  std::vector<bool> seen(graph->nodes.size());
  const auto found = tips.find(origin);
  if (found != tips.end())
    for (const std::size_t tip : found->second) seen[tip] = true;
  for (std::size_t node = seen.size(); node-- > 0;)
    if (seen[node])
      for (const std::size_t before : graph->nodes[node].after) seen[before] = true;
  return std::all_of(seen.begin(), seen.end(), [](bool one) { return one; });
}

GraphWork::GraphWork(std::shared_ptr<const Graph> graph, std::shared_ptr<Actors> actors)
    : graph_(std::move(graph)), actors_(std::move(actors)), parts_(graph_->nodes.size()), left_(parts_.size()) {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].work = graph_->nodes[i].make();
}

bool GraphWork::is_free(std::size_t node) {
  Part& part = parts_[node];
  if (part.over) return false;
  if (part.begun) return true;
  const auto& after = graph_->nodes[node].after;
  return std::all_of(after.begin(), after.end(), [&](std::size_t before) { return parts_[before].over; }) &&
         part.work->can_begin();
}

Turn GraphWork::advance(Actor& actor, Draw& draw) {
  if (left_ == 0) return Turn::over;
  if (!std::exchange(has_begun_, true)) begun_ = actor.release();
  std::vector<std::size_t> free;
  for (std::size_t node = 0; node < parts_.size(); ++node)
    if (is_free(node)) free.push_back(node);
  if (free.empty()) return Turn::waiting;
  const std::size_t node = free[draw.below(free.size())];
  Part& part = parts_[node];
  Actor& its = *(*actors_)[node];
  if (!std::exchange(part.begun, true)) {
    its.acquire(begun_);
    for (const std::size_t before : graph_->nodes[node].after) its.acquire((*actors_)[before]->release());
  }
  const Turn turn = part.work->advance(its, draw);
  if (turn != Turn::over) return turn;
  part.over = true;
  part.work.reset();
  actor.acquire(its.release());
  return --left_ == 0 ? Turn::over : Turn::advanced;
}

bool GraphWork::give_up() {
  bool gave_up = false;
  for (const Part& part : parts_)
    if (part.begun && !part.over) gave_up = part.work->give_up() || gave_up;
  return gave_up;
}

}  // namespace softgpu
