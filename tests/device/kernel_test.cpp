// Every kernel against the plain reduction, bit for bit, under every instruction set of this CPU: so that all machines agree.
#include "bench/device/host/kernel.hpp"

#include <algorithm>
#include <string>

#include "tests/device/buffers.hpp"
#include "tests/device/reference.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

namespace railgauge {
namespace {

using test::Buffers;
using test::Shape;

void check(const std::string& target, Type type, Op op, const Shape& shape, std::size_t elements, std::size_t offset, bool stream,
           std::mt19937_64& random) {
  Buffers buffers(type, elements, shape, offset, random);
  const Scale scale = test::scale_of(op, shape.sources, elements);
  const std::vector<std::byte> expected = test::reduce_plainly(type, op, buffers.sources, scale);
  std::vector<std::vector<std::byte>> before;
  for (const ConstBytes& source : buffers.sources) before.emplace_back(source.begin(), source.end());
  host::find_kernel(type, op)(buffers.sources, buffers.targets, scale, stream);

  const auto explain = [&] {
    return target + " " + std::string(name(type)) + " " + std::string(name(op)) + " " + std::to_string(shape.sources) + " into " +
           std::to_string(shape.targets) + ", in place " + std::to_string(shape.in_place) + ", " + std::to_string(elements) +
           " elements at " + std::to_string(offset) + (stream ? ", streaming" : "");
  };
  for (const Bytes& got : buffers.targets) {
    const std::size_t at = test::first_difference(type, got, expected);
    if (at == expected.size()) continue;
    INFO(explain() << ", first difference at byte " << at);
    FAIL();
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (static_cast<int>(i) == shape.in_place || std::ranges::equal(before[i], buffers.sources[i])) continue;
    INFO(explain() << ", source " << i << " was changed");
    FAIL();
  }
  if (!buffers.guarded()) {
    INFO(explain() << ", wrote outside the targets");
    FAIL();
  }
}

void check_type(Type type) {
  constexpr std::uint64_t seed = 7;
  INFO("seed " << seed);
  std::size_t targets = 0;
  test::for_each_target([&](const std::string& target) {
    ++targets;
    std::mt19937_64 random(seed);
    for (const Op op : test::all_ops) {
      std::size_t turn = 0;  // each number of elements with some of the shapes
      for (const Shape& shape : test::shapes) {
        ++turn;
        for (std::size_t elements = 0; elements <= 130; ++elements) {
          if (!test::thorough() && (elements + turn) % 3 != 0) continue;
          check(target, type, op, shape, elements, elements % 5 == 0 ? 0 : random() % 64, elements % 2 == 1, random);
        }
        for (const std::size_t offset : {std::size_t{0}, bytes_of(type), std::size_t{1}, std::size_t{63}}) {
          for (const bool stream : {false, true}) check(target, type, op, shape, 1021, offset, stream, random);
        }
      }
    }
  });
  CHECK(targets > 0);
}

}  // namespace

TEST_CASE("int8 kernels agree with the definition") { check_type(Type::int8); }
TEST_CASE("uint8 kernels agree with the definition") { check_type(Type::uint8); }
TEST_CASE("int32 kernels agree with the definition") { check_type(Type::int32); }
TEST_CASE("uint32 kernels agree with the definition") { check_type(Type::uint32); }
TEST_CASE("int64 kernels agree with the definition") { check_type(Type::int64); }
TEST_CASE("uint64 kernels agree with the definition") { check_type(Type::uint64); }
TEST_CASE("float16 kernels agree with the definition") { check_type(Type::float16); }
TEST_CASE("bfloat16 kernels agree with the definition") { check_type(Type::bfloat16); }
TEST_CASE("float32 kernels agree with the definition") { check_type(Type::float32); }
TEST_CASE("float64 kernels agree with the definition") { check_type(Type::float64); }
TEST_CASE("float8_e4m3 kernels agree with the definition") { check_type(Type::float8_e4m3); }
TEST_CASE("float8_e5m2 kernels agree with the definition") { check_type(Type::float8_e5m2); }

// All codes of a small type, each against each other code (float8) or against some (16 bits).
TEST_CASE("vectors convert every code as the definition does") {
  for (const Type type : {Type::float16, Type::bfloat16, Type::float8_e4m3, Type::float8_e5m2}) {
    const bool wide = bytes_of(type) == 2;
    std::vector<std::byte> a(wide ? 65536 * 2 : 65536);
    std::vector<std::byte> b(a.size());
    std::mt19937_64 random(11);
    test::fill_randomly(type, b, random);
    for (std::size_t i = 0; i < 65536; ++i) {
      if (wide) {
        const auto code = static_cast<std::uint16_t>(i);
        std::memcpy(a.data() + 2 * i, &code, 2);
      } else {
        a[i] = static_cast<std::byte>(i % 256);
        b[i] = static_cast<std::byte>(i / 256);
      }
    }
    for (const Op op : test::all_ops) {
      const std::vector<ConstBytes> sources = {a, b};
      const std::vector<std::byte> expected = test::reduce_plainly(type, op, sources, {});
      test::for_each_target([&](const std::string& target) {
        std::vector<std::byte> got(a.size());
        const std::vector<Bytes> targets = {got};
        host::find_kernel(type, op)(sources, targets, {}, false);
        INFO(target << " " << name(type) << " " << name(op));
        CHECK(test::first_difference(type, got, expected) == expected.size());
      });
    }
  }
}

}  // namespace railgauge
