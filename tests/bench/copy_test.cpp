// Which cells follow from the options, and what a measured cell says.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/copy/matrices.hpp"
#include "bench/copy/measure.hpp"
#include "bench/device/chase.hpp"
#include "bench/device/copy_pattern.hpp"
#include "bench/device/host/numa.hpp"
#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::WithinAbs;

namespace {

// A device whose copies take 1 ms on its own clock, and break as they are told to.
struct Script {
  std::vector<CopyOrder> orders;
  std::vector<ChaseOrder> chases;
  std::string refusal;
  bool staged = false, clock = true, corrupt = false;
  int starts = 0;
};
Script script;

class ScriptedCopy final : public CopyJob {
 public:
  explicit ScriptedCopy(const CopyOrder& order) : order_(order), source_(order.bytes), target_(order.bytes) {
    copy_pattern::fill(source_, copy_pattern::seed_of(false), copy_pattern::right);
  }
  void start() override { ++script.starts; }
  bool test() override {
    target_ = source_;
    if (script.corrupt) target_[order_.bytes - 1] ^= std::byte{1};
    return true;
  }
  void restore() override { copy_pattern::fill(target_, copy_pattern::seed_of(false), copy_pattern::spoilt); }
  [[nodiscard]] std::optional<CopyMistake> check() override {
    auto mistake = copy_pattern::compare(target_, copy_pattern::seed_of(false));
    if (mistake) mistake->back = order_.both_ways;
    return mistake;
  }
  [[nodiscard]] std::optional<Seconds> device_time() override {
    return script.clock ? std::optional(Seconds{1e-3}) : std::nullopt;
  }

 private:
  CopyOrder order_;
  std::vector<std::byte> source_, target_;
};

// A walk whose steps take 500 ns on its device's clock.
class ScriptedChase final : public ChaseJob {
 public:
  explicit ScriptedChase(const ChaseOrder& order) : order_(order) {}
  void start() override { ++script.starts; }
  bool test() override { return true; }
  [[nodiscard]] std::optional<ChaseMistake> check() override {
    return script.corrupt ? std::optional(ChaseMistake{512, 768}) : std::nullopt;
  }
  [[nodiscard]] std::optional<Seconds> device_time() override {
    return script.clock ? std::optional(Seconds{500e-9 * static_cast<double>(order_.steps)}) : std::nullopt;
  }

 private:
  ChaseOrder order_;
};

std::unique_ptr<ChaseJob> chase_scripted(const ChaseOrder& order) {
  if (!script.refusal.empty()) throw Error(Fault::usage, script.refusal);
  script.chases.push_back(order);
  return std::make_unique<ScriptedChase>(order);
}

MadeCopy make_scripted(const CopyOrder& order) {
  if (!script.refusal.empty()) throw Error(Fault::usage, script.refusal);
  script.orders.push_back(order);
  return {std::make_unique<ScriptedCopy>(order), script.staged};
}

const CopyTable gpus{.name = "cuda",
                     .movers = {CopyMover::engine, CopyMover::kernel},
                     .memories = nullptr,
                     .make = make_scripted,
                     .chase = chase_scripted};

// Two NUMA nodes with GPUs 0 and 1 at the first and 2 at the second.
CopyPlaces places_of_a_machine() {
  CopyPlaces found;
  const int first = host::numa_nodes().front().number;
  for (int node = 0; node < 2; ++node)
    found.places.push_back(
        {{.name = "numa" + std::to_string(node), .summary = {}, .keys = {}, .node = first + node, .cache_bytes = 100},
         &host_copies(),
         -1});
  for (int gpu = 0; gpu < 3; ++gpu)
    found.places.push_back({{.name = "cuda:" + std::to_string(gpu),
                             .summary = "GPU " + std::to_string(gpu),
                             .keys = {},
                             .node = first + gpu / 2,
                             .cache_bytes = 2000},
                            &gpus,
                            gpu});
  return found;
}

std::string cells_of(const CopyPlaces& found, const CopyMatrix& matrix) {
  std::string text = matrix.way + " " + matrix.memory + ":";
  for (const CopyCell& cell : matrix.cells)
    text += " " + found.places[cell.from].memory.name + ">" + found.places[cell.to].memory.name;
  return text;
}

std::vector<std::string> texts_of(const CopyOptions& options, const CopyPlaces& found = places_of_a_machine()) {
  std::vector<std::string> texts;
  for (const CopyMatrix& matrix : copy_matrices(options, found)) texts.push_back(cells_of(found, matrix));
  return texts;
}

CopyOptions options(void (*change)(CopyOptions&)) {
  CopyOptions its;
  change(its);
  return its;
}

// One cell, measured alone.
Result measured(const CopyMatrix& matrix, const CopyCell& cell, const Policy& policy) {
  Result result;
  const CopyPlaces found = places_of_a_machine();
  const auto failures =
      run_as_threads(1, Seconds{10}, [&](Group& group) { result = measure_copy(group, found, matrix, cell, policy); });
  if (failures.front()) std::rethrow_exception(failures.front());
  return result;
}

CopyMatrix matrix_of(std::uint64_t bytes) {
  return {.table = &gpus,
          .mover = CopyMover::engine,
          .reads = true,
          .both_ways = false,
          .chase = false,
          .bytes = bytes,
          .way = "engine_read",
          .memory = "cuda",
          .cells = {}};
}

Policy policy_of(std::uint64_t iterations) {
  Policy policy;
  policy.iterations = iterations;
  return policy;
}

}  // namespace

