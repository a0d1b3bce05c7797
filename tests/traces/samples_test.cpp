// Traces from elsewhere (shared/fixtures/workloads): each is read, with the calls that its index says.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/workload/agree.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/read/read.hpp"
#include "bench/workload/replay.hpp"
#include "bench/workload/subset.hpp"
#include "tests/test.hpp"
#include "tests/traces/made.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

const std::filesystem::path folder = std::filesystem::path(RAILGAUGE_FIXTURES) / "workloads";

Workload sample(const std::string& name, int ranks = 0) {
  if (!std::filesystem::exists(folder)) skip("the folder of samples is not there: " + folder.string());
  const std::vector<std::string> paths = {(folder / name).string()};
  return read_workload(paths, ranks);
}

std::size_t number_of(const std::vector<std::string>& calls, const std::string& begin) {
  return static_cast<std::size_t>(
      std::count_if(calls.begin(), calls.end(), [&](const std::string& call) { return call.starts_with(begin); }));
}

const std::vector<std::string> buckets = {"all_reduce 2049000 float32", "all_reduce 7875584 float32",
                                          "all_reduce 6563840 float32", "all_reduce 6637568 float32",
                                          "all_reduce 2431040 float32"};
const std::vector<std::string> buffers = {"broadcast 53120 float32 0", "broadcast 53 int64 0"};

std::vector<std::string> steps_of_resnet50(int steps) {
  std::vector<std::string> calls;
  for (int step = 0; step < steps; ++step)
    for (const auto* const part : {&buffers, &buckets}) calls.insert(calls.end(), part->begin(), part->end());
  return calls;
}

}  // namespace

TEST_CASE("samples: PyTorch's execution trace of ResNet-50 has three steps of two broadcasts and five buckets", "[long]") {
  const Workload workload = sample("param-resnet50-ddp-2gpu-rank1.et.json.gz");
  CHECK(workload.ranks == 2);
  CHECK(workload.steps == 3);
  CHECK(ranks_without_trace(workload) == std::vector<int>{0});
  CHECK(calls_of(workload, 1) == steps_of_resnet50(3));
  const Workload both = filled(workload);
  CHECK(calls_of(both, 0) == calls_of(both, 1));
}

TEST_CASE("samples: Kineto's trace of the same job has the same calls, and the time between them") {
  const Workload workload = sample("hta-kineto-resnet50-2gpu-rank0-comm-events.json");
  CHECK(workload.ranks == 2);
  CHECK(workload.steps == 3);
  CHECK(calls_of(workload, 0) == steps_of_resnet50(3));
  double computed = 0;
  for (const WorkNode& node : workload.nodes[0]) computed += node.duration.count();
  CHECK(computed > 0.5);  // of 661 ms, beside 47 ms a step in all-reduces
  CHECK(computed < 0.661);
}

TEST_CASE("samples: Chakra's trace of ResNet-50 keeps the seven calls of the device, of 21 marked nodes") {
  const Workload workload = sample("chakra-resnet50.0.et.tar.gz", 2);
  CHECK(calls_of(workload, 0) == steps_of_resnet50(1));
  CHECK(workload.nodes[0].size() == 3664);
  CHECK(calls_of(filled(workload), 1) == steps_of_resnet50(1));
}

TEST_CASE("samples: DLRM on 8 ranks, of whom each sends other counts", "[long]") {
  const Workload workload = sample("param-dlrm-8gpu.et.tar.gz");
  CHECK(workload.ranks == 8);
  CHECK(ranks_without_trace(workload).empty());
  for (int rank = 0; rank < 8; ++rank) {
    const std::vector<std::string> calls = calls_of(workload, rank);
    CHECK(number_of(calls, "all_to_all_v") == 4);
    CHECK(number_of(calls, "all_to_all ") == 1);
    CHECK(number_of(calls, "all_reduce") == 3);
  }
  const auto uneven = std::find_if(workload.nodes[1].begin(), workload.nodes[1].end(),
                                   [](const WorkNode& node) { return node.elements == 3392; });
  REQUIRE(uneven != workload.nodes[1].end());
  CHECK(uneven->send_counts == std::vector<std::uint64_t>{96, 224, 288, 1664, 592, 96, 192, 240});
  const Workload four = subset(workload, 4);
  CHECK(four.ranks == 4);
  CHECK_NOTHROW(expect_agreement(four));
}

TEST_CASE("samples: all-gathers of the host trace count the whole output") {
  const Workload workload = sample("chakra-host-1.0.2.json.tgz");
  CHECK(workload.ranks == 2);
  CHECK(calls_of(workload, 0) == std::vector<std::string>(10, "all_gather 2 float32"));
}

TEST_CASE("samples: ASTRA-sim's all-reduce says no number of ranks, which can be given") {
  CHECK(sample("astra-allreduce-8npus-1mb.0.et").ranks == 1);
  const Workload workload = filled(sample("astra-allreduce-8npus-1mb.0.et", 8));
  CHECK(workload.ranks == 8);
  for (int rank = 0; rank < 8; ++rank) CHECK(calls_of(workload, rank) == std::vector<std::string>{"all_reduce 262144 float32"});
}

TEST_CASE("samples: ASTRA-sim's ring of messages closes when all ranks do as rank 0") {
  const Workload workload = sample("astra-custom-ring-allreduce-8npus-1mb.0.et");
  CHECK(workload.ranks == 8);
  CHECK(number_of(calls_of(workload, 0), "send 32768 float32 to 1") == 14);
  CHECK(number_of(calls_of(workload, 0), "receive 32768 float32 from 7") == 14);
  const Workload ring = filled(workload);
  CHECK(number_of(calls_of(ring, 5), "send 32768 float32 to 6") == 14);
  CHECK_NOTHROW(expect_agreement(ring));
  CHECK_NOTHROW(replay(ring, matches_of(ring), {[](int, std::uint32_t) { return 0.0; }, [](const Match&) { return 1.0; }}));
  CHECK_THROWS_WITH(subset(ring, 4), ContainsSubstring("needs rank 7 of group all, which is not among those that are left"));
}

TEST_CASE("samples: SimAI's 9216 ranks, and eight of them") {
  const Workload workload = sample("simai-workload-moe-tp2-ep16-pp12.txt");
  CHECK(workload.ranks == 9216);
  const std::vector<std::string> calls = calls_of(workload, 0);
  // Columns that are not NONE: 1,752 forward, 1,753 of input gradients, 4 of weight gradients; some of 0 bytes.
  CHECK(calls.size() == 408 + 384 + 384 + 384 + 192 + 31 + 408 + 384 + 384 + 384 + 192 + 1 + 4);
  const auto of = [&](const std::string& kind) {
    const auto group =
        std::find_if(workload.groups.begin(), workload.groups.end(), [&](const ProcessGroup& one) { return one.kind == kind; });
    REQUIRE(group != workload.groups.end());
    return group->ranks;
  };
  CHECK(of("tensor") == std::vector<int>{0, 1});
  CHECK(of("expert").size() == 16);
  CHECK(of("data").size() == 384);
  CHECK(of("data of experts").size() == 24);
  const Workload eight = filled(subset(workload, 8));
  CHECK(ranks_without_trace(eight).empty());
  CHECK(calls_of(eight, 7) == calls_of(eight, 0));
}
