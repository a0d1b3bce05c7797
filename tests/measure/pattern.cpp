// The data of the check: exact in any order, and sensitive to everything that can go wrong with it.
#include "bench/measure/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "bench/device/element.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr std::uint64_t seed = 42;

std::vector<std::byte> made(const Pattern& pattern, Source source, std::uint64_t first, std::size_t count,
                            std::uint64_t of = seed) {
  std::vector<std::byte> bytes(count * bytes_of(pattern.type()));
  pattern.fill(bytes, source, first, of);
  return bytes;
}

Source input_of(int rank) { return {Source::Kind::input, static_cast<std::uint64_t>(rank)}; }
constexpr Source reduced{Source::Kind::reduced, 0};

template <Type type>
using Stored = typename element::Element<type>::Stored;

template <Type type>
Stored<type> reduce(Op op, Stored<type> a, Stored<type> b) {
  using E = element::Element<type>;
  return E::stored(element::combine(op, E::number(a), E::number(b)));
}

// Reduces the inputs of all ranks along a random tree, rounding to the type after each step, as any algorithm might.
template <Type type>
std::vector<Stored<type>> reduce_at_random(const Pattern& pattern, Op op, int ranks, std::uint64_t first, std::size_t count,
                                           std::mt19937_64& generator) {
  using E = element::Element<type>;
  std::vector<std::vector<Stored<type>>> parts;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Stored<type>> part(count);
    pattern.fill(std::as_writable_bytes(std::span(part)), input_of(rank), first, seed);
    if (op == Op::premulsum)
      for (auto& stored : part) {
        using Number = typename E::Number;
        stored = E::stored(element::multiply(E::number(stored), element::factor<Number>(premulsum_factor(rank))));
      }
    parts.push_back(std::move(part));
  }
  while (parts.size() > 1) {
    std::swap(parts[generator() % parts.size()], parts.back());
    auto taken = std::move(parts.back());
    parts.pop_back();
    auto& into = parts[generator() % parts.size()];
    for (std::size_t i = 0; i < count; ++i) into[i] = reduce<type>(op, into[i], taken[i]);
  }
  if (op == Op::avg)
    for (auto& stored : parts[0]) stored = E::stored(element::divide(E::number(stored), static_cast<std::uint32_t>(ranks)));
  return parts[0];
}

template <class Body>
void for_each_type_and_op(Body&& body) {
  for (const TypeRow& type : types())
    for (const OpRow& op : ops()) {
      INFO(type.name << " " << op.name);
      body(type.type, op.op);
    }
}

}  // namespace

TEST_CASE("any order and any association of the inputs gives the expected bits") {
  for_each_type_and_op([](Type type, Op op) {
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 11, 16, 23, 24, 33, 54, 64, 128, 257, 1024}) {
      const Pattern pattern(type, op, ranks);
      std::mt19937_64 generator(seed + static_cast<std::uint64_t>(ranks));
      element::with_type(type, [&]<Type t>() {
        const std::uint64_t first = 1000003;
        const std::size_t count = 300;
        for (int tree = 0; tree < (ranks < 64 ? 4 : 1); ++tree) {
          const auto got = reduce_at_random<t>(pattern, op, ranks, first, count, generator);
          const auto wrong = pattern.compare(std::as_bytes(std::span(got)), reduced, first, seed);
          INFO("ranks " << ranks << " tree " << tree << " seed " << seed);
          CHECK_FALSE(wrong.has_value());
        }
      });
    }
  });
}

TEST_CASE("no input and no result is a NaN, an infinity, a subnormal or a negative zero") {
  for (const Op op : {Op::sum, Op::prod, Op::min, Op::max, Op::premulsum})
    for (const int ranks : {2, 8, 100}) {
      const auto ordinary = [&]<Type t>() {
        using E = element::Element<t>;
        const Pattern pattern(t, op, ranks);
        for (const Source source : {input_of(0), input_of(1), reduced}) {
          std::vector<Stored<t>> elements(3000);
          pattern.fill(std::as_writable_bytes(std::span(elements)), source, 0, seed);
          for (const auto stored : elements) {
            const double number = E::number(stored);
            const double least = t == Type::float8_e4m3 ? 0x1p-6 : 0x1p-14;
            if (std::isfinite(number) && (number == 0 ? !std::signbit(number) : std::abs(number) >= least)) continue;
            FAIL(name(t) << " " << name(op) << " " << number);
          }
        }
      };
      for (const Type type : {Type::float16, Type::bfloat16, Type::float32, Type::float64, Type::float8_e4m3, Type::float8_e5m2})
        element::with_type(type, [&]<Type t>() {
          if constexpr (std::is_floating_point_v<typename element::Element<t>::Number>) ordinary.template operator()<t>();
        });
    }
}

TEST_CASE("elements follow from their index alone, wherever filling begins") {
  for_each_type_and_op([](Type type, Op op) {
    const Pattern pattern(type, op, 5);
    const std::size_t size = bytes_of(type);
    for (const Source source : {input_of(3), reduced, Source{Source::Kind::bits, 9}}) {
      const auto all = made(pattern, source, 0, 1000);
      for (const std::size_t first : {1U, 255U, 256U, 257U, 700U})
        for (const std::size_t count : {0U, 1U, 256U, 300U}) {
          const auto part = made(pattern, source, first, count);
          CHECK(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first * size)));
        }
    }
  });
}

