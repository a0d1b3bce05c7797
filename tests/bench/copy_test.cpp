// Which cells follow from the options, what a measured cell says, and what the links of recorded machines allow.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/copy/expected.hpp"
#include "bench/copy/matrices.hpp"
#include "bench/copy/measure.hpp"
#include "bench/device/copy_pattern.hpp"
#include "bench/device/host/numa.hpp"
#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"
#include "topo/build.hpp"
#include "topo/evidence/evidence.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::WithinAbs;

namespace {

// A device whose copies take 1 ms on its own clock, and break as they are told to.
struct Script {
  std::vector<CopyOrder> orders;
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

MadeCopy make_scripted(const CopyOrder& order) {
  if (!script.refusal.empty()) throw Error(Fault::usage, script.refusal);
  script.orders.push_back(order);
  return {std::make_unique<ScriptedCopy>(order), script.staged};
}

const CopyTable gpus{
    .name = "cuda", .movers = {CopyMover::engine, CopyMover::kernel}, .memories = nullptr, .make = make_scripted};

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

topo::Graph machine(const std::string& name) {
  const std::string folder = std::string(RAILGAUGE_MACHINES) + "/" + name;
  return topo::build(topo::read_evidence(folder));
}

CopyPlace place(const std::string& name, int device) { return {{.name = name, .summary = {}, .keys = {name}}, nullptr, device}; }

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
  REQUIRE(matrices.size() == 2 * 2 * 3);
  std::set<std::string> different;
  for (const CopyMatrix& matrix : matrices)
    different.insert(cells_of(found, matrix) + std::to_string(matrix.bytes) + (matrix.both_ways ? "both" : ""));
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
             ContainsSubstring("--algorithm both is unknown: choose from one_way, two_way, all"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.algorithms = {"two_way"}; }, host_only),
             ContainsSubstring("two_way copies between two places"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.bytes = {"0"}; }, all), ContainsSubstring("at least 1 byte"));
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

TEST_CASE("the links allow a copy what the narrowest of them carries") {
  const topo::Graph h100 = machine("dgx_h100");
  const CopyPlace numa0 = place("numa0", -1), numa1 = place("numa1", -1), near = place("0000:1b:00.0", 0),
                  other = place("0000:df:00.0", 7);
  const auto between = [&](const CopyPlace& from, const CopyPlace& to) { return expected_copy(h100, "node", from, to); };
  REQUIRE(between(numa0, near));
  CHECK_THAT(between(numa0, near)->busbw, WithinAbs(63, 0.5));
  CHECK_THAT(between(numa0, near)->basis, ContainsSubstring("GB/s each way"));
  CHECK_THAT(between(near, numa0)->busbw, WithinAbs(63, 0.5));
  REQUIRE(between(near, other));
  CHECK_THAT(between(near, other)->busbw, WithinAbs(450, 0.5));
  CHECK_THAT(between(near, other)->basis, ContainsSubstring("NV18: 450 GB/s each way"));
  CHECK_FALSE(between(numa0, numa1));
  CHECK_FALSE(between(near, near));
  CHECK_FALSE(between(near, place("0000:ff:00.0", 8)));
  // A GPU is known by its UUID too, the best first.
  CopyPlace by_uuid = near;
  by_uuid.memory.keys = {"GPU-nobody", "0000:1b:00.0"};
  CHECK(between(numa0, by_uuid));
}

TEST_CASE("GPUs without NVLink copy over PCIe") {
  const topo::Graph cards = machine("pcie_cards");
  std::vector<CopyPlace> found;
  for (const topo::Node& node : cards.nodes)
    if (node.kind == topo::Kind::gpu) found.push_back(place(node.key, static_cast<int>(found.size())));
  REQUIRE(found.size() >= 2);
  const auto expected = expected_copy(cards, "node", found[0], found[1]);
  REQUIRE(expected);
  CHECK(expected->busbw > 10);
  CHECK(expected->busbw < 130);
}
