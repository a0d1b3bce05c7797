// The one header that tests include: hides what differs between Catch2 2.13 and 3, and adds what both lack.
#pragma once

// An exception within an assertion ends its case in place of the assertion alone: a tenth less to compile.
#define CATCH_CONFIG_FAST_COMPILE
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <string>

namespace railgauge::test {

using Catch::Matchers::WithinAbs;

#if __has_include(<catch2/catch_all.hpp>)
using Catch::Matchers::ContainsSubstring;
#else
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif

inline constexpr int skip_code = 4;  // what CTest takes for a skipped test (SKIP_RETURN_CODE)

// Ends the test case as skipped. Each case runs in a process of its own under CTest, so the process ends with it.
[[noreturn]] inline void skip(const std::string& reason) {
  std::printf("skipped: %s\n", reason.c_str());
  std::fflush(nullptr);
  std::_Exit(skip_code);
}

}  // namespace railgauge::test