TEST_CASE("elements beyond 2^32 differ from those before") {
  const Pattern pattern(Type::uint8, Op::sum, 3);
  CHECK(made(pattern, reduced, 0, 256) != made(pattern, reduced, std::uint64_t{1} << 32, 256));
  CHECK(made(pattern, reduced, 0, 256) != made(pattern, reduced, std::uint64_t{1} << 40, 256));
}

TEST_CASE("stale, shifted and foreign elements are seen") {
  constexpr std::size_t count = 4096;
  for_each_type_and_op([](Type type, Op op) {
    for (const int ranks : {2, 8, 64}) {
      const Pattern pattern(type, op, ranks);
      INFO("ranks " << ranks << " seed " << seed);
      // An average of 8-bit integers over many ranks is a small number: hardly anything can be told from it.
      const bool tiny = op == Op::avg && (type == Type::int8 || type == Type::uint8) && ranks > 8;
      const std::uint64_t least = tiny ? 1 : count / 2;
      const auto stale = pattern.compare(made(pattern, reduced, 0, count, seed + 1), reduced, 0, seed);
      REQUIRE(stale.has_value());
      CHECK(stale->wrong >= least);
      for (const std::uint64_t shift : {1U, 16U, 256U, 65536U}) {
        const auto shifted = pattern.compare(made(pattern, reduced, shift, count), reduced, 0, seed);
        REQUIRE(shifted.has_value());
        CHECK(shifted->wrong >= least);
      }
      // An input where the result should be: what an operation that did nothing in place leaves behind.
      const auto nothing = pattern.compare(made(pattern, input_of(1), 0, count), reduced, 0, seed);
      REQUIRE(nothing.has_value());
      const Source sender{Source::Kind::bits, 1};
      const auto foreign = pattern.compare(made(pattern, {Source::Kind::bits, 2}, 0, count), sender, 0, seed);
      REQUIRE(foreign.has_value());
      CHECK(foreign->wrong >= count / 10 * 9);
    }
  });
}

TEST_CASE("each single flipped bit is seen, and nothing else") {
  for_each_type_and_op([](Type type, Op op) {
    const Pattern pattern(type, op, 4);
    const std::size_t size = bytes_of(type);
    auto bytes = made(pattern, reduced, 100, 600);
    CHECK_FALSE(pattern.compare(bytes, reduced, 100, seed).has_value());
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      const std::size_t element = (bit * 97) % 600;
      std::byte& touched = bytes[element * size + bit / 8];
      touched ^= static_cast<std::byte>(1U << (bit % 8));
      const auto difference = pattern.compare(bytes, reduced, 100, seed);
      REQUIRE(difference.has_value());
      CHECK(difference->index == element);
      CHECK(difference->wrong == 1);
      touched ^= static_cast<std::byte>(1U << (bit % 8));
    }
  });
}

TEST_CASE("a rank whose contribution is missing is seen") {
  // Prod and the sums: the result without the rank differs somewhere. Min and max: where the rank has the extreme.
  for_each_type_and_op([](Type type, Op op) {
    const bool tiny = op == Op::avg && (type == Type::int8 || type == Type::uint8);
    for (const int ranks : {2, 5, 16, 100}) {
      if (tiny && ranks > 5) continue;
      const Pattern pattern(type, op, ranks);
      for (const int missing : {0, 1, ranks - 1}) {
        element::with_type(type, [&]<Type t>() {
          using E = element::Element<t>;
          const std::size_t count = static_cast<std::size_t>(16 * ranks);
          std::vector<Stored<t>> result;
          for (int rank = 0; rank < ranks; ++rank) {
            if (rank == missing) continue;
            std::vector<Stored<t>> part(count);
            pattern.fill(std::as_writable_bytes(std::span(part)), input_of(rank), 0, seed);
            if (op == Op::premulsum && rank % 2 == 1)
              for (auto& stored : part) stored = reduce<t>(Op::sum, stored, stored);
            if (result.empty())
              result = part;
            else
              for (std::size_t i = 0; i < count; ++i) result[i] = reduce<t>(op, result[i], part[i]);
          }
          if (op == Op::avg)
            for (auto& stored : result) stored = E::stored(element::divide(E::number(stored), static_cast<std::uint32_t>(ranks)));
          INFO("ranks " << ranks << " missing " << missing << " seed " << seed);
          CHECK(pattern.compare(std::as_bytes(std::span(result)), reduced, 0, seed).has_value());
        });
      }
    }
  });
}

TEST_CASE("results use the whole mantissa") {
  const Pattern pattern(Type::float32, Op::sum, 8);
  std::vector<float> results(1000);
  pattern.fill(std::as_writable_bytes(std::span(results)), reduced, 0, seed);
  std::uint32_t ones = 0, zeros = 0;
  for (const float result : results) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &result, sizeof(bits));
    ones |= bits;
    zeros |= ~bits;
  }
  CHECK((ones & 0x807fffffU) == 0x807fffffU);
  CHECK((zeros & 0x807fffffU) == 0x807fffffU);
}

TEST_CASE("an element is written as a number and its bits") {
  const float number = 1.5F;
  CHECK(element_text(Type::float32, reinterpret_cast<const std::byte*>(&number)) == "1.5 (0x3fc00000)");
  const std::int8_t small = -3;
  CHECK(element_text(Type::int8, reinterpret_cast<const std::byte*>(&small)) == "-3 (0xfd)");
  const std::uint16_t half = 0xc000;
  CHECK(element_text(Type::float16, reinterpret_cast<const std::byte*>(&half)) == "-2 (0xc000)");
}