TEST_CASE("copies one way: a matrix for each pair of kinds, engines where there are some") {
  CHECK(texts_of({}) ==
        std::vector<std::string>{
            "kernel_write host: numa0>numa0 numa0>numa1 numa1>numa0 numa1>numa1",
            "kernel_read host: numa0>numa1 numa1>numa0",
            "engine pinned+cuda: numa0>cuda:0 numa0>cuda:1 numa1>cuda:2",
            "engine cuda+pinned: cuda:0>numa0 cuda:1>numa0 cuda:2>numa1",
            "engine_write cuda: cuda:0>cuda:0 cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:0 cuda:1>cuda:1 cuda:1>cuda:2 "
            "cuda:2>cuda:0 cuda:2>cuda:1 cuda:2>cuda:2",
            "engine_read cuda: cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:0 cuda:1>cuda:2 cuda:2>cuda:0 cuda:2>cuda:1",
        });
}

TEST_CASE("copies both ways: each pair once, none within a place") {
  const auto both = options([](CopyOptions& its) {
    its.algorithms = {"two_way"};
    its.ways = {"kernel"};
  });
  CHECK(texts_of(both) == std::vector<std::string>{"kernel_write host: numa0>numa1", "kernel_read host: numa0>numa1",
                                                   "kernel pinned+cuda: numa0>cuda:0 numa0>cuda:1 numa1>cuda:2",
                                                   "kernel_write cuda: cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:2",
                                                   "kernel_read cuda: cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:2"});
  for (const CopyMatrix& matrix : copy_matrices(both, places_of_a_machine())) CHECK(matrix.both_ways);
}

TEST_CASE("chases: GPUs read memory of the host, all read their own kind, and each cell once") {
  const auto chase = options([](CopyOptions& its) {
    its.algorithms = {"chase"};
    its.bytes = {"1K", "3000"};
  });
  const std::vector<std::string> all{
      "kernel_read host: numa0>numa0 numa0>numa1 numa1>numa0 numa1>numa1",
      "kernel pinned+cuda: numa0>cuda:0 numa0>cuda:1 numa1>cuda:2",
      "kernel_read cuda: cuda:0>cuda:0 cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:0 cuda:1>cuda:1 cuda:1>cuda:2 "
      "cuda:2>cuda:0 cuda:2>cuda:1 cuda:2>cuda:2"};
  const CopyPlaces found = places_of_a_machine();
  const std::vector<CopyMatrix> matrices = copy_matrices(chase, found);
  REQUIRE(matrices.size() == 2 * all.size());
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    CHECK(cells_of(found, matrices[i]) == all[i / 2]);
    CHECK(matrices[i].bytes == (i % 2 == 0 ? 1024 : 2048));  // a power of two
    CHECK(matrices[i].chase);
    CHECK(matrices[i].reads);
    CHECK(std::string(algorithm_of(matrices[i])) == "chase");
  }
  CHECK(host_bytes_needed(matrices, found) == 4096);  // who reads has no memory
  CHECK(texts_of(options([](CopyOptions& its) {
          its.algorithms = {"chase"};
          its.from = {"numa1"};
          its.to = {"cuda:0"};
        })) == std::vector<std::string>{"kernel pinned+cuda: numa1>cuda:0"});
  // All: what is too small for a chain is copied alone, and engines follow nothing.
  for (const CopyMatrix& matrix : copy_matrices(options([](CopyOptions& its) {
                                                  its.algorithms = {"all"};
                                                  its.bytes = {"2K", "100", "2000"};
                                                }),
                                                found))
    if (matrix.chase) CHECK((matrix.bytes == 2048 || matrix.bytes == 1024));
  for (const CopyMatrix& matrix : copy_matrices(options([](CopyOptions& its) {
                                                  its.algorithms = {"all"};
                                                  its.ways = {"engine"};
                                                }),
                                                found))
    CHECK_FALSE(matrix.chase);
}

