// Which algorithm is chosen, from measurements and without.
#include "bench/select/choose.hpp"

#include <cmath>
#include <set>

#include "bench/group/host.hpp"
#include "bench/schedule/layout.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

Result measured(const std::string& algorithm, std::uint64_t bytes, double seconds) {
  Result result;
  result.point.collective = "all_reduce";
  result.point.algorithm = algorithm;
  result.point.transport = "shm";
  result.point.ranks = 4;
  result.point.nodes = 1;
  result.point.bytes = bytes;
  result.host.cpu = "a CPU";
  result.summary.median = Seconds(seconds);
  return result;
}

// The same in memory of that kind, of a rank 0 on that device.
Result measured_on(const std::string& memory, const std::string& device, const std::string& algorithm, double seconds) {
  Result result = measured(algorithm, 1024, seconds);
  result.point.device = memory;
  result.versions = {{"railgauge", "0.1.0"}, {device_of_rank_0, device}};
  return result;
}

const Situation here{"shm", 1, "a CPU"};
const Shape four{4, 0, 0, 4};

std::string chosen(const Chooser& chooser, std::uint64_t bytes, const Situation& situation = here, const Shape& shape = four) {
  const Algorithm* algorithm = chooser.choose(Collective::all_reduce, shape, bytes, 4, false, situation);
  return algorithm == nullptr ? "none" : std::string(algorithm->name);
}

}  // namespace

TEST_CASE("choose: the fastest at a measured size, and between sizes where the curves cross") {
  const Chooser chooser({measured("ring", 1024, 4e-6), measured("ring", 1 << 20, 100e-6), measured("one_shot", 1024, 1e-6),
                         measured("one_shot", 1 << 20, 400e-6)});
  CHECK(chosen(chooser, 1024) == "one_shot");
  CHECK(chosen(chooser, 1 << 20) == "ring");
  // Halfway in logarithms both take the same: 20 us.
  CHECK(chosen(chooser, 30 * 1024) == "one_shot");
  CHECK(chosen(chooser, 36 * 1024) == "ring");
  CHECK(chosen(chooser, 0) == "one_shot");
  CHECK(chosen(chooser, std::uint64_t{1} << 40) == "ring");
}

TEST_CASE("choose: figures of other machines, transports, ranks and failed points do not count") {
  const auto modelled = chosen(Chooser(), 1024);
  Result failed = measured("binomial", 1024, 1e-9);
  failed.status = Status::failed;
  Result elsewhere = measured("binomial", 1024, 1e-9);
  elsewhere.host.cpu = "another CPU";
  Result placed = measured("binomial", 1024, 1e-9);
  placed.point.in_place = true;
  REQUIRE(modelled != "binomial");
  for (const Result& result : {failed, elsewhere, placed}) CHECK(chosen(Chooser({result}), 1024) == modelled);
  const Chooser chooser({measured("binomial", 1024, 1e-9)});
  CHECK(chosen(chooser, 1024) == "binomial");
  CHECK(chosen(chooser, 1024, {"ucx", 1, "a CPU"}) != "binomial");
  CHECK(chosen(chooser, 1024, here, {5, 0, 0, 5}) != "binomial");
}

TEST_CASE("choose: figures of memory of one kind and GPU say nothing of another") {
  const Situation on_gpu{"shm", 1, "a CPU", "cuda", "NVIDIA H200"};
  const Chooser chooser({measured("binomial", 1024, 1e-9), measured_on("cuda", "cuda:3 (NVIDIA H200)", "two_shot", 1e-9),
                         measured_on("managed", "cuda:0 (NVIDIA H200)", "ring", 1e-9)});
  REQUIRE(chosen(Chooser(), 1024) != "binomial");
  CHECK(chosen(chooser, 1024) == "binomial");  // also results of before memory of GPUs was told: they have no device
  CHECK(chosen(chooser, 1024, on_gpu) == "two_shot");
  const std::string modelled = chosen(Chooser(), 1024, on_gpu);
  REQUIRE(modelled != "two_shot");
  for (const Situation& other :
       {Situation{"shm", 1, "a CPU", "pinned", "NVIDIA H200"}, Situation{"shm", 1, "a CPU", "cuda", "NVIDIA B200"},
        Situation{"shm", 1, "a CPU", "cuda", ""}, Situation{"shm", 1, "another CPU", "cuda", "NVIDIA H200"}}) {
    CAPTURE(other.memory, other.gpu, other.cpu);
    CHECK(chosen(chooser, 1024, other) == chosen(Chooser(), 1024, other));
  }
}

