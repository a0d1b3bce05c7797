// The kernels of the product, as nvcc made them, on the software GPU against the host's reference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/device/chain.hpp"
#include "bench/device/copy_pattern.hpp"
#include "bench/device/cuda/partition.hpp"
#include "tests/device/reference.hpp"
#include "tests/softgpu/rig.hpp"

namespace softgpu::test {
namespace {

using railgauge::Op;
using railgauge::Type;

constexpr std::uint32_t reduce_threads = 256;

// As reduce.cuh has it.
template <std::size_t capacity>
struct Operands {
  const std::byte* sources[capacity];
  std::byte* targets[capacity];
  std::uint64_t factors[capacity];
  railgauge::cuda::Partition cut;
  std::uint32_t source_count, target_count, divisor;
  Op op;
  bool premultiplied;
};

struct Reduction {
  Type type;
  Op op;
  std::vector<std::shared_ptr<Buffer>> sources, targets;
  std::vector<double> factors;
  std::uint32_t divisor = 1;

  [[nodiscard]] railgauge::Scale scale() const { return {factors, divisor}; }
};

std::uint64_t factor_bits(Type type, double value) {
  std::uint64_t bits = 0;
  railgauge::element::with_type(type, [&]<Type t>() {
    const auto factor = railgauge::element::factor<typename railgauge::element::Element<t>::Number>(value);
    std::memcpy(&bits, &factor, sizeof factor);
  });
  return bits;
}

template <std::size_t capacity>
void launch_reduce(Rig& rig, const Reduction& what, int fixed_sources, std::uint32_t blocks) {
  Operands<capacity> operands{};
  std::vector<railgauge::ConstBytes> from;
  std::vector<railgauge::Bytes> to;
  for (std::size_t i = 0; i < what.sources.size(); ++i)
    from.emplace_back(what.sources[i]->bytes()), operands.sources[i] = from[i].data();
  for (std::size_t i = 0; i < what.targets.size(); ++i)
    to.emplace_back(what.targets[i]->bytes()), operands.targets[i] = to[i].data();
  for (std::size_t i = 0; i < what.factors.size(); ++i) operands.factors[i] = factor_bits(what.type, what.factors[i]);
  operands.cut = railgauge::cuda::partition(from, to, railgauge::bytes_of(what.type));
  operands.source_count = static_cast<std::uint32_t>(from.size());
  operands.target_count = static_cast<std::uint32_t>(to.size());
  operands.divisor = what.divisor;
  operands.op = what.op;
  operands.premultiplied = !what.factors.empty();
  const Arguments arguments(operands);
  Launch launch;
  launch.kernel = &kernel(fmt::format("_ZN9railgauge4cuda6reduceILNS_4TypeE{}ELi{}ELi{}EEEvNS0_8OperandsIXT0_EEE",
                                      static_cast<int>(what.type), capacity, fixed_sources));
  launch.grid = {blocks, 1, 1};
  launch.block = {reduce_threads, 1, 1};
  launch.parameters = arguments.bytes();
  rig.run(launch);
}

// One reduction drawn at random, checked byte for byte.
void reduce_once(std::uint64_t seed, Type type, Op op) {
  INFO("seed " << seed << ", type " << static_cast<int>(type) << ", op " << static_cast<int>(op));
  Rig rig(seed);
  std::mt19937_64 random(seed * 1009 + static_cast<std::uint64_t>(type) * 16 + static_cast<std::uint64_t>(op));
  const std::size_t width = railgauge::bytes_of(type), elements = 1 + random() % (random() % 4 == 0 ? 6000 : 300);
  const bool scaled = op == Op::premulsum || op == Op::avg, pair = !scaled && random() % 3 == 0,
             many = !pair && random() % 4 == 0;
  const std::size_t sources = pair ? 2 : many ? 9 + random() % 4 : 1 + random() % 8, targets = pair ? 1 : 1 + random() % 3;
  const bool alike = random() % 2 == 0;
  const std::size_t common = random() % 16 / width * width;
  const auto offset = [&] { return alike ? common : random() % 16 / width * width; };
  Reduction what{type, op, {}, {}, {}, 1};
  std::vector<std::vector<std::byte>> inputs;
  std::vector<railgauge::ConstBytes> views;
  for (std::size_t i = 0; i < sources; ++i) {
    inputs.emplace_back(elements * width);
    railgauge::test::fill_randomly(type, inputs.back(), random);
    what.sources.push_back(std::make_shared<Buffer>(rig, elements * width, offset(), fmt::format("source {}", i)));
    what.sources.back()->fill(inputs.back());
  }
  for (const auto& input : inputs) views.emplace_back(input);
  for (std::size_t i = 0; i < targets; ++i)
    what.targets.push_back(std::make_shared<Buffer>(rig, elements * width, offset(), fmt::format("target {}", i)));
  if (random() % 4 == 0) what.targets[0] = what.sources[random() % sources];  // in place
  if (op == Op::avg) what.divisor = static_cast<std::uint32_t>(1 + random() % 9);
  if (op == Op::premulsum)
    for (std::size_t i = 0; i < sources; ++i) what.factors.push_back(std::ldexp(1.0 + static_cast<double>(random() % 3), -1));
  const auto blocks = static_cast<std::uint32_t>(1 + random() % 9);
  if (pair)
    launch_reduce<2>(rig, what, 2, blocks);
  else if (many)
    launch_reduce<120>(rig, what, 0, blocks);
  else
    launch_reduce<8>(rig, what, 0, blocks);
  INFO(rig.said());
  REQUIRE(rig.findings.all().empty());
  const auto expected = railgauge::test::reduce_plainly(type, op, views, what.scale());
  for (const auto& target : what.targets) {
    const std::size_t wrong = railgauge::test::first_difference(type, target->bytes(), expected);
    INFO("byte " << wrong << " of " << expected.size());
    REQUIRE(wrong == expected.size());
  }
}

// One in an anonymous namespace of a file, whose mangled name has numbers that nvcc draws.
const Kernel& kernel_of(std::string_view file, std::string_view signature) {
  const auto kernels = all_kernels();
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel* kernel) {
    const std::string_view name = kernel->name;
    return name.find(file) != std::string_view::npos && name.ends_with(signature);
  });
  INFO(signature << " of " << file);
  REQUIRE(found != kernels.end());
  return **found;
}

}  // namespace

