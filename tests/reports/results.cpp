// The fixtures of tests/reports/results.hpp.
#include "tests/reports/results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace railgauge::test {
namespace {

Summary summary_of(double median, double half_width) {
  Summary summary;
  summary.samples = 3;
  summary.batch = 64;
  summary.effective_samples = 2.5;
  summary.warm_up = 12;
  summary.min = Seconds(median * 0.5);
  summary.median = Seconds(median);
  summary.ci_low = Seconds(median - half_width);
  summary.ci_high = Seconds(median + half_width);
  summary.p95 = Seconds(median * 2);
  summary.p99 = Seconds(median * 4);
  summary.max = Seconds(median * 8);
  return summary;
}

Result result_of(const char* collective, const char* algorithm, const char* transport, std::uint64_t bytes, double median) {
  Result result;
  result.run = "20260102T030405-1234";
  result.point.collective = collective;
  result.point.algorithm = algorithm;
  result.point.transport = transport;
  result.point.type = "float32";
  result.point.op = "sum";
  result.point.ranks = 4;
  result.point.nodes = 1;
  result.point.bytes = bytes;
  result.point.count = bytes / 4;
  result.samples = {Seconds(median / 2), Seconds(median), Seconds(median * 8)};
  result.summary = summary_of(median, median / 64);
  result.summary.algbw = static_cast<double>(bytes) / median / 1e9;
  result.summary.busbw = result.summary.algbw * 1.5;
  result.host = {"node1", "A CPU, \"fast\" @ 2.5 GHz", "6.1.0"};
  result.versions = {{"railgauge", "0.1.0"}, {"ucx", "1.13.1"}};
  return result;
}

}  // namespace

std::vector<Result> sample_results() {
  std::vector<Result> results;
  results.push_back(result_of("all_reduce", "ring", "ucx", 0, 0x1p-20));
  results.push_back(result_of("all_reduce", "recursive_doubling", "memory", 4096, 0x1p-18));
  results.back().expected = Expectation{1.75, "ring: min(V, g*r) = min(?, 1*1.75)"};
  results.back().predicted = Seconds(0x1p-19);
  results.back().expected_share = 0.8;
  results.back().topology = "0123456789abcdef";
  results.back().environment = {{"UCX_NET_DEVICES", "mlx5_0:1,mlx5_1:1"}, {"UCX_TLS", "rc, \"x\"\x1b[31m"}};
  results.back().environment_differs = {"UCX_TLS"};
  results.push_back(result_of("all_reduce", "hierarchical", "shm+ucx", 1U << 24U, 0x1p-8));
  results.back().expected = Expectation{24, "hierarchical: min(V, r*(n-1)/(k-1)) = min(?, 8*3/1)"};
  results.back().expected_share = 0.8;
  results.back().wire = Wire{std::uint64_t{1} << 30,
                             {{"node1", "mlx5_0/1", true, 1'100'000'000, 1'100'000'001, {{"out_of_sequence", 3}}},
                              {"node2", "mlx5_0/1", true, 1'100'000'002, 1'100'000'003, {}}}};
  results.back().power =
      Power{Seconds(1.25),
            2.5,
            true,
            {{"node1", "package-0", 100}, {"node1", "GPU-7a", 25.5}},
            {{"node1", "cores", "core", 1200, 3400.5, 3500}, {"node1", "GPU-7a", "SM", 345, 1980, {}}},
            {{"node1", "GPU-7a", "heat", true, Seconds(0.25), {}, false, false},
             {"node1", "GPU-7a", "idleness", false, {}, {}, true, false}},
            {{"energy of package-0", "/sys/class/powercap/intel-rapl:0/energy_uj: Permission denied", {"node2"}}}};
  results.back().point.type = "float8_e4m3";
  results.back().point.op = "premulsum";
  results.back().status = Status::not_converged;
  results.back().reason = "the interval is still 12.5 % wide after 10 s";
  results.back().summary.ci_high = Seconds(0x1p-7);

  results.push_back(result_of("broadcast", "binomial", "memory", 1'047'552, 0x1p-12));
  results.back().library = LibraryChoice{"RING", "LL128", 16, Seconds(0x1p-13)};
  results.back().kernel = KernelUse{"LL128", 16, Seconds(0x1p-18)};
  results.back().point.op = "none";
  results.back().point.root = 0;
  results.back().point.in_place = true;
  results.back().point.mode = "isolated";
  results.back().status = Status::wrong;
  results.back().summary.wrong = 17;
  results.back().reason =
      "rank 2, element 5: expected 3, got \x1b[31m4\x1b[0m,\r\n\"quoted\" \xff\xc3\x28 \xc2\x9b 0m \xe2\x82\xac";

  Result skipped = result_of("all_to_all", "bruck", "nccl", 64, 1);
  skipped.point.op = "none";
  skipped.status = Status::skipped;
  skipped.reason = "nccl is not available: libnccl.so.2: cannot open shared object file";
  skipped.samples.clear();
  skipped.summary = {};
  skipped.summary.median = Seconds(std::numeric_limits<double>::quiet_NaN());
  results.push_back(skipped);

  Result predicted = skipped;
  predicted.point.transport = "links";
  predicted.point.algorithm = "pairwise";
  predicted.point.mode = "isolated";
  predicted.point.path = "predicted";
  predicted.status = Status::predicted;
  predicted.reason = "busiest link: 97 % of mlx5_0 of \x1b[31mn1\x1b[0m to leaf, 1";
  predicted.predicted = Seconds(0x1p-17);
  predicted.summary.algbw = 8.388608e-3;
  predicted.summary.busbw = 6.291456e-3;
  predicted.expected = Expectation{0.0125, "the bound"};
  predicted.settings = {{"assumed.1", "1.20 us for a message"}};
  results.push_back(predicted);

  Result failed = skipped;
  failed.point.transport = "ucx";
  failed.status = Status::failed;
  failed.reason = "rank 3 was killed by signal 9";
  results.push_back(failed);

  Result odd = result_of("all_to_all", "direct", "ucx", 64, 0x1p-10);
  odd.point.op = "none";
  odd.expected_share = 1;
  odd.samples[1] = Seconds(std::numeric_limits<double>::infinity());
  odd.summary.p99 = Seconds(std::numeric_limits<double>::quiet_NaN());
  odd.summary.algbw = std::numeric_limits<double>::infinity();
  odd.summary.effective_samples = std::numeric_limits<double>::quiet_NaN();
  results.push_back(odd);
  return results;
}