TEST_CASE("places that are named are all that there is, also far from a GPU") {
  CHECK(texts_of(options([](CopyOptions& its) { its.from = {"numa1"}; })) ==
        std::vector<std::string>{"kernel_write host: numa1>numa0 numa1>numa1", "kernel_read host: numa1>numa0",
                                 "engine pinned+cuda: numa1>cuda:0 numa1>cuda:1 numa1>cuda:2"});
  CHECK(texts_of(options([](CopyOptions& its) {
          its.from = {"cuda:0"};
          its.to = {"cuda:2", "numa0"};
        })) == std::vector<std::string>{"engine cuda+pinned: cuda:0>numa0", "engine_write cuda: cuda:0>cuda:2",
                                        "engine_read cuda: cuda:0>cuda:2"});
  CHECK(texts_of(options([](CopyOptions& its) {
          its.gpus = {2};
          its.ways = {"engine"};
        })) == std::vector<std::string>{"engine pinned+cuda: numa1>cuda:2", "engine cuda+pinned: cuda:2>numa1",
                                        "engine_write cuda: cuda:2>cuda:2"});
  // Both ways, a pair counts whichever of its ends was named first.
  CHECK(texts_of(options([](CopyOptions& its) {
          its.from = {"cuda:2"};
          its.to = {"cuda:0", "numa1"};
          its.algorithms = {"two_way"};
        })) == std::vector<std::string>{"engine pinned+cuda: numa1>cuda:2", "engine_write cuda: cuda:0>cuda:2",
                                        "engine_read cuda: cuda:0>cuda:2"});
}

TEST_CASE("a GPU whose node is not known is near to all") {
  CopyPlaces found = places_of_a_machine();
  for (CopyPlace& one : found.places)
    if (!one.host()) one.memory.node = -1;
  CHECK(texts_of(options([](CopyOptions& its) { its.to = {"cuda:1"}; }), found).front() ==
        "engine pinned+cuda: numa0>cuda:1 numa1>cuda:1");
}

TEST_CASE("each size and way is a matrix, and the largest says what the host must have") {
  const auto many = options([](CopyOptions& its) {
    its.to = {"cuda:0"};
    its.from = {"numa0"};
    its.ways = its.algorithms = {"all"};
    its.bytes = {"1", "8192:16K"};
  });
  const CopyPlaces found = places_of_a_machine();
  const std::vector<CopyMatrix> matrices = copy_matrices(many, found);
  REQUIRE(matrices.size() == 2 * 2 * 3 + 2);  // a chase has one way, and none through a byte
  std::set<std::string> different;
  for (const CopyMatrix& matrix : matrices)
    different.insert(cells_of(found, matrix) + std::to_string(matrix.bytes) + algorithm_of(matrix));
  CHECK(different.size() == matrices.size());
  CHECK(host_bytes_needed(matrices, found) == 2 * 16384);
  CHECK(host_bytes_needed(copy_matrices(options([](CopyOptions& its) { its.bytes = {"1"}; }), found), found) == 2 * 4096);
}