TEST_CASE("choose: the model of a device is read from its name") {
  const auto model = [](const std::string& memory, const std::string& device) {
    return gpu_of(measured_on(memory, device, "ring", 1));
  };
  CHECK(model("cuda", "cuda:0 (NVIDIA H200)") == "NVIDIA H200");
  CHECK(model("pinned", "cuda:12 (NVIDIA GH200 (96 GB))") == "NVIDIA GH200 (96 GB)");
  CHECK(model("host", "cuda:0 (NVIDIA H200)").empty());
  for (const char* const name : {"", "cuda:0", "cuda:0 (", " ()", "cuda:0 (NVIDIA"}) CHECK(model("cuda", name).empty());
  CHECK(gpu_of(Result{}).empty());
}

TEST_CASE("choose: between GPUs the model pays more for rounds than for bytes, and most where bytes pass through the host") {
  const Shape shape{8, 0, 0, 8};
  for (const char* const transport : {"cuda_ipc", "nccl", "ucx", "verbs", "shm"}) {
    CAPTURE(transport);
    const Situation situation{transport, 1, "", "cuda", ""};
    const auto* small = find_algorithm(Collective::all_reduce, chosen(Chooser(), 8, situation, shape));
    const auto* large = find_algorithm(Collective::all_reduce, chosen(Chooser(), 1 << 28, situation, shape));
    CHECK(small->cost(shape).rounds == 1);
    CHECK(large->cost(shape).bytes < 2);
    // In memory of the host what a kernel reads comes by its link.
    CHECK(expected_time(*large, shape, 1 << 28, transport, "pinned") > expected_time(*large, shape, 1 << 28, transport, "cuda"));
  }
  const auto* ring = find_algorithm(Collective::all_reduce, "ring");
  CHECK(expected_time(*ring, shape, 8, "cuda_ipc", "cuda") < expected_time(*ring, shape, 8, "nccl", "cuda"));
  CHECK(expected_time(*ring, shape, 8, "nccl", "cuda") < expected_time(*ring, shape, 8, "shm", "cuda"));
  CHECK(expected_time(*ring, shape, 8, "shm") < expected_time(*ring, shape, 8, "shm", "cuda"));
}

TEST_CASE("choose: figures of one mode are not compared with those of another, and the default mode's come first") {
  const auto of_broadcast = [](const char* algorithm, const char* mode, double seconds) {
    Result result = measured(algorithm, 1024, seconds);
    result.point.collective = "broadcast";
    result.point.mode = mode;
    return result;
  };
  const auto best = [](const std::vector<Result>& results) {
    return std::string(Chooser(results).choose(Collective::broadcast, four, 1024, 4, false, here)->name);
  };
  const Result fast = of_broadcast("ring", "back-to-back", 1e-9);
  CHECK(best({fast, of_broadcast("binomial", "back-to-back", 1e-6)}) == "ring");
  CHECK(best({fast, of_broadcast("binomial", "isolated", 1e-6), of_broadcast("ring", "isolated", 2e-6)}) == "binomial");
}

