// The host as a Device: copies, reductions on both sides of the cache's size, and the order of its decisions.
#include <algorithm>
#include <numeric>

#include "bench/device/host/caches.hpp"
#include "tests/device/reference.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

Bytes whole(const Memory& memory) { return {memory.region().address, memory.region().bytes}; }

}  // namespace

TEST_CASE("copy moves all bytes and no others, at any size and alignment") {
  const auto compute = make_host_device()->compute(Type::uint8, Op::none);
  std::vector<std::byte> from(5000);
  std::mt19937_64 random(3);
  test::fill_randomly(Type::uint8, from, random);
  for (const std::size_t bytes : {0, 1, 2, 63, 64, 65, 1000, 4097}) {
    std::vector<std::byte> to(5100, std::byte{0xee});
    compute->copy(ConstBytes(from).subspan(bytes % 7, bytes), Bytes(to).subspan(3, bytes));
    CHECK(std::equal(to.begin() + 3, to.begin() + 3 + static_cast<long>(bytes), from.begin() + static_cast<long>(bytes % 7)));
    CHECK(to[2] == std::byte{0xee});
    CHECK(to[3 + bytes] == std::byte{0xee});
  }
  fence(*compute);
}

TEST_CASE("copies larger than the cache stream and are right") {
  const auto device = make_host_device();
  const std::size_t bytes = std::min<std::size_t>(host::last_level_share(), std::size_t{64} << 20) / 2 + 77;
  const Memory from = device->allocate(bytes, Sharing::own);
  const Memory to = device->allocate(bytes + 64, Sharing::own);
  std::mt19937_64 random(6);
  test::fill_randomly(Type::uint64, whole(from).first(bytes / 8 * 8), random);
  const auto compute = device->compute(Type::uint8, Op::none);
  for (const std::size_t offset : {0, 1, 63}) {
    std::fill_n(whole(to).data(), bytes + 64, std::byte{0xee});
    compute->copy(whole(from), whole(to).subspan(offset, bytes));
    CHECK(std::equal(whole(from).begin(), whole(from).end(), whole(to).begin() + static_cast<long>(offset)));
    CHECK((offset == 0 || whole(to)[offset - 1] == std::byte{0xee}));
    CHECK(whole(to)[offset + bytes] == std::byte{0xee});
  }
}

TEST_CASE("an empty reduction does nothing") {
  const auto device = make_host_device();
  const ConstBytes sources[] = {{}, {}};
  const Bytes targets[] = {{}};
  for (const TypeRow& type : types()) {
    for (const Op op : test::all_ops) CHECK_NOTHROW(device->compute(type.type, op)->reduce(sources, targets, {}));
  }
}

TEST_CASE("one source without a scale is copied, in place too") {
  const auto compute = make_host_device()->compute(Type::float16, Op::sum);
  std::vector<std::byte> a(101 * 2);
  std::vector<std::byte> b(a.size());
  std::mt19937_64 random(4);
  test::fill_randomly(Type::float16, a, random);
  const std::vector<std::byte> before = a;
  const ConstBytes sources[] = {a};
  const Bytes targets[] = {a, b};
  compute->reduce(sources, targets, {});
  CHECK(a == before);
  CHECK(b == before);
}

TEST_CASE("reductions larger than the cache stream and are right") {
  const auto device = make_host_device();
  const std::size_t bytes = std::min<std::size_t>(host::last_level_share(), std::size_t{32} << 20) + 4 * 13;
  const Memory a = device->allocate(bytes, Sharing::own);
  const Memory b = device->allocate(bytes, Sharing::own);
  const Memory c = device->allocate(bytes + 4, Sharing::own);
  const auto as_floats = [&](const Memory& memory) { return reinterpret_cast<float*>(memory.region().address); };
  const std::size_t count = bytes / 4;
  std::iota(as_floats(a), as_floats(a) + count, 0.0F);
  std::fill_n(as_floats(b), count, 2.0F);
  const auto compute = device->compute(Type::float32, Op::sum);
  for (const std::size_t offset : {0, 1, 4}) {  // 1: cannot be aligned
    const ConstBytes sources[] = {whole(a), whole(b)};
    const Bytes targets[] = {whole(c).subspan(offset, bytes)};
    std::fill_n(whole(c).data(), bytes + 4, std::byte{0});
    compute->reduce(sources, targets, {});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      float got;
      std::memcpy(&got, targets[0].data() + 4 * i, sizeof got);
      wrong += got != as_floats(a)[i] + 2.0F;
    }
    CHECK(wrong == 0);
  }
  const ConstBytes sources[] = {whole(a), whole(b)};
  const Bytes in_place[] = {whole(a)};
  compute->reduce(sources, in_place, {});
  CHECK(as_floats(a)[0] == 2.0F);
  CHECK(as_floats(a)[count - 1] == static_cast<float>(count - 1) + 2.0F);
}

TEST_CASE("a scale reaches every type") {
  const auto device = make_host_device();
  for (const TypeRow& row : types()) {
    for (const Op op : {Op::avg, Op::premulsum}) {
      std::mt19937_64 random(5);
      std::vector<std::byte> a(77 * row.bytes);
      std::vector<std::byte> b(a.size());
      std::vector<std::byte> got(a.size());
      test::fill_randomly(row.type, a, random);
      test::fill_randomly(row.type, b, random);
      const double factors[] = {2.0, 3.0};
      const Scale scale = {.factors = op == Op::premulsum ? std::span<const double>(factors) : std::span<const double>(),
                           .divisor = op == Op::avg ? 2U : 1U};
      const ConstBytes sources[] = {a, b};
      const Bytes targets[] = {got};
      device->compute(row.type, op)->reduce(sources, targets, scale);
      INFO(row.name << " " << name(op));
      CHECK(test::first_difference(row.type, got, test::reduce_plainly(row.type, op, sources, scale)) == got.size());
    }
  }
}

}  // namespace railgauge
