// Communicators and streams: nothing that may overlap on a rank shares a stream, and each process group has one of its own.
#include "bench/workload/communicators.hpp"

#include <map>
#include <set>

#include "bench/workload/channels.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/models/models.hpp"
#include "tests/test.hpp"

using namespace railgauge;

namespace {

struct Made {
  Workload workload;
  Channels channels;
  WorkloadCommunicators communicators;
};

Made made(Workload workload) {
  Made all;
  all.workload = std::move(workload);
  all.channels = channels_of(all.workload, matches_of(all.workload));
  all.communicators = communicators_of(all.workload, all.channels);
  return all;
}

// On each rank, two calls of one stream of the GPU belong to one stream of the workload.
void check_streams(const Made& all) {
  for (int rank = 0; rank < all.workload.ranks; ++rank) {
    std::map<std::size_t, std::set<int>> users;
    const std::vector<int>& channel_of = all.channels.of_node[static_cast<std::size_t>(rank)];
    for (std::size_t node = 0; node < channel_of.size(); ++node) {
      if (channel_of[node] == no_channel) continue;
      const std::size_t mine = all.communicators.of_channel[static_cast<std::size_t>(channel_of[node])];
      const WorkloadCommunicator& row = all.communicators.all[mine];
      CHECK(row.ranks == all.channels.all[static_cast<std::size_t>(channel_of[node])].ranks);
      CHECK(row.stream < all.communicators.streams);
      users[row.stream].insert(all.workload.nodes[static_cast<std::size_t>(rank)][node].stream);
    }
    for (const auto& [stream, its] : users) CHECK(its.size() == 1);
  }
}

void check_batches(const Made& all) {
  std::multiset<std::size_t> seen;
  for (const std::vector<std::size_t>& batch : all.communicators.batches) {
    std::multiset<int> ranks;
    for (const std::size_t c : batch) {
      seen.insert(c);
      ranks.insert(all.communicators.all[c].ranks.begin(), all.communicators.all[c].ranks.end());
    }
    for (const int rank : ranks) CHECK(ranks.count(rank) == 1);
  }
  CHECK(seen.size() == all.communicators.all.size());
  for (std::size_t c = 0; c < all.communicators.all.size(); ++c) CHECK(seen.count(c) == 1);
}

}  // namespace

TEST_CASE("communicators: of built-in models, calls that may overlap have streams of their own") {
  for (const auto& [name, options] : std::vector<std::pair<const char*, models::Options>>{
           {"resnet50", {.ranks = 4}},
           {"gpt3-175b", {.data = 2, .tensor = 2, .pipeline = 2, .micro_batches = 2, .zero = 1, .layers = 2}},
           {"llama3-70b", {.data = 2, .tensor = 2, .pipeline = 4, .context = 2, .micro_batches = 4, .zero = 1, .layers = 8}},
           {"mixtral-8x7b", {.ranks = 8, .expert = 4, .micro_batches = 1, .layers = 1}},
           {"dlrm", {.ranks = 3}}}) {
    CAPTURE(name);
    const Made all = made(models::make_workload(*models::find_model(name), options));
    check_streams(all);
    check_batches(all);
    std::set<int> streams;
    for (const WorkNode& node : all.workload.nodes.front())
      if (node.communicates()) streams.insert(node.stream);
    CHECK(all.communicators.streams >= streams.size());
    CHECK(all.communicators.streams <= streams.size() + 2);
  }
}

TEST_CASE("communicators: one group on two streams has two, and two groups on one stream share it") {
  Workload workload;
  workload.ranks = 3;
  workload.groups = {{"a", "", {0, 1}}, {"b", "", {1, 2}}};
  WorkNode call;
  call.work = WorkKind::collective;
  call.op = Op::sum;
  call.elements = 8;
  const auto on = [&](int group, int stream, std::uint64_t elements) {
    WorkNode node = call;
    node.group = group;
    node.stream = stream;
    node.elements = elements;
    return node;
  };
  workload.nodes = {{on(0, 1, 8), on(0, 2, 16)}, {on(0, 1, 8), on(0, 2, 16), on(1, 2, 8)}, {on(1, 5, 8)}};
  const Made all = made(workload);
  check_streams(all);
  check_batches(all);
  REQUIRE(all.communicators.all.size() == 3);
  CHECK(all.communicators.streams == 2);
  CHECK(all.communicators.batches.size() == 3);
}

TEST_CASE("communicators: a channel that a rank uses from two streams shares its stream with nobody there") {
  Workload workload;
  workload.ranks = 2;
  workload.groups = {{"a", "", {0, 1}}};
  WorkNode call;
  call.work = WorkKind::collective;
  call.op = Op::sum;
  call.elements = 8;
  WorkNode other = call;
  other.stream = 1;
  WorkNode larger = call;
  larger.elements = 16;
  for (int rank = 0; rank < 2; ++rank) workload.nodes.push_back({call, other, larger});
  const Made all = made(workload);
  REQUIRE(all.channels.all.size() == 2);
  CHECK(all.communicators.all[all.communicators.of_channel[0]].stream !=
        all.communicators.all[all.communicators.of_channel[1]].stream);
}
