// Buckets of whole layers; bench/workload/models/replicas.hpp.
#include "bench/workload/models/replicas.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railgauge::models {
namespace {

// Parameters of a bucket, as Megatron-LM's distributed optimizer has them by default.
std::uint64_t bucket_limit(int ranks) {
  return std::max<std::uint64_t>(40'000'000, 1'000'000 * static_cast<std::uint64_t>(ranks));
}

// Sharded buffers divide by their ranks.
std::uint64_t padded(std::uint64_t elements, int ranks) {
  const auto multiple = static_cast<std::uint64_t>(ranks);
  return (elements + multiple - 1) / multiple * multiple;
}

}  // namespace

std::vector<Replicas::Part> Replicas::parts() const {
  const Grid& grid = layout_.grid;
  std::vector<Part> result;
  if (of_.replicas != GridGroups::no_group) result.push_back({"", of_.replicas, grid.data * grid.context, &Unit::dense});
  const int copies = grid.stage_ranks() / grid.expert;
  const int group = grid.expert > 1 ? of_.expert_replicas : of_.replicas;
  if (group != GridGroups::no_group)
    result.push_back({"experts of ", group, grid.expert > 1 ? copies : grid.data * grid.context, &Unit::experts});
  return result;
}

void Replicas::gather(const Unit& unit, const char* when, const After& after, After& gathered) {
  for (const Part& part : parts())
    if (const std::uint64_t elements = unit.*part.elements; elements != 0)
      gathered.push_back(
          step_.call({fmt::format("{} parameters of {}{}", when, part.name, unit.name),
                      fmt::format("{} parameters a rank, between {} replicas",
                                  layout_.zero == 3 ? "FSDP: one unit's" : "ZeRO: a bucket's", part.ranks),
                      gathering, Collective::all_gather, part.group, Type::bfloat16, Op::none, padded(elements, part.ranks)},
                     after));
}

void Replicas::begin(const std::vector<Unit>& units) {
  if (layout_.zero != 1 && layout_.zero != 2) return;
  const int ranks = layout_.grid.data * layout_.grid.context;
  Unit bucket;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < units.size(); ++i) {
    bucket.dense += units[i].dense;
    bucket.experts += units[i].experts;
    names.push_back(units[i].name);
    if (bucket.dense + bucket.experts < bucket_limit(ranks) && i + 1 < units.size()) continue;
    bucket.name = names.size() == 1 ? names.front() : names.front() + " to " + names.back();
    After gathered;
    gather(bucket, "next", {}, gathered);
    for (const std::string& name : names) first_use_[name] = gathered;
    bucket = {};
    names.clear();
  }
}

void Replicas::enter(const std::vector<Unit>& units, bool forward, const After& last) {
  units_ = units;
  when_ = forward ? "forward" : "backward";
  if (layout_.zero != 3) return;
  gathered_.assign(units.size(), {});
  if (!units.empty()) gather(units.front(), when_, last, gathered_.front());
}

After Replicas::wait_for(std::size_t unit, const After& last) {
  After all = last;
  const auto add = [&](const After& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (const auto found = first_use_.find(units_[unit].name); found != first_use_.end()) {
    add(found->second);
    first_use_.erase(found);
  }
  if (layout_.zero == 3) {
    if (unit + 1 < units_.size()) gather(units_[unit + 1], when_, last, gathered_[unit + 1]);
    add(gathered_[unit]);
  }
  return all;
}

void Replicas::reduce_bucket(const Part& part, const Unit& from, std::uint64_t elements, const After& after) {
  const bool shards = layout_.zero != 0;
  reductions_.push_back(step_.call({fmt::format("gradients of {}{}", part.name, from.name),
                                    fmt::format("{} gradients a rank, between {} replicas",
                                                layout_.zero == 3 ? "FSDP: one unit's"
                                                : shards          ? "ZeRO: a bucket's"
                                                                  : "a bucket's",
                                                part.ranks),
                                    data, shards ? Collective::reduce_scatter : Collective::all_reduce, part.group,
                                    layout_.gradients, Op::sum, shards ? padded(elements, part.ranks) : elements},
                                   after));
}

void Replicas::reduce(const Unit& unit, bool last_micro_batch, bool last_unit, const After& last) {
  if (!last_micro_batch && layout_.zero < 2) return;  // they add up on the rank
  const std::vector<Part> all = parts();
  for (std::size_t p = 0; p < all.size(); ++p) {
    open_[p] += unit.*all[p].elements;
    if (open_[p] == 0 || (layout_.zero != 3 && !last_unit && open_[p] < bucket_limit(all[p].ranks))) continue;
    reduce_bucket(all[p], unit, open_[p], last);
    open_[p] = 0;
  }
}

}  // namespace railgauge::models