std::vector<Result> copy_results() {
  const std::vector<std::string> places{"numa0", "numa1", "cuda:0", "cuda:1", "cuda:2", "cuda:3"};
  constexpr std::uint64_t bytes = std::uint64_t{1} << 28U;
  std::vector<Result> results;
  const auto add = [&](const char* mover, const char* memory, bool both, std::size_t from, std::size_t to, double gigabytes) {
    const double median = static_cast<double>(bytes) / 1e9 / gigabytes;
    Result result = result_of("copy", both ? "two_way" : "one_way", mover, bytes, median);
    result.point.device = memory;
    result.point.type = "uint8";
    result.point.op = "none";
    result.point.path = "direct";
    result.point.ranks = static_cast<int>(places.size());
    result.point.count = bytes;
    result.point.from = static_cast<int>(from);
    result.point.to = static_cast<int>(to);
    result.point.from_node = places[from];
    result.point.to_node = places[to];
    result.host_samples = {Seconds(median * 1.5), Seconds(median * 1.25), Seconds(median * 9)};
    result.summary.cache = "cold";
    result.summary.busbw = gigabytes;
    result.summary.algbw = gigabytes * (both ? 2 : 1);
    results.push_back(result);
  };
  const auto skip_last = [&](const char* reason) {
    Result& result = results.back();
    result.status = Status::skipped;
    result.reason = reason;
    result.samples.clear();
    result.host_samples.clear();
    result.summary = {};
  };
  for (std::size_t gpu = 2; gpu < 6; ++gpu) {
    add("engine", "pinned+cuda", false, (gpu - 2) / 2, gpu, gpu == 4 ? 12.5 : 55);
    results.back().expected = Expectation{63, "PHB: 63 GB/s in each direction, of a PCIe switch to a GPU"};
  }
  for (std::size_t from = 2; from < 6; ++from)
    for (std::size_t to = 2; to < 6; ++to) {
      add("kernel_write", "cuda", false, from, to, from == to ? 1250 : 390);
      if (from == 2 && to == 3) skip_last("cudaMalloc of 256 MiB on cuda:1: out of memory");
      if (from == 3 && to == 2) results.back().point.path = "staged";
      if (from == 4 && to == 5) {
        results.back().status = Status::not_converged;
        results.back().reason = "the median is known to 3 % (1 % are wanted) when the time of 5 s was over";
      }
    }
  for (std::size_t gpu = 2; gpu < 6; ++gpu) add("engine", "pinned+cuda", true, (gpu - 2) / 2, gpu, 44);
  for (std::size_t from = 2; from < 6; ++from)
    for (std::size_t to = from + 1; to < 6; ++to) add("engine_read", "cuda", true, from, to, from == 2 && to == 5 ? 100 : 390);
  return results;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "railgauge-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) result.push_back(entry.path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool matches_golden(const std::string& name, const std::string& actual) {
  const std::string golden = std::string(RAILGAUGE_SOURCE_DIR) + "/tests/reports/golden/" + name;
  std::error_code ignored;
  if (std::filesystem::exists(golden, ignored) && read_file(golden) == actual) return true;
  const std::string kept = (std::filesystem::current_path() / ("actual_" + name)).string();
  std::ofstream(kept, std::ios::binary) << actual;
  std::printf("differs from the golden file; compare with: diff %s %s\n", golden.c_str(), kept.c_str());
  return false;
}

}  // namespace railgauge::test