TEST_CASE("what cannot be copied is refused with what there is") {
  const auto refusal = [](void (*change)(CopyOptions&), const CopyPlaces& found) -> std::string {
    try {
      (void)copy_matrices(options(change), found);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      return error.what();
    }
    return "no error";
  };
  CopyPlaces host_only;
  host_only.places.push_back(places_of_a_machine().places.front());
  host_only.missing = {"cuda is unavailable: no driver"};
  const CopyPlaces all = places_of_a_machine();
  CHECK(refusal([](CopyOptions& its) { its.from = {"cuda:0"}; }, host_only) ==
        "--from cuda:0: there is no such place here, only numa0; cuda is unavailable: no driver");
  CHECK_THAT(refusal([](CopyOptions& its) { its.to = {"numa7"}; }, all), ContainsSubstring("--to numa7: there is no such place"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.gpus = {3}; }, all), ContainsSubstring("--gpu 3: there is no such GPU"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.ways = {"engine"}; }, host_only),
             ContainsSubstring("--way engine: only GPUs have copy engines") && ContainsSubstring("no driver"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.ways = {"horse"}; }, all),
             ContainsSubstring("--way horse is unknown: choose from engine, kernel, all"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.algorithms = {"both"}; }, all),
             ContainsSubstring("--algorithm both is unknown: choose from one_way, two_way, chase, all"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.algorithms = {"two_way"}; }, host_only),
             ContainsSubstring("two_way copies between two places"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.bytes = {"0"}; }, all), ContainsSubstring("at least 1 byte"));
  CHECK(refusal([](CopyOptions& its) { its.algorithms = {"chase"}, its.bytes = {"4K", "1023"}; }, all) ==
        "--bytes 1023: --algorithm chase goes through at least 1 KiB");
  CHECK_THAT(refusal([](CopyOptions& its) { its.algorithms = {"chase"}, its.ways = {"engine"}; }, all),
             ContainsSubstring("chase is done by kernels"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.gpus = {0}, its.from = {"cuda:1"}; }, all), ContainsSubstring("nothing to copy"));
}

TEST_CASE("a cell has the times of the device's own clock, and the host's beside them") {
  script = {};
  const Result result = measured(matrix_of(1 << 20), {2, 4}, policy_of(1024));
  CHECK(result.status == Status::ok);
  CHECK(result.reason.empty());
  CHECK(result.point.collective == "copy");
  CHECK(result.point.algorithm == "one_way");
  CHECK(result.point.transport == "engine_read");
  CHECK(result.point.device == "cuda");
  CHECK(result.point.path == "direct");
  CHECK(result.point.ranks == 5);
  CHECK(result.point.from == 2);
  CHECK(result.point.to == 4);
  CHECK(result.point.from_node == "cuda:0");
  CHECK(result.point.to_node == "cuda:2");
  CHECK(result.point.bytes == 1 << 20);
  REQUIRE(script.orders.size() == 1);
  CHECK(script.orders.front().from.device == 0);
  CHECK(script.orders.front().to.device == 2);
  CHECK(script.orders.front().reads);
  CHECK(script.orders.front().copies == 64);
  CHECK(result.summary.samples == 16);  // of 64 copies each
  CHECK(result.summary.batch == 64);
  CHECK(result.summary.cache == "cold");
  CHECK(result.summary.checked > 0);
  CHECK_THAT(result.summary.median.count(), WithinAbs(1e-3 / 64, 1e-12));
  CHECK_THAT(result.summary.busbw, WithinAbs((1 << 20) / 1e9 / (1e-3 / 64), 1e-6));
  CHECK(result.summary.algbw == result.summary.busbw);
  CHECK(result.samples.size() == 16);
  CHECK(result.host_samples.size() == 16);
  std::map<std::string, std::string> versions(result.versions.begin(), result.versions.end());
  CHECK(versions["cuda:0"] == "GPU 0");
  CHECK(versions["cuda:2"] == "GPU 2");
}

CopyMatrix chase_of(std::uint64_t bytes) {
  CopyMatrix matrix = matrix_of(bytes);
  matrix.mover = CopyMover::kernel;
  matrix.chase = true;
  matrix.way = "kernel_read";
  return matrix;
}

TEST_CASE("a chase has the time of a load, and no bandwidth") {
  script = {};
  Result result = measured(chase_of(8192), {2, 4}, policy_of(16 * 4097));
  CHECK(result.status == Status::ok);
  CHECK(result.point.collective == "copy");
  CHECK(result.point.algorithm == "chase");
  CHECK(result.point.transport == "kernel_read");
  CHECK(result.point.from_node == "cuda:0");
  CHECK(result.point.to_node == "cuda:2");
  REQUIRE(script.chases.size() == 1);
  CHECK(script.chases.front().memory.device == 0);
  CHECK(script.chases.front().reader.device == 2);
  CHECK(script.chases.front().bytes == 8192);
  CHECK(script.chases.front().steps % 2 == 1);
  CHECK(result.summary.batch == script.chases.front().steps);
  CHECK(result.summary.samples == 16);
  CHECK(result.summary.cache == "cold");
  CHECK(result.host_samples.size() == 16);
  CHECK_THAT(result.summary.median.count(), WithinAbs(500e-9, 1e-15));
  CHECK(result.summary.busbw == 0);
  CHECK(result.summary.algbw == 0);
  CHECK(measured(chase_of(2048), {2, 4}, policy_of(1)).summary.cache == "warm");  // twice the cache is 4000
  script.refusal = "cuda:2 cannot reach cuda:0";
  result = measured(chase_of(8192), {2, 4}, policy_of(1));
  CHECK(result.status == Status::skipped);
  CHECK(result.reason == script.refusal);
}

