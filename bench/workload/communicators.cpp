// Gives each channel the first stream that is free of conflicts; bench/workload/communicators.hpp.
#include "bench/workload/communicators.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace railgauge {
namespace {

constexpr int several_streams = std::numeric_limits<int>::min();

// The streams of the workload in which the ranks of a channel have its calls: of each rank one, or several.
using StreamsOfRanks = std::vector<std::pair<int, int>>;  // rank, stream

std::vector<StreamsOfRanks> streams_of_channels(const Workload& workload, const Channels& channels) {
  std::vector<std::map<int, int>> found(channels.all.size());
  for (int rank = 0; rank < workload.ranks; ++rank) {
    const std::vector<int>& channel_of = channels.of_node[static_cast<std::size_t>(rank)];
    for (std::size_t node = 0; node < channel_of.size(); ++node) {
      if (channel_of[node] == no_channel) continue;
      const int stream = workload.nodes[static_cast<std::size_t>(rank)][node].stream;
      const auto [its, is_first] = found[static_cast<std::size_t>(channel_of[node])].emplace(rank, stream);
      if (!is_first && its->second != stream) its->second = several_streams;
    }
  }
  std::vector<StreamsOfRanks> all;
  for (const std::map<int, int>& its : found) all.emplace_back(its.begin(), its.end());
  return all;
}

// By rank: the workload's stream that has taken a stream of its GPU.
using Taken = std::map<int, int>;

bool is_free(const Taken& taken, const StreamsOfRanks& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::pair<int, int>& one) {
    const auto found = taken.find(one.first);
    return found == taken.end() || (found->second == one.second && one.second != several_streams);
  });
}

bool have_rank_in_common(const std::vector<int>& a, const std::vector<bool>& b) {
  return std::any_of(a.begin(), a.end(), [&](int rank) { return b[static_cast<std::size_t>(rank)]; });
}

std::vector<std::vector<std::size_t>> batches_of(const std::vector<WorkloadCommunicator>& all, int ranks) {
  std::vector<std::vector<std::size_t>> batches;
  std::vector<std::vector<bool>> members;
  for (std::size_t c = 0; c < all.size(); ++c) {
    std::size_t batch = 0;
    while (batch < batches.size() && have_rank_in_common(all[c].ranks, members[batch])) ++batch;
    if (batch == batches.size()) {
      batches.emplace_back();
      members.emplace_back(static_cast<std::size_t>(ranks));
    }
    batches[batch].push_back(c);
    for (const int rank : all[c].ranks) members[batch][static_cast<std::size_t>(rank)] = true;
  }
  return batches;
}

}  // namespace

WorkloadCommunicators communicators_of(const Workload& workload, const Channels& channels) {
  WorkloadCommunicators result;
  std::vector<Taken> streams;
  std::map<std::pair<std::vector<int>, std::size_t>, std::size_t> known;
  const std::vector<StreamsOfRanks> wanted = streams_of_channels(workload, channels);
  for (std::size_t c = 0; c < channels.all.size(); ++c) {
    std::size_t stream = 0;
    while (stream < streams.size() && !is_free(streams[stream], wanted[c])) ++stream;
    if (stream == streams.size()) streams.emplace_back();
    streams[stream].insert(wanted[c].begin(), wanted[c].end());
    const auto [found, is_new] = known.emplace(std::pair(channels.all[c].ranks, stream), result.all.size());
    if (is_new) result.all.push_back({channels.all[c].ranks, stream});
    result.of_channel.push_back(found->second);
  }
  result.streams = streams.size();
  result.batches = batches_of(result.all, workload.ranks);
  return result;
}

}  // namespace railgauge
