// What the host device's tests share: random buffers, a reduction written straight from bench/device/element.hpp, and a walk over
// the instruction sets of this CPU.
#pragma once

#include "bench/device/host/targets.hpp"
//
#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/device/element.hpp"

namespace railgauge::test {

inline constexpr Op all_ops[] = {Op::sum, Op::prod, Op::min, Op::max, Op::avg, Op::premulsum};

// Element by element, in the order of the sources.
inline std::vector<std::byte> reduce_plainly(Type type, Op op, std::span<const ConstBytes> sources, const Scale& scale) {
  std::vector<std::byte> result(sources[0].size());
  element::with_type(type, [&]<Type t>() {
    using Element = element::Element<t>;
    using Number = typename Element::Number;
    for (std::size_t at = 0; at < result.size(); at += sizeof(typename Element::Stored)) {
      Number sum{};
      for (std::size_t i = 0; i < sources.size(); ++i) {
        typename Element::Stored stored;
        std::memcpy(&stored, sources[i].data() + at, sizeof stored);
        Number number = Element::number(stored);
        if (!scale.factors.empty()) number = element::multiply(number, element::factor<Number>(scale.factors[i]));
        sum = i == 0 ? number : element::combine(op, sum, number);
      }
      const auto stored = Element::stored(element::divide(sum, scale.divisor));
      std::memcpy(result.data() + at, &stored, sizeof stored);
    }
  });
  return result;
}

// The first byte at which two arrays of a type differ, or their size. Two NaNs of float32 or float64 are the same.
inline std::size_t first_difference(Type type, std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto both_nan = [&]<class T>(T x, std::size_t at) {
    T y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return std::isnan(x) && std::isnan(y);
  };
  const std::size_t step = bytes_of(type);
  for (std::size_t at = 0; at < a.size(); at += step) {
    if (std::memcmp(a.data() + at, b.data() + at, step) == 0) continue;
    if (type == Type::float32 && both_nan(0.0F, at)) continue;
    if (type == Type::float64 && both_nan(0.0, at)) continue;
    return at;
  }
  return a.size();
}

// Half of the elements are any bits at all (NaN, infinities and subnormals among them), half have a middling exponent, so that
// sums and products stay in range.
inline void fill_randomly(Type type, std::span<std::byte> bytes, std::mt19937_64& random) {
  const std::size_t step = bytes_of(type);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const std::uint64_t any = random();
    std::memcpy(bytes.data() + at, &any, step);
    if (random() % 2 == 0) continue;
    element::with_type(type, [&]<Type t>() {
      using Element = element::Element<t>;
      if constexpr (std::is_floating_point_v<typename Element::Number>) {
        const double middling = std::ldexp(static_cast<double>(static_cast<std::int64_t>(any)), -63) * 4;
        const auto stored = Element::stored(static_cast<typename Element::Number>(middling));
        std::memcpy(bytes.data() + at, &stored, sizeof stored);
      }
    });
  }
}

// Calls call(name) with each instruction set that the kernels were compiled for and this CPU has, being the one that is chosen.
template <class Call>
void for_each_target(Call&& call) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    call(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace railgauge::test
