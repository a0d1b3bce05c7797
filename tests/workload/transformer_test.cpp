// Transformers beside the published numbers of their parameters, and beside sums of their calls that are made another way.
#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "bench/workload/consistency.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/models/pipeline.hpp"
#include "bench/workload/models/transformer.hpp"
#include "bench/workload/models/uneven.hpp"
#include "bench/workload/replay.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::models;
using test::ContainsSubstring;

namespace {

Workload model_step(const char* name, const Options& options) { return make_workload(*find_model(name), options); }

struct Sum {
  std::uint64_t calls = 0, bytes = 0;
  friend bool operator==(const Sum&, const Sum&) = default;
};

// Of one rank, of one collective in groups of one kind.
Sum sum_of(const Workload& workload, int rank, const std::string& kind, Collective collective) {
  Sum sum;
  for (const WorkNode& node : workload.nodes[static_cast<std::size_t>(rank)]) {
    if (node.work != WorkKind::collective || node.collective != collective) continue;
    if (workload.groups[static_cast<std::size_t>(node.group)].kind != kind) continue;
    ++sum.calls;
    sum.bytes += node.bytes();
  }
  return sum;
}

Sum messages_of(const Workload& workload, int rank, WorkKind work) {
  Sum sum;
  for (const WorkNode& node : workload.nodes[static_cast<std::size_t>(rank)])
    if (node.work == work) {
      ++sum.calls;
      sum.bytes += node.bytes();
    }
  return sum;
}

double flops_of(const Workload& workload) {
  double sum = 0;
  for (const auto& nodes : workload.nodes)
    for (const WorkNode& node : nodes) sum += node.flops;
  return sum;
}

void expect_runs(const Workload& workload) {
  expect_consistent(workload);
  const Timeline timeline =
      replay(workload, matches_of(workload),
             {[&](int rank, std::uint32_t node) { return workload.nodes[static_cast<std::size_t>(rank)][node].duration.count(); },
              [](const Match&) { return 1e-6; }});
  CHECK(length_of(timeline) > 0);
}

}  // namespace

