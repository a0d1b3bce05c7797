// How fast the host's kernels are, beside memcpy of the same bytes and beside a plain loop that the compiler vectorises. Prints
// the usual lines of Google Benchmark; with --compare it runs them in turns instead and prints the medians of their ratios
// as Markdown, which a busy machine disturbs less (docs/measured/host-kernels.md).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "bench/device/device.hpp"
#include "bench/device/element.hpp"
#include "bench/device/host/kernel.hpp"

namespace railgauge {
namespace {

constexpr std::size_t smallest = std::size_t{4} << 10;
constexpr std::size_t largest = std::size_t{256} << 20;

// Two sources and a target, 64 bytes apart from the same place in a page, so that the loops do not stumble over aliases.
class Buffers {
 public:
  explicit Buffers(std::size_t bytes)
      : device_(make_host_device()),
        stride_(bytes + 4096 + 64),
        memory_(device_->allocate(3 * stride_, Sharing::own)),
        bytes_(bytes) {}
  [[nodiscard]] std::byte* operator[](std::size_t i) const { return memory_.region().address + i * stride_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] Device& device() const { return *device_; }

 private:
  std::unique_ptr<Device> device_;
  std::size_t stride_;
  Memory memory_;
  std::size_t bytes_;
};

template <Type type>
[[gnu::noinline, gnu::optimize("O3")]] void add_plainly(const std::byte* a, const std::byte* b, std::byte* c, std::size_t bytes) {
  using Element = element::Element<type>;
  using Stored = typename Element::Stored;
  const auto* __restrict first = reinterpret_cast<const Stored*>(a);
  const auto* __restrict second = reinterpret_cast<const Stored*>(b);
  auto* __restrict target = reinterpret_cast<Stored*>(c);
  for (std::size_t i = 0; i < bytes / sizeof(Stored); ++i) {
    if constexpr (std::is_floating_point_v<typename Element::Number>) {
      target[i] = Element::stored(Element::number(first[i]) + Element::number(second[i]));
    } else {
      target[i] = static_cast<Stored>(static_cast<std::uint32_t>(first[i]) + static_cast<std::uint32_t>(second[i]));
    }
  }
}

enum class Variant { kernel, in_place, plain, copy, cached };

struct Work {
  std::string_view name;
  Type type;
  void (*plain)(const std::byte*, const std::byte*, std::byte*, std::size_t);
};
constexpr Work works[] = {
    {"float32", Type::float32, &add_plainly<Type::float32>},
    {"bfloat16", Type::bfloat16, &add_plainly<Type::bfloat16>},
    {"float16", Type::float16, &add_plainly<Type::float16>},
    {"int32", Type::int32, &add_plainly<Type::int32>},
    {"float8_e4m3", Type::float8_e4m3, &add_plainly<Type::float8_e4m3>},
};

// memcpy moves the same number of bytes to and from memory: 3/2 as many as one block.
std::function<void()> make(Variant variant, const Work& work, const Buffers& buffers, Compute& compute) {
  const std::size_t bytes = buffers.bytes();
  std::byte* a = buffers[0];
  std::byte* b = buffers[1];
  std::byte* c = buffers[2];
  switch (variant) {
    case Variant::kernel:
    case Variant::in_place:
      return [=, &compute] {
        const ConstBytes sources[] = {{a, bytes}, {b, bytes}};
        const Bytes targets[] = {{variant == Variant::kernel ? c : a, bytes}};
        compute.reduce(sources, targets, {});
      };
    case Variant::cached:
      return [=, kernel = host::find_kernel(work.type, Op::sum)] {
        const ConstBytes sources[] = {{a, bytes}, {b, bytes}};
        const Bytes targets[] = {{c, bytes}};
        kernel(std::span(sources), std::span(targets), {}, false);
      };
    case Variant::plain:
      return [=] { work.plain(a, b, c, bytes); };
    case Variant::copy:
      break;
  }
  return [=] {
    std::memcpy(c, a, bytes);
    std::byte* copied = c;
    benchmark::DoNotOptimize(copied);
    std::memcpy(b, a, bytes / 2);
    benchmark::ClobberMemory();
  };
}

void run(benchmark::State& state, Variant variant, const Work& work) {
  const Buffers buffers(static_cast<std::size_t>(state.range(0)));
  const auto compute = buffers.device().compute(work.type, Op::sum);
  const auto once = make(variant, work, buffers, *compute);
  for ([[maybe_unused]] auto _ : state) {
    once();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * 3 * state.range(0));
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double seconds(const std::function<void()>& once, std::size_t repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < repeats; ++i) {
    once();
    benchmark::ClobberMemory();
  }
  return Seconds(std::chrono::steady_clock::now() - start).count() / static_cast<double>(repeats);
}

// One row: all variants, interleaved, 21 times.
void compare(const Work& work, std::size_t bytes) {
  const Buffers buffers(bytes);
  const auto compute = buffers.device().compute(work.type, Op::sum);
  constexpr Variant variants[] = {Variant::kernel, Variant::in_place, Variant::plain, Variant::copy, Variant::cached};
  std::vector<std::function<void()>> calls;
  for (const Variant variant : variants) calls.push_back(make(variant, work, buffers, *compute));
  const std::size_t repeats = std::max<std::size_t>(1, (std::size_t{4} << 20) / bytes);
  std::vector<double> speed;
  std::vector<double> in_place;
  std::vector<double> to_plain;
  std::vector<double> to_copy;
  std::vector<double> to_cached;
  for (const auto& call : calls) call();
  for (int turn = 0; turn < 21; ++turn) {
    double times[std::size(variants)];
    for (std::size_t i = 0; i < std::size(variants); ++i) times[i] = seconds(calls[i], repeats);
    speed.push_back(3e-9 * static_cast<double>(bytes) / times[0]);
    in_place.push_back(3e-9 * static_cast<double>(bytes) / times[1]);
    to_plain.push_back(times[0] / times[2]);
    to_copy.push_back(times[0] / times[3]);
    to_cached.push_back(times[0] / times[4]);
  }
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.2f} |\n", work.name, format_bytes(bytes), median(speed),
             median(in_place), median(to_plain), median(to_copy), median(to_cached));
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  using namespace railgauge;
  if (argc == 2 && std::string_view(argv[1]) == "--compare") {
    fmt::print(
        "| type | block | GB/s | GB/s in place | time / plain loop | time / memcpy | time / ordinary stores "
        "|\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (const Work& work : works) {
      for (std::size_t bytes = smallest; bytes <= largest; bytes *= 4) compare(work, bytes);
    }
    return 0;
  }
  constexpr std::pair<Variant, const char*> variants[] = {{Variant::kernel, "kernel"},
                                                          {Variant::in_place, "in_place"},
                                                          {Variant::plain, "plain"},
                                                          {Variant::copy, "memcpy"},
                                                          {Variant::cached, "cached"}};
  for (const Work& work : works) {
    for (const auto& [variant, name] : variants) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", work.name, name).c_str(), run, variant, work)
          ->RangeMultiplier(4)
          ->Range(static_cast<std::int64_t>(smallest), static_cast<std::int64_t>(largest));
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