TEST_CASE("a chase of a GPU through memory of the host, and of a core of the host") {
  script = {};
  const int node = host::numa_nodes().front().number;
  (void)measured(chase_of(8192), {0, 3}, policy_of(1));
  REQUIRE(script.chases.size() == 1);
  CHECK(script.chases.front().memory.device == -1);
  CHECK(script.chases.front().memory.node == node);
  CHECK(script.chases.front().memory.host.size() == 8192);
  CHECK(script.chases.front().reader.device == 1);
  CopyMatrix within_host = chase_of(1 << 20);
  within_host.table = &host_copies();
  within_host.memory = "host";
  const Result result = measured(within_host, {0, 0}, policy_of(100'000));
  CHECK(result.status == Status::ok);
  CHECK(result.summary.median.count() > 0);
  CHECK(result.host_samples.empty());
}

TEST_CASE("a chase that ends elsewhere is wrong data") {
  script = {};
  script.corrupt = true;
  const Result result = measured(chase_of(4096), {2, 4}, policy_of(1'000'000));
  CHECK(result.status == Status::wrong);
  CHECK(result.reason == "cuda:2 followed pointers in memory of cuda:0 to byte 768, and byte 512 is where they lead");
  CHECK(script.starts < 1000);
}

TEST_CASE("both ways count twice, and small copies are warm") {
  script = {};
  CopyMatrix matrix = matrix_of(1000);
  matrix.both_ways = true;
  const Result result = measured(matrix, {2, 3}, policy_of(1));
  CHECK(result.point.algorithm == "two_way");
  CHECK(result.summary.cache == "warm");
  CHECK_THAT(result.summary.algbw, WithinAbs(2 * result.summary.busbw, 1e-12));
  CHECK(script.orders.front().both_ways);
}

TEST_CASE("without a clock of the device it is the host's") {
  script = {};
  script.clock = false;
  const Result result = measured(matrix_of(64), {2, 4}, policy_of(64));
  CHECK(result.summary.samples > 0);
  CHECK(result.host_samples.empty());
  CHECK(result.summary.median.count() < 1e-3);
}

TEST_CASE("wrong data is named with place, byte and values; nothing is measured on") {
  script = {};
  script.corrupt = true;
  CopyMatrix matrix = matrix_of(300);
  Result result = measured(matrix, {2, 4}, policy_of(1'000'000));
  CHECK(result.status == Status::wrong);
  CHECK(result.summary.wrong >= 1);
  const std::byte expected = copy_pattern::byte_of(copy_pattern::seed_of(false), 299);
  const auto text = [](std::byte byte) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "0x%02x", std::to_integer<unsigned>(byte));
    return std::string(digits);
  };
  CHECK(result.reason == "1 of 300 bytes that were copied to cuda:2 are wrong; the first is byte 299: expected " +
                             text(expected) + ", got " + text(expected ^ std::byte{1}));
  CHECK(script.starts < 1000);
  matrix.both_ways = true;
  result = measured(matrix, {2, 4}, policy_of(10));
  CHECK_THAT(result.reason, ContainsSubstring("copied to cuda:0 are wrong"));
}

TEST_CASE("what a device refuses is skipped with its sentence; a way through the host is said") {
  script = {};
  script.refusal = "cudaMalloc of 1 MiB on cuda:2: out of memory";
  const Result refused = measured(matrix_of(1 << 20), {2, 4}, policy_of(1));
  CHECK(refused.status == Status::skipped);
  CHECK(refused.reason == script.refusal);
  CHECK(refused.summary.samples == 0);
  script = {};
  script.staged = true;
  CHECK(measured(matrix_of(64), {2, 4}, policy_of(1)).point.path == "staged");
}

TEST_CASE("memory of the host is given to the device, one buffer for each way") {
  script = {};
  CopyMatrix matrix = matrix_of(5000);
  matrix.both_ways = true;
  const int node = host::numa_nodes().front().number;
  (void)measured(matrix, {0, 2}, policy_of(1));
  REQUIRE(script.orders.size() == 1);
  CHECK(script.orders.front().from.device == -1);
  CHECK(script.orders.front().from.node == node);
  CHECK(script.orders.front().from.host.size() == 2 * 8192);
  CHECK(script.orders.front().to.host.empty());
}
