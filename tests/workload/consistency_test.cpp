// Workloads whose ranks do not agree are refused by name.
#include "bench/workload/consistency.hpp"

#include <utility>

#include "base/error.hpp"
#include "bench/workload/digest.hpp"
#include "bench/workload/scale.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using test::ContainsSubstring;

namespace {

WorkNode call_of(std::uint64_t elements) {
  WorkNode node;
  node.work = WorkKind::collective;
  node.name = "sum";
  node.op = Op::sum;
  node.elements = elements;
  return node;
}

WorkNode message(WorkKind work, int peer, int tag, std::uint64_t elements) {
  WorkNode node;
  node.work = work;
  node.peer = peer;
  node.tag = tag;
  node.elements = elements;
  return node;
}

Workload of_two(std::vector<WorkNode> first, std::vector<WorkNode> second) {
  Workload workload;
  workload.name = "made";
  workload.ranks = 2;
  workload.groups.push_back({"all", "", {0, 1}});
  workload.nodes = {std::move(first), std::move(second)};
  return workload;
}

std::string refusal_of(const Workload& workload) {
  try {
    expect_consistent(workload);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("ranks that agree are consistent") {
  CHECK(refusal_of(of_two({call_of(8), message(WorkKind::send, 1, 0, 5), message(WorkKind::send, 1, 1, 6)},
                          {message(WorkKind::receive, 0, 1, 6), call_of(8), message(WorkKind::receive, 0, 0, 5)}))
            .empty());
}

TEST_CASE("what does not meet is named") {
  CHECK_THAT(refusal_of(of_two({call_of(8)}, {call_of(9)})),
             ContainsSubstring("call 1 of group all is all_reduce of 8 elements"));
  CHECK_THAT(refusal_of(of_two({call_of(8), call_of(8)}, {call_of(8)})),
             ContainsSubstring("rank 0 has 2 calls of group all, and rank 1 has 1"));
  CHECK_THAT(refusal_of(of_two({message(WorkKind::send, 1, 0, 5)}, {message(WorkKind::receive, 0, 1, 5)})),
             ContainsSubstring("rank 0 sends 1 messages to rank 1 in group all, which receives 0"));
  CHECK_THAT(refusal_of(of_two({message(WorkKind::send, 1, 0, 5)}, {message(WorkKind::receive, 0, 0, 4)})),
             ContainsSubstring("message 1 of group all from rank 0 to rank 1 has 20 bytes there, and 16 here"));
  CHECK_THAT(refusal_of(of_two({message(WorkKind::send, 0, 0, 5)}, {message(WorkKind::receive, 0, 0, 5)})),
             ContainsSubstring("peer 0"));
  CHECK_THAT(refusal_of(of_two({call_of(8)}, {})), ContainsSubstring("nothing is known of rank 1"));
  WorkNode late = call_of(8);
  late.after = {0};
  CHECK_THAT(refusal_of(of_two({late}, {call_of(8)})), ContainsSubstring("comes later"));
  WorkNode lost = call_of(8);
  lost.group = 3;
  CHECK_THAT(refusal_of(of_two({lost}, {call_of(8)})), ContainsSubstring("does not exist"));
}

TEST_CASE("uneven counts agree, and do so when they are scaled") {
  const auto exchange = [](std::vector<std::uint64_t> sends, std::vector<std::uint64_t> receives) {
    WorkNode node;
    node.work = WorkKind::collective;
    node.collective = Collective::all_to_all_v;
    node.send_counts = std::move(sends);
    node.receive_counts = std::move(receives);
    node.elements = node.send_counts[0] + node.send_counts[1];
    return node;
  };
  const Workload good = of_two({exchange({3, 101}, {3, 7})}, {exchange({7, 0}, {101, 0})});
  CHECK(refusal_of(good).empty());
  for (const double factor : {0.001, 0.3, 1.0, 2.5}) CHECK(refusal_of(scaled(good, factor)).empty());
  CHECK(scaled(good, 0.001).nodes[0][0].send_counts == std::vector<std::uint64_t>{1, 1});
  CHECK_THAT(refusal_of(of_two({exchange({3, 101}, {3, 7})}, {exchange({8, 0}, {101, 0})})),
             ContainsSubstring("rank 1 sends 8 elements to rank 0, which receives 7"));
}

TEST_CASE("a scaled call divides by its group as before") {
  const Workload workload = scaled(of_two({call_of(1000), call_of(7)}, {call_of(1000), call_of(7)}), 0.0151);
  CHECK(workload.nodes[0][0].elements == 14);
  CHECK(workload.nodes[1][1].elements == 1);
  CHECK(payload_of(workload).most == 60);
  CHECK(payload_of(workload).largest == 56);
}

TEST_CASE("a digest tells workloads that run differently apart, and only these") {
  const Workload one = of_two({call_of(8), message(WorkKind::send, 1, 0, 5)}, {call_of(8), message(WorkKind::receive, 0, 0, 5)});
  const auto differs = [&](const auto& change) {
    Workload other = one;
    change(other);
    return digest_of(other) != digest_of(one);
  };
  CHECK_FALSE(differs([](Workload& w) { w.notes = {"a note"}, w.name = "another", w.nodes[0][0].reason = "a formula"; }));
  CHECK(differs([](Workload& w) { w.nodes[1][0].elements = 9; }));
  CHECK(differs([](Workload& w) { w.nodes[1][0].type = Type::int32; }));
  CHECK(differs([](Workload& w) { w.nodes[1][0].stream = 1; }));
  CHECK(differs([](Workload& w) { w.nodes[0][1].after = {0}; }));
  CHECK(differs([](Workload& w) { w.nodes[0][1].tag = 1; }));
  CHECK(differs([](Workload& w) { std::swap(w.nodes[0], w.nodes[1]); }));
  CHECK(differs([](Workload& w) { w.groups[0].ranks = {1, 0}; }));
  CHECK(differs([](Workload& w) { w.nodes[0].pop_back(); }));
}
