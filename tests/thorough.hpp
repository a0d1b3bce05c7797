// How much a test calculates: what takes seconds of a processor is smaller by default, and as large as it was meant in ci/full.
#pragma once

#include <cstdlib>

namespace railgauge::test {

// Whether RAILGAUGE_THOROUGH is set (job `thorough` of ci/full): simulations then run as often, and fabrics are as large, as the
// figures of the documentation were found with.
inline bool thorough() { return std::getenv("RAILGAUGE_THOROUGH") != nullptr; }

// Whether this was built with sanitizers, under which a simulation takes ten times as long: they look at its accesses to memory,
// and a few of its cases have all of them.
#if defined(__has_feature)
#define RAILGAUGE_HAS_FEATURE(name) __has_feature(name)
#else
#define RAILGAUGE_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || RAILGAUGE_HAS_FEATURE(address_sanitizer) || \
    RAILGAUGE_HAS_FEATURE(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#undef RAILGAUGE_HAS_FEATURE

template <typename Number>
constexpr Number usual_or_sanitized(Number usual, Number under_sanitizers) {
  return sanitized ? under_sanitizers : usual;
}

template <typename Number>
Number usual_or_thorough(Number usual, Number in_full) {
  return thorough() ? in_full : usual;
}

}  // namespace railgauge::test
