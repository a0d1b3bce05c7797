// Every kernel of the GPU against the plain reduction, bit for bit. Skipped, with the reason, where there is no GPU.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "bench/device/cuda/device.hpp"
#include "bench/device/cuda/names.hpp"
#include "bench/device/queued.hpp"
#include "bench/device/queues.hpp"
#include "tests/device/buffers.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using test::Buffers;
using test::Shape;

std::unique_ptr<Device> gpu(MemoryKind kind = MemoryKind::cuda) {
  if (const std::string reason = cuda::missing_devices(); !reason.empty()) test::skip("no GPU: " + reason);
  return cuda::open_device(0, kind);
}

// The same place of `image`'s copy in `memory`.
template <class Byte>
std::span<Byte> moved(std::span<Byte> bytes, Bytes image, const Memory& memory) {
  return {memory.region().address + (bytes.data() - image.data()), bytes.size()};
}

struct Bench {
  std::unique_ptr<Device> device = gpu();
  std::unique_ptr<Compute> mover = device->compute(Type::uint8, Op::none);
  Memory memory = device->allocate(std::size_t{64} << 20, Sharing::own);
};

void check(Bench& bench, Type type, Op op, const Shape& shape, std::size_t elements, std::size_t offset,
           std::mt19937_64& random) {
  Buffers buffers(type, elements, shape, offset, random);
  const Scale scale = test::scale_of(op, shape.sources, elements);
  const bool copied = shape.sources == 1 && scale.factors.empty() && scale.divisor <= 1;
  const std::vector<std::byte> expected = copied ? std::vector(buffers.sources[0].begin(), buffers.sources[0].end())
                                                 : test::reduce_plainly(type, op, buffers.sources, scale);
  const Bytes image = buffers.image();
  const Bytes there(bench.memory.region().address, image.size());
  std::vector<ConstBytes> sources;
  for (const ConstBytes& source : buffers.sources) sources.push_back(moved(source, image, bench.memory));
  std::vector<Bytes> targets;
  for (const Bytes& target : buffers.targets) targets.push_back(moved(target, image, bench.memory));
  std::vector<std::vector<std::byte>> before;
  for (const ConstBytes& source : buffers.sources) before.emplace_back(source.begin(), source.end());

  bench.mover->copy(image, there);
  fence(*bench.mover);
  const auto compute = bench.device->compute(type, op);
  compute->reduce(sources, targets, scale);
  fence(*compute);
  bench.mover->copy(there, image);
  fence(*bench.mover);

  INFO(name(type) << " " << name(op) << " " << shape.sources << " into " << shape.targets << ", in place " << shape.in_place
                  << ", " << elements << " elements at " << offset);
  for (const Bytes& got : buffers.targets)
    if (test::first_difference(type, got, expected) != expected.size()) FAIL("wrong data");
  for (std::size_t i = 0; i < before.size(); ++i)
    if (static_cast<int>(i) != shape.in_place && !std::ranges::equal(before[i], buffers.sources[i])) FAIL("a source was changed");
  if (!buffers.guarded()) FAIL("wrote outside the targets");
}

void check_type(Type type) {
  constexpr std::uint64_t seed = 7;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  Bench bench;
  const std::size_t step = bytes_of(type);
  for (const Op op : test::all_ops) {
    for (const Shape& shape : test::shapes) {
      for (const std::size_t elements : {0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 127, 1021})
        for (const std::size_t offset : {std::size_t{0}, step, 16 - step, 3 * step})
          check(bench, type, op, shape, elements, offset, random);
      check(bench, type, op, shape, 100'003, 0, random);
    }
    check(bench, type, op, {.sources = 9, .targets = 9, .in_place = 3}, 5000, 0, random);
  }
}

}  // namespace

