// Fewer ranks, ranks without a trace, and disagreements.
#include <string>

#include "bench/workload/agree.hpp"
#include "bench/workload/subset.hpp"
#include "tests/test.hpp"
#include "tests/traces/made.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

WorkNode collective(Collective which, int group, std::uint64_t elements) {
  WorkNode node;
  node.work = WorkKind::collective;
  node.collective = which;
  node.name = name(which);
  node.group = group;
  node.elements = elements;
  if (row(which).reduces) node.op = Op::sum;
  return node;
}

Workload two_pairs() {
  Workload workload;
  workload.name = "w";
  workload.ranks = 4;
  workload.groups = {{"all", "data", {0, 1, 2, 3}}, {"left", "tensor", {0, 1}}, {"right", "tensor", {2, 3}}};
  workload.nodes.resize(4);
  for (int rank = 0; rank < 4; ++rank)
    workload.nodes[static_cast<std::size_t>(rank)] = {collective(Collective::all_reduce, 0, 10),
                                                      collective(Collective::all_gather, rank < 2 ? 1 : 2, 8)};
  return workload;
}

}  // namespace

TEST_CASE("subset: groups shrink, and calls of a rank alone become markers") {
  const Workload three = subset(two_pairs(), 3);
  CHECK(three.ranks == 3);
  REQUIRE(three.groups.size() == 2);
  CHECK(three.groups[0].ranks == std::vector<int>{0, 1, 2});
  CHECK(three.nodes[0][1].elements == 8);
  CHECK(three.nodes[2][1].work == WorkKind::marker);
  CHECK_NOTHROW(expect_agreement(three));
  CHECK_THROWS_WITH(subset(two_pairs(), 5), "w: it has 4 ranks, and 5 are asked for");
}

TEST_CASE("subset: roots that are gone are named") {
  Workload workload = two_pairs();
  for (auto& nodes : workload.nodes) {
    nodes.push_back(collective(Collective::broadcast, 0, 4));
    nodes.back().root = 3;
  }
  CHECK_THROWS_WITH(subset(workload, 2),
                    "w: broadcast of rank 0 (broadcast) needs rank 3 of group all, which is not among those that are left");
}

TEST_CASE("subset: of drawn workloads agrees, or is refused by name") {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Workload workload = drawn_workload(seed);
    for (int ranks = 1; ranks <= workload.ranks; ++ranks) {
      INFO("seed " << seed << ", " << ranks << " of " << workload.ranks);
      try {
        const Workload smaller = subset(workload, ranks);
        CHECK_NOTHROW(expect_agreement(smaller));
        ++kept;
      } catch (const std::exception& refusal) {
        CHECK_THAT(refusal.what(), ContainsSubstring("which is not among those that are left"));
      }
    }
  }
  CHECK(kept > 100);
}

TEST_CASE("filled: ranks without a trace do as another in the group that is theirs") {
  Workload workload = two_pairs();
  for (std::size_t rank = 1; rank < 4; ++rank) workload.nodes[rank].clear();
  CHECK(ranks_without_trace(workload) == std::vector<int>{1, 2, 3});
  const Workload whole = filled(workload);
  CHECK(whole.nodes[3][1].group == 2);
  CHECK(whole.notes.back() == "ranks 1-3 do as rank 0 does, since there is no trace of them");
  workload.groups.pop_back();
  CHECK_THROWS_WITH(filled(workload),
                    "w: rank 2 has no trace, and no group of it is like group left of rank 0: give its trace, or fewer ranks");
}

TEST_CASE("agreement: the rank and the call that differ are named") {
  Workload workload = two_pairs();
  workload.nodes[2][0].elements = 11;
  CHECK_THROWS_WITH(expect_agreement(workload),
                    "w: call 1 of group all is all_reduce of 10 elements float32 sum on rank 0, and all_reduce of 11 elements "
                    "float32 sum on rank 2");
  workload = two_pairs();
  workload.nodes[3].pop_back();
  CHECK_THROWS_WITH(expect_agreement(workload), "w: rank 2 has 1 calls of group right, and rank 3 has 0");
  workload = two_pairs();
  WorkNode send;
  send.work = WorkKind::send;
  send.group = 1;
  send.peer = 1;
  send.elements = 3;
  workload.nodes[0].push_back(send);
  CHECK_THROWS_WITH(expect_agreement(workload), "w: rank 0 sends 1 messages to rank 1 in group left, which receives 0");
  CHECK(text_of_ranks({0, 1, 2, 5, 8, 9}) == "0-2, 5, 8-9");
}
