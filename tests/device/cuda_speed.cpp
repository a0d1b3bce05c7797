// How fast the GPU's kernels reduce beside a copy on the same GPU: bytes read and written a second, interleaved, medians. A line
// of JSON each on standard output, for ci/gpu, and a sentence at the end. Exit code 1: a reduction of floats is slower, beside
// the copy, than it may be.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/device/cuda/device.hpp"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int samples = 21;
constexpr double least_seconds = 5e-3;  // of a sample, so that neither the clock nor the first launch counts
constexpr double least_ratio = 0.95;    // to the copy, of floats

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + samples / 2, values.end());
  return values[samples / 2];
}

// Seconds of one call among so many that they last a while.
template <class Call>
double time_of(Compute& compute, int times, const Call& call) {
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) call();
  fence(compute);
  return std::chrono::duration<double>(Clock::now() - begin).count() / times;
}

template <class Call>
int times_for(Compute& compute, const Call& call) {
  (void)time_of(compute, 3, call);
  return std::max(3, static_cast<int>(least_seconds / time_of(compute, 3, call)));
}

// Numbers of any type, none of which is too large to be added: bits that are 0 are moved and converted faster than others.
void fill(Compute& compute, Bytes to) {
  static const std::vector<std::byte> numbers = [] {
    std::mt19937_64 random(1);
    std::vector<std::byte> made(std::size_t{16} << 20);
    for (std::byte& each : made) each = static_cast<std::byte>(random() & 0xbfU);  // no large exponent
    return made;
  }();
  for (std::size_t at = 0; at < to.size(); at += numbers.size())
    compute.copy(ConstBytes(numbers).first(std::min(numbers.size(), to.size() - at)),
                 to.subspan(at, std::min(numbers.size(), to.size() - at)));
  fence(compute);
}

// The ratio of their bytes a second.
double measure(Device& device, Type type, std::size_t bytes, std::size_t sources) {
  std::vector<Memory> memory;
  for (std::size_t i = 0; i <= sources; ++i) memory.push_back(device.allocate(bytes, Sharing::own));
  std::vector<ConstBytes> from;
  for (std::size_t i = 0; i < sources; ++i) from.emplace_back(memory[i].region().address, bytes);
  const Bytes to[] = {Bytes(memory[sources].region().address, bytes)};
  const auto compute = device.compute(type, Op::sum);
  for (std::size_t i = 0; i < sources; ++i) fill(*compute, Bytes(memory[i].region().address, bytes));
  const auto copy = [&] { compute->copy(from[0], to[0]); };
  const auto reduce = [&] { compute->reduce(from, to, {}); };
  const int copies = times_for(*compute, copy), reductions = times_for(*compute, reduce);
  std::vector<double> copy_rates, reduce_rates, ratios;
  for (int i = 0; i < samples; ++i) {
    copy_rates.push_back(2 * static_cast<double>(bytes) / time_of(*compute, copies, copy));
    reduce_rates.push_back(static_cast<double>((sources + 1) * bytes) / time_of(*compute, reductions, reduce));
    ratios.push_back(reduce_rates.back() / copy_rates.back());
  }
  fmt::print(R"({{"device":"{}","type":"{}","bytes":{},"sources":{},"copy":{:.4g},"reduce":{:.4g},"ratio":{:.4f}}})"
             "\n",
             device.name(), name(type), bytes, sources, median(copy_rates), median(reduce_rates), median(ratios));
  std::fflush(stdout);
  return median(ratios);
}

// From compute capability 8.9 on; older GPUs convert by integer arithmetic, which is not held to the speed of a copy.
bool converts_float8() {
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) != cudaSuccess)
    throw Error(Fault::usage, "cudaDeviceGetAttribute failed on cuda:0");
  return major * 10 + minor >= 89;
}

int run() {
  if (const std::string reason = cuda::missing_devices(); !reason.empty()) {
    fmt::print("skipped: {}\n", reason);
    return 4;
  }
  const auto device = cuda::open_device(0, MemoryKind::cuda);
  const bool judges_float8 = converts_float8();
  double lowest = std::numeric_limits<double>::infinity();
  std::string whose;
  for (const Type type : {Type::float32, Type::float16, Type::bfloat16, Type::float8_e4m3, Type::float8_e5m2, Type::int32})
    for (const std::size_t bytes : {std::size_t{256} << 20, std::size_t{1} << 30})
      for (const std::size_t sources : {2, 3, 8}) {
        const double ratio = measure(*device, type, bytes, sources);
        const bool is_float8 = type == Type::float8_e4m3 || type == Type::float8_e5m2;
        if (type == Type::int32 || (is_float8 && !judges_float8) || ratio >= lowest) continue;
        lowest = ratio;
        whose = fmt::format("{} sources of {} {}", sources, format_bytes(bytes), name(type));
      }
  fmt::print("the slowest reduction of floats, {}, has {:.3f} of the bytes a second of a copy; {} is asked for\n", whose, lowest,
             least_ratio);
  return lowest >= least_ratio ? 0 : 1;
}

}  // namespace
}  // namespace railgauge

int main() {
  try {
    return railgauge::run();
  } catch (const railgauge::Error& error) {
    std::fprintf(stderr, "cuda_speed: %s\n", error.what());
    return 1;
  }
}
