// The conversions of small formats against a reference that knows only what a code means, and the rules of the operations.
#include "bench/device/element.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/test.hpp"

namespace railgauge {
namespace {

using element::decode;
using element::encode;
using element::Format;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// The meaning of a code by the definition of the format, in float64; NaN and infinities as such.
double meaning(const Format& format, std::uint32_t code) {
  const int exponent_bits = format.bits - 1 - format.mantissa;
  const auto mantissa = static_cast<int>(code & ((1U << format.mantissa) - 1));
  const auto exponent = static_cast<int>((code >> format.mantissa) & ((1U << exponent_bits) - 1));
  const double sign = (code >> (format.bits - 1)) != 0 ? -1 : 1;
  if (format.infinity && exponent == (1 << exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (!format.infinity && (code & ((1U << (format.bits - 1)) - 1)) == format.not_a_number) return std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - format.bias - format.mantissa);
  return sign * std::ldexp(mantissa + (1 << format.mantissa), exponent - format.bias - format.mantissa);
}

// The positive finite codes are in the order of their meanings: search them.
class SlowEncoder {
 public:
  explicit SlowEncoder(const Format& format) : format_(format) {
    for (std::uint32_t code = 0; std::isfinite(meaning(format, code)); ++code) values_.push_back(meaning(format, code));
  }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] std::uint32_t operator()(float value) const {
    if (std::isnan(value)) return format_.not_a_number;
    const std::uint32_t sign = std::signbit(value) ? 1U << (format_.bits - 1) : 0;
    const double magnitude = std::abs(static_cast<double>(value));
    const auto last = static_cast<std::uint32_t>(values_.size() - 1);
    const double beyond = values_[last] + (values_[last] - values_[last - 1]);  // the next number, had the format one
    const auto above = static_cast<std::uint32_t>(std::lower_bound(values_.begin(), values_.end(), magnitude) - values_.begin());
    if (above <= last && values_[above] == magnitude) return above | sign;
    const double low = values_[above - 1];
    const double high = above <= last ? values_[above] : beyond;
    const bool up = magnitude - low > high - magnitude || (magnitude - low == high - magnitude && above % 2 == 0);
    if (!up) return (above - 1) | sign;
    return (above <= last ? above : format_.largest) | sign;
  }

 private:
  Format format_;
  std::vector<double> values_;
};

template <Format format>
void check_format() {
  const std::uint32_t codes = 1U << format.bits;
  std::uint32_t wrong = 0;
  for (std::uint32_t code = 0; code < codes; ++code) {
    const double expected = meaning(format, code);
    const float got = decode<format>(code);
    if (std::isnan(expected)) {
      wrong += !std::isnan(got) || encode<format>(got) != format.not_a_number;
    } else {
      wrong += static_cast<double>(got) != expected || std::signbit(got) != std::signbit(expected);
      const bool saturates = std::isinf(expected) && !format.infinity;
      wrong += !saturates && encode<format>(got) != code;
    }
  }
  CHECK(wrong == 0);

  const SlowEncoder slow(format);
  const auto check = [&](float value) {
    for (const float signed_value : {value, -value}) {
      const std::uint32_t got = encode<format>(signed_value);
      const std::uint32_t expected = slow(signed_value);
      if (got == expected) continue;
      INFO("value " << signed_value << " bits " << element::bits_of(signed_value));
      CHECK(got == expected);
    }
  };
  for (const float value : {0.0F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::min(),
                            std::numeric_limits<float>::max(), infinity, nan, element::float_of(0x7f800001U)}) {
    check(value);
  }
  const std::vector<double>& values = slow.values();
  for (std::size_t i = 1; i <= values.size(); ++i) {  // each midpoint, the one beyond the largest too, and both its neighbours
    const double middle =
        i < values.size() ? (values[i - 1] + values[i]) / 2 : values[i - 1] + (values[i - 1] - values[i - 2]) / 2;
    const auto value = static_cast<float>(middle);
    check(value);
    check(std::nextafter(value, 0.0F));
    check(std::nextafter(value, infinity));
  }
  std::mt19937 random(20240607);
  for (int i = 0; i < 300'000; ++i) check(element::float_of(static_cast<std::uint32_t>(random())));
}

}  // namespace

TEST_CASE("float16 converts exactly and rounds to nearest even") { check_format<element::float16>(); }
TEST_CASE("bfloat16 converts exactly and rounds to nearest even") { check_format<element::bfloat16>(); }
TEST_CASE("float8_e4m3 converts exactly and rounds to nearest even") { check_format<element::float8_e4m3>(); }
TEST_CASE("float8_e5m2 converts exactly and rounds to nearest even") { check_format<element::float8_e5m2>(); }

TEST_CASE("what is too large for a small format") {
  CHECK(decode<element::float8_e4m3>(encode<element::float8_e4m3>(1e9F)) == 448.0F);
  CHECK(decode<element::float8_e4m3>(encode<element::float8_e4m3>(-infinity)) == -448.0F);
  CHECK(decode<element::float8_e5m2>(encode<element::float8_e5m2>(1e9F)) == infinity);
  CHECK(decode<element::float16>(encode<element::float16>(65519.0F)) == 65504.0F);
  CHECK(decode<element::float16>(encode<element::float16>(65520.0F)) == infinity);
  CHECK(decode<element::bfloat16>(encode<element::bfloat16>(std::numeric_limits<float>::max())) == infinity);
}

TEST_CASE("conversions and operations are constant expressions") {
  STATIC_REQUIRE(decode<element::float16>(0x3c00) == 1.0F);
  STATIC_REQUIRE(encode<element::bfloat16>(1.0F) == 0x3f80);
  STATIC_REQUIRE(element::combine(Op::sum, 2, 3) == 5);
  STATIC_REQUIRE(element::divide(7.0F, 2) == 3.5F);
}

TEST_CASE("integers wrap around and are divided towards zero") {
  CHECK(element::combine<std::int8_t>(Op::sum, 100, 100) == -56);
  CHECK(element::combine<std::uint8_t>(Op::prod, 20, 20) == 144);
  CHECK(element::combine<std::int64_t>(Op::prod, INT64_MAX, 2) == -2);
  CHECK(element::divide<std::int32_t>(-7, 2) == -3);
  CHECK(element::divide<std::int64_t>(INT64_MIN, UINT32_MAX) == INT64_MIN / std::int64_t{UINT32_MAX});
  CHECK(element::divide<std::uint8_t>(200, 300) == 0);
  CHECK(element::divide<std::uint64_t>(UINT64_MAX, 2) == UINT64_MAX / 2);
}

TEST_CASE("factors become the type before they multiply") {
  CHECK(element::factor<std::int32_t>(2.9) == 2);
  CHECK(element::factor<std::int32_t>(-2.9) == -2);
  CHECK(element::factor<std::uint8_t>(-1.0) == 255);
  CHECK(element::factor<std::int64_t>(1e30) == INT64_MAX);
  CHECK(element::factor<std::int64_t>(-1e30) == INT64_MIN);
  CHECK(element::factor<std::uint64_t>(1e19) == 10'000'000'000'000'000'000U);
  CHECK(element::factor<std::uint64_t>(1e30) == UINT64_MAX);
  CHECK(element::factor<std::int32_t>(std::nan("")) == 0);
  CHECK(element::factor<float>(0.1) == 0.1F);
}

TEST_CASE("min and max keep NaN wherever it stands, and the first of equals") {
  for (const Op op : {Op::min, Op::max}) {
    CHECK(std::isnan(element::combine(op, nan, 1.0F)));
    CHECK(std::isnan(element::combine(op, 1.0F, nan)));
    CHECK(std::signbit(element::combine(op, -0.0F, 0.0F)));
    CHECK(!std::signbit(element::combine(op, 0.0F, -0.0F)));
  }
  CHECK(element::combine(Op::min, 1.0, -infinity * 1.0) == -HUGE_VAL);
  CHECK(element::combine(Op::max, 1.0, 2.0) == 2.0);
}

}  // namespace railgauge