TEST_CASE("the kernels of every type and operation reduce as the host does") {
  const std::uint64_t seeds = rounds("SOFTGPU_REDUCE_SEEDS", 4);
  for (const railgauge::TypeRow& row : railgauge::types())
    for (const Op op : railgauge::test::all_ops)
      for (std::uint64_t seed = 0; seed < seeds; ++seed) reduce_once(seed, row.type, op);
}

TEST_CASE("the kernels of copies fill, copy and compare") {
  constexpr std::uint32_t threads = 512;
  for (std::uint64_t seed = 0; seed < rounds("SOFTGPU_COPY_SEEDS", 6); ++seed) {
    INFO("seed " << seed);
    Rig rig(seed);
    std::mt19937_64 random(seed);
    const std::size_t bytes = 1 + random() % (seed % 2 == 0 ? 100 : 200'000);
    const auto blocks = static_cast<std::uint32_t>(1 + random() % 5);
    Buffer from(rig, bytes, 0, "from"), to(rig, bytes, 0, "to"), found(rig, 16, 0, "found");
    const auto run = [&](const char* signature, const Arguments& arguments) {
      Launch launch;
      launch.kernel = &kernel_of("copy_kernel_cu", signature);
      launch.grid = {blocks, 1, 1};
      launch.block = {threads, 1, 1};
      launch.parameters = arguments.bytes();
      rig.run(launch);
    };
    const auto left = static_cast<std::uint32_t>(bytes % 8);
    run("4fillEPmmjmm", Arguments(from.data(), bytes / 8, left, std::uint64_t{2}, std::uint64_t{0}));
    run("4copyEPK5uint4PS2_mj", Arguments(from.data(), to.data(), bytes / 16, static_cast<std::uint32_t>(bytes % 16)));
    REQUIRE(!railgauge::copy_pattern::compare(to.bytes(), 2));
    const std::uint64_t none[2] = {0, ~std::uint64_t{0}};
    found.fill(std::as_bytes(std::span(none)));
    const std::size_t spoilt = random() % bytes;
    if (seed % 3 != 0) to.data()[spoilt] ^= std::byte{1};
    run("7compareEPKmmjmPNS0_11DifferencesE", Arguments(to.data(), bytes / 8, left, std::uint64_t{2}, found.data()));
    std::uint64_t got[2];
    std::memcpy(got, found.data(), sizeof got);
    CHECK(got[0] == (seed % 3 != 0 ? 1 : 0));
    CHECK(got[1] == (seed % 3 != 0 ? spoilt : none[1]));
    INFO(rig.said());
    REQUIRE(rig.findings.all().empty());
  }
}

TEST_CASE("the kernel that keeps a GPU busy goes through all of its numbers in each pass") {
  constexpr std::size_t blocks = 3, floats = blocks * 2048;
  for (const std::uint64_t passes : {0U, 1U, 5U}) {
    Rig rig(passes);
    Buffer values(rig, floats * sizeof(float));
    const std::vector<float> zeros(floats);
    values.fill(std::as_bytes(std::span(zeros)));
    Launch launch;
    launch.kernel = &kernel_of("busy_kernel_cu", "4workEPfm");
    launch.grid = {blocks, 1, 1};
    launch.block = {256, 1, 1};
    const Arguments arguments(values.data(), passes);
    launch.parameters = arguments.bytes();
    rig.run(launch);
    float expected = 0;
    for (std::uint64_t pass = 0; pass < passes; ++pass) expected = std::fma(expected, 0.999F, 1e-3F);
    for (std::size_t i = 0; i < floats; ++i) {
      float got = 0;
      std::memcpy(&got, values.data() + i * sizeof got, sizeof got);
      if (got != expected) FAIL("value " << i << " is " << got << ", not " << expected);
    }
    INFO(rig.said());
    REQUIRE(rig.findings.all().empty());
  }
}

TEST_CASE("the kernels of walks write the pointers and follow them") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Rig rig(seed);
    const std::uint64_t bytes = std::uint64_t{1} << (10 + 3 * seed), steps = 100 + 1000 * seed;
    Buffer memory(rig, bytes), place(rig, 8);
    const std::uint64_t start = 0;
    place.fill(std::as_bytes(std::span(&start, 1)));
    const auto run = [&](const char* signature, Extent grid, Extent block, const Arguments& arguments) {
      Launch launch;
      launch.kernel = &kernel_of("chase_kernel_cu", signature);
      launch.grid = grid;
      launch.block = block;
      launch.parameters = arguments.bytes();
      rig.run(launch);
    };
    run("11write_chainEPhm", {3, 1, 1}, {256, 1, 1}, Arguments(memory.data(), bytes));
    std::vector<std::byte> expected(bytes);
    railgauge::chain::write(expected);
    for (std::uint64_t at = 0; at < bytes; at += railgauge::chain::stretch)
      REQUIRE(std::memcmp(memory.data() + at, expected.data() + at, sizeof at) == 0);
    run("6followEPKhPmm", {1, 1, 1}, {1, 1, 1}, Arguments(memory.data(), place.data(), steps));
    std::uint64_t end = 0;
    std::memcpy(&end, place.data(), sizeof end);
    CHECK(end == railgauge::chain::after(0, steps, bytes));
    INFO(rig.said());
    REQUIRE(rig.findings.all().empty());
  }
}

}  // namespace softgpu::test
