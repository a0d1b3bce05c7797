// Predicted steps: one rank of each stage beside the lists of all ranks; groups that share links, and known answers.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/error.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/predict/calls.hpp"
#include "bench/workload/predict/fold.hpp"
#include "bench/workload/predict/predict_step.hpp"
#include "bench/workload/report/chrome_trace.hpp"
#include "bench/workload/report/read_steps.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::models;
using test::ContainsSubstring;

namespace {

Folded folded_model(const char* name, const Options& options) {
  return folded([&](int rank) {
    Options its = options;
    its.only_rank = rank;
    return make_workload(*find_model(name), its);
  });
}

void expect_near(double a, double b, double share) { CHECK(std::abs(a - b) <= share * std::abs(b)); }
void expect_same(double a, double b) { expect_near(a, b, 1e-9); }

// Two groups of one kind, whose all-reduces have the same size or not.
Workload two_pairs(bool same_size) {
  Workload workload;
  workload.name = "pairs";
  workload.ranks = 4;
  workload.groups = {{"a", "pair", {0, 2}}, {"b", "pair", {1, 3}}};
  workload.nodes.resize(4);
  for (int rank = 0; rank < 4; ++rank) {
    WorkNode node;
    node.work = WorkKind::collective;
    node.name = "call";
    node.group = rank % 2;
    node.op = Op::sum;
    node.elements = same_size || rank % 2 == 0 ? 100'000'000 : 99'999'998;
    workload.nodes[static_cast<std::size_t>(rank)] = {node};
  }
  return workload;
}

}  // namespace

TEST_CASE("one rank of each stage stands for the others: the step is that of all ranks") {
  const unsigned seed = test::thorough() ? std::random_device()() : 28;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto one_of = [&](std::initializer_list<int> values) { return *(values.begin() + random() % values.size()); };
  for (int round = 0; round < (test::thorough() ? 60 : 8); ++round) {
    Options options;
    options.tensor = one_of({1, 2, 4});
    options.pipeline = one_of({1, 2, 4});
    options.data = one_of({1, 2});
    options.context = one_of({1, 2});
    options.layers = 4;
    options.micro_batches = one_of({2, 4});
    options.zero = *options.pipeline > 1 ? one_of({0, 1, 2}) : one_of({0, 1, 2, 3});
    options.micro_batches = *options.pipeline * one_of({1, 2});
    if (*options.pipeline == 2 && one_of({0, 1}) == 1) options.chunks = 2;
    const char* const names[] = {"gpt3-175b", "llama3-8b", "mixtral-8x7b"};
    const char* const name = names[random() % 3];
    test::Cluster cluster;
    cluster.machines = 8;
    cluster.gpus = 4;
    cluster.rails = one_of({0, 1}) == 1;
    cluster.uplink = one_of({10, 50});
    INFO(name << " tensor " << *options.tensor << " pipeline " << *options.pipeline << " data " << *options.data << " context "
              << *options.context << " zero " << *options.zero);
    const topo::Graph graph = test::cluster_graph(cluster);
    const Folded few = folded_model(name, options);
    const Folded all = unfolded(make_workload(*find_model(name), options));
    REQUIRE(few.step.ranks * few.block == all.step.ranks);
    CHECK(few.step.ranks == *options.pipeline);
    const StepRecord a = predict_step(graph, few, {}).result.steps.front();
    const StepRecord b = predict_step(graph, all, {}).result.steps.front();
    expect_same(a.seconds, b.seconds);
    expect_same(a.computing, b.computing);
    expect_same(a.communicating, b.communicating);
    expect_same(a.exposed, b.exposed);
    expect_same(a.alone_communication, b.alone_communication);
    expect_same(a.alone_computation, b.alone_computation);
  }
}

TEST_CASE("groups that make the same call at once share links, and others do not") {
  test::Cluster cluster;
  cluster.machines = 2;
  cluster.gpus = 2;
  cluster.rails = false;
  cluster.leaf_machines = 1;
  cluster.spines = 1;
  cluster.uplink = 50;  // of a leaf, below which two NICs have 50 each
  const topo::Graph graph = test::cluster_graph(cluster);
  const auto seconds = [&](const Workload& workload) {
    return predict_step(graph, unfolded(workload), {}).result.steps.front().seconds;
  };
  const double together = seconds(two_pairs(true)), apart = seconds(two_pairs(false));
  expect_near(together, 2 * apart, 0.01);
}

TEST_CASE("calls of groups that have a rank in common are made one after the other") {
  Workload workload = two_pairs(true);
  workload.groups[1].ranks = {0, 3};
  workload.nodes[0].push_back(workload.nodes[1][0]);
  workload.nodes[1].clear();
  workload.nodes[1].emplace_back();
  const Folded folded = unfolded(workload);
  const Calls calls = calls_of(folded, matches_of(folded.step));
  CHECK(calls.all.size() == 2);
  for (const Together& call : calls.all) CHECK(call.groups.size() == 1);
}

TEST_CASE("turned counts are one call, and other counts another") {
  const Folded all = unfolded(make_workload(*find_model("mixtral-8x7b"), {.ranks = 8, .layers = 4}));
  std::size_t uneven = 0;
  for (const Together& call : calls_of(all, matches_of(all.step)).all) uneven += call.what == Collective::all_to_all_v ? 1 : 0;
  CHECK(uneven == 2);  // dispatch and combine, of all layers
}

TEST_CASE("a timeline that was written is read again beside its workload, and beside no other") {
  const Workload workload = make_workload(*find_model("resnet50"), {.ranks = 2});
  test::Cluster cluster;
  const PredictedStep predicted = predict_step(test::cluster_graph(cluster), unfolded(workload), {});
  std::string name = std::filesystem::temp_directory_path() / "railgauge-beside-XXXXXX";
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  const std::filesystem::path folder = name;
  const std::string path = folder / "step.json";
  std::ofstream(path) << chrome_trace(workload, predicted.result.timeline);
  const RunResult again = read_measured_steps(workload, {path});
  REQUIRE(again.timeline.size() == 2);
  for (std::size_t rank = 0; rank < 2; ++rank)
    for (std::size_t i = 0; i < again.timeline[rank].size(); ++i)
      CHECK(std::abs(again.timeline[rank][i].end - predicted.result.timeline[rank][i].end) < 1.5e-9);  // whole nanoseconds
  const Workload other = make_workload(*find_model("resnet50"), {.ranks = 1});
  CHECK_THROWS_WITH(read_measured_steps(other, {path}), ContainsSubstring("has rank 1"));
  const std::string broken = folder / "broken.json";
  std::ofstream(broken) << "{\"traceEvents\": [{\"ph\": \"X\", \"pid\": -1}]}";
  CHECK_THROWS_AS(read_measured_steps(workload, {broken}), Error);
  const std::string record =
      R"({"step":1,"seconds":1,"computing":0,"communicating":1,"exposed":1,"alone_communication":1,"alone_computation":0})";
  CHECK(read_step_records(record, "a.jsonl").size() == 1);
  std::string negative = record;
  negative.replace(negative.find("\"exposed\":1"), 11, "\"exposed\":-1");
  CHECK_THROWS_WITH(read_step_records(record + "\n" + negative, "a.jsonl"),
                    ContainsSubstring("a.jsonl: line 2: exposed is less than 0"));
  std::filesystem::remove_all(folder);
}