TEST_CASE("parameters are those that were published") {
  CHECK(parameters(*find_shape("gpt3-175b")) == 174'604'259'328);
  CHECK(parameters(*find_shape("llama3-8b")) == 8'030'261'248);
  CHECK(parameters(*find_shape("llama3-70b")) == 70'553'706'496);
  CHECK(parameters(*find_shape("llama3-405b")) == 405'853'388'800);
  CHECK(parameters(*find_shape("mixtral-8x7b")) == 46'702'792'704);
  CHECK(std::abs(static_cast<double>(parameters(*find_shape("deepseek-v3"))) / 671e9 - 1) < 1e-3);
}

TEST_CASE("tensor parallelism: 6 all-gathers and 4 reduce-scatters a layer and micro-batch") {
  for (const int layers : {1, 3}) {
    for (const int micro_batches : {1, 2}) {
      const Workload workload =
          model_step("llama3-8b", {.data = 1, .tensor = 2, .micro_batches = micro_batches, .zero = 0, .layers = layers});
      const auto l = static_cast<std::uint64_t>(layers), m = static_cast<std::uint64_t>(micro_batches);
      const std::uint64_t call = 67'108'864;  // b s h in bfloat16
      // Embedding: scatter forward, gather backward; logits: gather forward; gather and scatter backward.
      CHECK(sum_of(workload, 1, "tensor", Collective::all_gather) == Sum{m * (6 * l + 3), m * (6 * l + 3) * call});
      CHECK(sum_of(workload, 1, "tensor", Collective::reduce_scatter) == Sum{m * (4 * l + 2), m * (4 * l + 2) * call});
      CHECK(sum_of(workload, 1, "tensor", Collective::all_reduce) == Sum{m * 2, m * 2 * 8192 * 4});
      expect_runs(workload);
    }
  }
}

TEST_CASE("FSDP: two all-gathers and a reduce-scatter of each layer and micro-batch") {
  const Workload workload = model_step("llama3-8b", {.ranks = 4, .micro_batches = 2, .layers = 5, .gradients = Type::bfloat16});
  const std::uint64_t layer = 436'224'000;  // published: one layer in bfloat16
  const std::uint64_t ends = 2 * (2 * 128'256UL * 4096 + 4096);
  CHECK(sum_of(workload, 3, "data", Collective::all_gather) == Sum{2 * 2 * 7, 2 * 2 * (5 * layer + ends)});
  CHECK(sum_of(workload, 3, "data", Collective::reduce_scatter) == Sum{2 * 7, 2 * (5 * layer + ends)});
  CHECK(sum_of(workload, 3, "data", Collective::all_reduce) == Sum{});
  expect_runs(workload);
}

TEST_CASE("data parallelism reduces every parameter of a rank once a step, whatever the ZeRO stage") {
  for (const int zero : {0, 1}) {
    CAPTURE(zero);
    const Workload workload =
        model_step("gpt3-175b", {.data = 2, .tensor = 4, .pipeline = 2, .micro_batches = 3, .zero = zero, .layers = 4});
    REQUIRE(workload.ranks == 16);
    std::uint64_t sum = 0;
    for (int rank = 0; rank < workload.ranks; ++rank)
      sum += sum_of(workload, rank, "data", zero == 0 ? Collective::all_reduce : Collective::reduce_scatter).bytes;
    // Weights are divided by the tensor ranks; norms and positions are on each of them, the tied embedding on both ends.
    const std::uint64_t h = 12288, v = 50257;
    const std::uint64_t divided = 4 * (12 * h * h + 9 * h) + 2 * v * h, copied = 4 * 4 * h + 2048 * h + 2 * h;
    CHECK(sum / 4 / 2 == divided + 4 * copied);
    const std::uint64_t gathered = [&] {
      std::uint64_t all = 0;
      for (int rank = 0; rank < workload.ranks; ++rank) all += sum_of(workload, rank, "data", Collective::all_gather).bytes;
      return all;
    }();
    CHECK(gathered == (zero == 0 ? 0 : 2 * 2 * (divided + 4 * copied)));
    CHECK(sum_of(workload, 0, "embedding", Collective::all_reduce) == Sum{1, v * h / 4 * 4});
    expect_runs(workload);
  }
}

TEST_CASE("a pipeline passes each micro-batch over each boundary, forward and back") {
  for (const int chunks : {1, 2}) {
    const Workload workload =
        model_step("llama3-70b", {.data = 1, .tensor = 2, .pipeline = 4, .chunks = chunks, .micro_batches = 8, .layers = 8});
    const std::uint64_t message = 134'217'728 / 2;
    const auto boundaries = static_cast<std::uint64_t>(4 * chunks - 1);
    Sum sent, received;
    for (int rank = 0; rank < workload.ranks; ++rank) {
      const Sum out = messages_of(workload, rank, WorkKind::send), in = messages_of(workload, rank, WorkKind::receive);
      sent = {sent.calls + out.calls, sent.bytes + out.bytes};
      received = {received.calls + in.calls, received.bytes + in.bytes};
    }
    CHECK(sent == Sum{2 * 2 * 8 * boundaries, 2 * 2 * 8 * boundaries * message});
    CHECK(received == sent);
    expect_runs(workload);
  }
}

TEST_CASE("1F1B idles for the bubble that its formula has, and interleaving divides it") {
  for (const int stages : {2, 4}) {
    for (const int chunks : {1, 2}) {
      const int micro_batches = 4 * stages;
      Workload workload = model_step("llama3-70b", {.data = 1,
                                                    .tensor = 1,
                                                    .pipeline = stages,
                                                    .chunks = chunks,
                                                    .micro_batches = micro_batches,
                                                    .layers = stages * chunks});
      // Each forward pass of a chunk takes 1, each backward 2.
      for (auto& nodes : workload.nodes) {
        for (WorkNode& node : nodes)
          if (node.work == WorkKind::compute) {
            const bool attends = node.name.find("attention") != std::string::npos;
            node.duration = Seconds(attends ? (node.name.find("forward") == 0 ? 1 : 2) : 0);
          }
      }
      const double length = length_of(replay(
          workload, matches_of(workload),
          {[&](int rank, std::uint32_t node) { return workload.nodes[static_cast<std::size_t>(rank)][node].duration.count(); },
           [](const Match&) { return 0.0; }}));
      CAPTURE(stages, chunks);
      CHECK(length == Approx(3.0 * micro_batches * chunks + 3.0 * (stages - 1)));
    }
  }
}

TEST_CASE("each pass is made once, and a backward pass after its forward") {
  for (int stages = 1; stages <= 5; ++stages)
    for (int chunks = 1; chunks <= (stages == 1 ? 1 : 3); ++chunks)
      for (int micro_batches = stages; micro_batches <= 3 * stages; micro_batches += stages)
        for (int stage = 0; stage < stages; ++stage) {
          std::map<std::pair<int, int>, int> state;
          const auto passes = passes_of(stage, stages, micro_batches, chunks);
          CHECK(passes.size() == static_cast<std::size_t>(2 * micro_batches * chunks));
          for (const Pass& pass : passes) CHECK(state[{pass.micro_batch, pass.chunk}]++ == (pass.forward ? 0 : 1));
        }
}

TEST_CASE("experts: dispatch and combine, forward and backward, with the published bytes") {
  const Workload mixtral = model_step("mixtral-8x7b", {.ranks = 8, .micro_batches = 1, .layers = 3});
  CHECK(sum_of(mixtral, 5, "expert", Collective::all_to_all_v).calls == 4 * 3);
  // What a rank gives away in dispatches is 4096 tokens x 2 experts x h, however uneven; others come back.
  std::uint64_t together = 0;
  for (int rank = 0; rank < 8; ++rank) together += sum_of(mixtral, rank, "expert", Collective::all_to_all_v).bytes;
  CHECK(together == 8 * 4 * 3 * 67'108'864UL);
  expect_runs(mixtral);

  const Workload deepseek = model_step("deepseek-v3", {.data = 8, .pipeline = 1, .expert = 8, .micro_batches = 1, .layers = 4});
  std::uint64_t dispatched = 0, combined = 0;
  for (const WorkNode& node : deepseek.nodes[0]) {
    if (node.work != WorkKind::collective || node.collective != Collective::all_to_all_v) continue;
    (node.type == Type::float8_e4m3 ? dispatched : combined) += 1;
    if (node.type == Type::float8_e4m3) CHECK(node.bytes() == 4096UL * 8 * 7168);  // 234.9 MB
  }
  CHECK(dispatched == 1);  // three layers are dense
  CHECK(combined == 3);
  expect_runs(deepseek);
}

TEST_CASE("uneven counts: sums are exact, the largest share is as asked, and both ends agree") {
  for (const double imbalance : {1.0, 1.2, 2.0})
    for (const int ranks : {1, 2, 3, 8, 64})
      for (const int turn : {0, 5}) {
        std::uint64_t largest = 0;
        for (int me = 0; me < ranks; ++me) {
          const UnevenCounts mine = uneven_counts(8192, ranks, me, turn, imbalance);
          CHECK(std::accumulate(mine.sends.begin(), mine.sends.end(), std::uint64_t{0}) == 8192);
          for (int peer = 0; peer < ranks; ++peer)
            CHECK(mine.sends[static_cast<std::size_t>(peer)] ==
                  uneven_counts(8192, ranks, peer, turn, imbalance).receives[static_cast<std::size_t>(me)]);
          largest = *std::max_element(mine.sends.begin(), mine.sends.end());
        }
        CHECK(std::abs(static_cast<double>(largest) - (ranks == 1 ? 1 : imbalance) * 8192.0 / ranks) <= 1);
      }
}

TEST_CASE("computations add up to 6 N tokens and causal attention") {
  const models::Shape& shape = *find_shape("llama3-8b");
  const Workload workload = model_step("llama3-8b", {.data = 2, .tensor = 2, .pipeline = 2, .micro_batches = 2, .zero = 0});
  const double tokens = workload.items_per_step;
  CHECK(tokens == 2.0 * 2 * 8192);
  const auto n =
      static_cast<double>(parameters(shape) - shape.vocabulary * shape.hidden - 65 * shape.hidden);  // matrices that multiply
  const double expected = 6 * n * tokens + 6.0 * 32 * 4096 * 8192 * tokens;
  CHECK(flops_of(workload) == Approx(expected).epsilon(1e-6));
}

TEST_CASE("every model fits most numbers of ranks, or says in one sentence why not") {
  const int most = test::thorough() ? 33 : 9;
  for (const models::Model& model : models::models()) {
    int refused = 0;
    for (int ranks = 1; ranks <= most; ++ranks) {
      CAPTURE(model.name, ranks);
      Options options{.ranks = ranks};
      if (find_shape(model.name) != nullptr) {
        options.layers = 8;
        options.micro_batches = 2;
      }
      try {
        const Workload workload = make_workload(model, options);
        CHECK(workload.ranks == ranks);
        expect_runs(workload);
      } catch (const Error& error) {
        CHECK(error.fault() == Fault::usage);
        ++refused;
      }
    }
    CHECK(refused <= most / 3);
  }
}

TEST_CASE("the steps that were published: 16,384 ranks, one list") {
  const Workload workload = model_step("llama3-405b", {.only_rank = 0});
  CHECK(workload.ranks == 16'384);
  CHECK(workload.items_per_step == 16.0 * (1 << 20));
  CHECK(workload.nodes[0].size() > 100);
  CHECK(workload.nodes[1].empty());
}

TEST_CASE("options that do not fit are refused by name") {
  const auto refusal = [](const char* name, const Options& options) {
    try {
      (void)model_step(name, options);
    } catch (const Error& error) { return std::string(error.what()); }
    return std::string("accepted");
  };
  CHECK_THAT(refusal("llama3-8b", {.ranks = 6, .tensor = 4}), ContainsSubstring("--ranks 6"));
  CHECK_THAT(refusal("llama3-8b", {.tensor = 3}), ContainsSubstring("heads"));
  CHECK_THAT(refusal("llama3-8b", {.expert = 2}), ContainsSubstring("no experts"));
  CHECK_THAT(refusal("llama3-8b", {.pipeline = 8, .layers = 4}), ContainsSubstring("do not suffice"));
  CHECK_THAT(refusal("llama3-70b", {.pipeline = 4, .chunks = 2, .micro_batches = 6}), ContainsSubstring("multiple"));
  CHECK_THAT(refusal("mixtral-8x7b", {.data = 6, .expert = 4}), ContainsSubstring("does not divide"));
  CHECK_THAT(refusal("resnet50", {.tensor = 2}), ContainsSubstring("data parallel"));
  CHECK_THAT(refusal("dlrm", {.pipeline = 2}), ContainsSubstring("leave out"));
  CHECK_THAT(refusal("llama3-8b", {.ranks = 1 << 20, .tensor = 1 << 20, .pipeline = 1 << 20}), ContainsSubstring("1,048,576"));
  CHECK_THAT(refusal("llama3-8b", {.imbalance = 3}), ContainsSubstring("--imbalance"));
}