TEST_CASE("choose: algorithms are compared within a pass, and most passes decide") {
  // Slow as a whole in any one pass, ring is ahead within each.
  for (int slow = 0; slow < 3; ++slow) {
    std::vector<Result> results;
    for (int pass = 0; pass < 3; ++pass) {
      const double factor = pass == slow ? 5 : 1;
      results.push_back(measured("ring", 1024, factor * 1e-6));
      results.push_back(measured("binomial", 1024, factor * 1.1e-6));
    }
    CHECK(chosen(Chooser(results), 1024) == "ring");
    // Disturbed in that one pass alone, and in it nobody else: it still stands ahead in the two others.
    results[2 * static_cast<std::size_t>(slow)].summary.median = Seconds(9e-6);
    results[2 * static_cast<std::size_t>(slow) + 1].summary.median = Seconds(1.1e-6);
    CHECK(chosen(Chooser(results), 1024) == "ring");
  }
  // One lucky pass does not decide.
  const Chooser lucky({measured("ring", 1024, 2e-6), measured("binomial", 1024, 1.8e-6), measured("ring", 1024, 0.2e-6),
                       measured("binomial", 1024, 1.8e-6), measured("ring", 1024, 2e-6), measured("binomial", 1024, 1.8e-6)});
  CHECK(chosen(lucky, 1024) == "binomial");
}

TEST_CASE("choose: passes that not all algorithms took part in do not count") {
  const Chooser chooser({measured("ring", 1024, 2e-6), measured("binomial", 1024, 3e-6), measured("one_shot", 1024, 1e-6),
                         measured("ring", 1024, 2e-6), measured("binomial", 1024, 3e-6)});
  CHECK(chosen(chooser, 1024) == "one_shot");
}

TEST_CASE("choose: without figures every collective, shape and size has one that can serve, if any can") {
  const Chooser chooser;
  for (const CollectiveRow& collective : collectives())
    for (const int ranks : {1, 2, 3, 7, 8, 100})
      for (const int ranks_per_node : {1, ranks})
        for (const std::uint64_t bytes :
             {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{24}, std::uint64_t{1004}, std::uint64_t{1} << 30}) {
          const Shape shape{ranks, 0, 0, ranks_per_node};
          const Algorithm* algorithm = chooser.choose(collective.collective, shape, bytes, 4, false, {"ucx", 2, ""});
          CAPTURE(collective.name, ranks, bytes);
          if (algorithm == nullptr) {
            for (const Algorithm& other : catalog())
              if (other.collective == collective.collective && !other.equal_blocks) CHECK_FALSE(other.refusal(shape).empty());
            continue;
          }
          CHECK(algorithm->collective == collective.collective);
          CHECK(algorithm->refusal(shape).empty());
          const std::uint64_t elements = used_elements(collective.collective, ranks, bytes / 4);
          if (algorithm->equal_blocks) CHECK(elements % static_cast<std::uint64_t>(ranks) == 0);
        }
}

TEST_CASE("choose: elements, not bytes, must divide where blocks are equal") {
  // 24 bytes divide by 4 ranks, 6 elements do not: whatever is cheapest needs no equal blocks.
  for (const CollectiveRow& collective : collectives())
    if (const Algorithm* const its = Chooser().choose(collective.collective, four, 24, 4, false, here))
      CHECK((!its->equal_blocks || used_elements(collective.collective, 4, 6) != 6));
}

TEST_CASE("choose: the model prefers few rounds for small sizes and few bytes for large ones") {
  const Shape shape{8, 0, 0, 1};
  CHECK(find_algorithm(Collective::all_reduce, chosen(Chooser(), 8, {"ucx", 8, ""}, shape))->cost(shape).rounds <= 3);
  CHECK(find_algorithm(Collective::all_reduce, chosen(Chooser(), 1 << 28, {"ucx", 8, ""}, shape))->cost(shape).bytes < 2);
  const auto* ring = find_algorithm(Collective::all_reduce, "ring");
  double before = 0;
  for (std::uint64_t bytes = 0; bytes < (std::uint64_t{1} << 32); bytes = bytes * 2 + 1) {
    const double now = expected_time(*ring, shape, bytes, "ucx").count();
    CHECK(std::isfinite(now));
    CHECK(now >= before);
    before = now;
  }
}

}  // namespace railgauge