TEST_CASE("GPU: int8 kernels agree with the definition") { check_type(Type::int8); }
TEST_CASE("GPU: uint8 kernels agree with the definition") { check_type(Type::uint8); }
TEST_CASE("GPU: int32 kernels agree with the definition", "[sanitizer]") { check_type(Type::int32); }
TEST_CASE("GPU: uint32 kernels agree with the definition") { check_type(Type::uint32); }
TEST_CASE("GPU: int64 kernels agree with the definition") { check_type(Type::int64); }
TEST_CASE("GPU: uint64 kernels agree with the definition") { check_type(Type::uint64); }
TEST_CASE("GPU: float16 kernels agree with the definition", "[sanitizer]") { check_type(Type::float16); }
TEST_CASE("GPU: bfloat16 kernels agree with the definition") { check_type(Type::bfloat16); }
TEST_CASE("GPU: float32 kernels agree with the definition") { check_type(Type::float32); }
TEST_CASE("GPU: float64 kernels agree with the definition") { check_type(Type::float64); }
TEST_CASE("GPU: float8_e4m3 kernels agree with the definition", "[sanitizer]") { check_type(Type::float8_e4m3); }
TEST_CASE("GPU: float8_e5m2 kernels agree with the definition") { check_type(Type::float8_e5m2); }

// Sums and products of all codes of a small type with each other (float8) or with some (16 bits): every conversion there is.
TEST_CASE("GPU: every code is converted as the definition does") {
  Bench bench;
  for (const Type type : {Type::float16, Type::bfloat16, Type::float8_e4m3, Type::float8_e5m2}) {
    const std::size_t step = bytes_of(type);
    std::vector<std::byte> a(65536 * step), b(a.size()), got(a.size());
    std::mt19937_64 random(11);
    test::fill_randomly(type, b, random);
    for (std::size_t i = 0; i < 65536; ++i) {
      a[i * step] = static_cast<std::byte>(i % 256);
      (step == 2 ? a[2 * i + 1] : b[i]) = static_cast<std::byte>(i / 256);
    }
    std::byte* base = bench.memory.region().address;
    const auto place = [&](std::size_t index) { return Bytes(base + index * (std::size_t{1} << 20), a.size()); };
    bench.mover->copy(a, place(0));
    bench.mover->copy(b, place(1));
    fence(*bench.mover);
    for (const Op op : test::all_ops) {
      const std::array<ConstBytes, 2> sources{place(0), place(1)}, here{a, b};
      const std::array<Bytes, 1> targets{place(2)};
      const auto compute = bench.device->compute(type, op);
      compute->reduce(sources, targets, {});
      fence(*compute);
      bench.mover->copy(place(2), got);
      fence(*bench.mover);
      INFO(name(type) << " " << name(op));
      CHECK(test::first_difference(type, got, test::reduce_plainly(type, op, here, {})) == got.size());
    }
  }
}

TEST_CASE("GPU: memory that other processes map can be given to a network card, where the driver exports memory") {
  const auto device = gpu();
  const bool exports = device->allocate(std::size_t{4} << 20, Sharing::own).region().fd >= 0;
  for (const std::size_t bytes : {std::size_t{5000}, std::size_t{4} << 20})
    CHECK((device->allocate(bytes, Sharing::processes).region().fd >= 0) == exports);
}

TEST_CASE("GPU: more operands than a kernel takes are refused, as are elements that straddle their size") {
  Bench bench;
  const auto compute = bench.device->compute(Type::float32, Op::sum);
  const Bytes target(bench.memory.region().address, 1024);
  const std::vector<ConstBytes> many(121, target);
  CHECK_THROWS_WITH(compute->reduce(many, std::array{target}, {}), test::ContainsSubstring("121 sources into 1 targets"));
  const Bytes astride(target.data() + 2, 8);
  CHECK_THROWS_WITH(compute->reduce(std::array<ConstBytes, 2>{astride, astride}, std::array{astride}, {}),
                    test::ContainsSubstring("multiple of 4 bytes"));
}

TEST_CASE("GPU: a lane's queue comes after what it was forked from and before what it was joined to") {
  Bench bench;
  auto* const queues = dynamic_cast<Queues*>(bench.device.get());
  REQUIRE(queues != nullptr);
  CHECK(queues->stream_of(0) == bench.device->stream());
  CHECK(queues->stream_of(2) != queues->stream_of(1));
  constexpr std::size_t part = std::size_t{16} << 20;
  const auto at = [&](std::size_t number) { return Bytes(bench.memory.region().address + number * part, part); };
  const auto lane = queues->compute_in(1, Type::uint8, Op::none);
  const auto copy_aside = [&] {
    queues->fork(1);
    lane->copy(at(0), at(1));
    queues->join(1);
  };
  const auto recording = bench.mover->record(copy_aside);
  REQUIRE(recording != nullptr);
  for (unsigned run = 0; run < 40; ++run) {
    std::vector<std::byte> filled(part, static_cast<std::byte>(run + 1)), got(part);
    bench.mover->copy(filled, at(0));
    if (run % 2 == 0)
      copy_aside();
    else
      recording->replay();
    bench.mover->copy(at(1), at(2));
    bench.mover->copy(at(2), got);
    fence(*bench.mover);
    if (got != filled) FAIL("the queues did not wait for each other in run " << run);
  }
  CHECK(queues->idle());
}

TEST_CASE("GPU: stamps tell the time of what lies between them, also of a lane that is joined", "[long]") {
  Bench bench;
  auto* const clocked = dynamic_cast<Clocked*>(bench.device.get());
  auto* const queues = dynamic_cast<Queues*>(bench.device.get());
  REQUIRE(clocked != nullptr);
  REQUIRE(queues != nullptr);
  const std::unique_ptr<QueueClock> clock = clocked->make_clock();
  (void)queues->stream_of(1);
  const auto lane = queues->compute_in(1, Type::uint8, Op::none);
  constexpr std::size_t part = std::size_t{16} << 20;
  const auto at = [&](std::size_t number) { return Bytes(bench.memory.region().address + number * part, part); };
  double single = 0, joined = 0;
  // More stamps than are kept: those that are asked for are among the last.
  for (unsigned run = 0; run < 100; ++run) {
    const std::uint64_t first = clock->stamp();
    bench.mover->copy(at(0), at(1));
    const std::uint64_t second = clock->stamp();
    queues->fork(1);
    for (int copy = 0; copy < 8; ++copy) lane->copy(at(0), at(2));
    queues->join(1);
    const std::uint64_t third = clock->stamp();
    CHECK(third == first + 2);
    REQUIRE(comes_to_rest([&] { return clock->reached(third); }));
    CHECK(clock->reached(first));
    const double one = clock->between(first, second).count(), eight = clock->between(second, third).count();
    single += one;
    joined += eight;
    CHECK(one > 0);
    CHECK_THAT(clock->between(first, third).count(), test::WithinAbs(one + eight, 2e-6));
  }
  CHECK(joined > 2 * single);  // else the lane was not waited for
}

TEST_CASE("GPU: a MIG instance is called as the driver's tools call it") {
  const auto uuid = [](const char* name) {
    cudaDeviceProp properties{};
    std::strncpy(properties.name, name, sizeof properties.name - 1);
    properties.uuid.bytes[0] = 0x7a;
    return cuda::uuid_of(properties);
  };
  CHECK(uuid("NVIDIA H100 80GB HBM3") == "GPU-7a000000-0000-0000-0000-000000000000");
  CHECK(uuid("NVIDIA H100 80GB HBM3 MIG 1g.10gb") == "MIG-7a000000-0000-0000-0000-000000000000");
}

TEST_CASE("GPU: memory of every kind is zeroed, and too much of it is refused with the size") {
  for (const MemoryKind kind : {MemoryKind::cuda, MemoryKind::pinned, MemoryKind::managed}) {
    const auto device = gpu(kind);
    const Memory memory = device->allocate(5000, Sharing::own);
    std::vector<std::byte> got(5000, std::byte{1});
    const auto mover = device->compute(Type::uint8, Op::none);
    mover->copy(Bytes(memory.region().address, 5000), got);
    fence(*mover);
    CHECK(std::ranges::all_of(got, [](std::byte one) { return one == std::byte{0}; }));
    CHECK(memory.region().kind == kind);
  }
  CHECK_THROWS_WITH(gpu()->allocate(std::size_t{1} << 50, Sharing::own),
                    test::ContainsSubstring("cudaMalloc of 1024 TiB on cuda:0"));
}

}  // namespace railgauge
