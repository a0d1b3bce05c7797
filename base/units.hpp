// Sizes and times: their types, how the command line writes them and how reports print them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace railgauge {

using Seconds = std::chrono::duration<double>;

// "4K" is 4096: K, M, G, T (either case, an optional "iB" or "B" behind) are binary; a fraction is allowed ("1.5M"). Returns
// bytes. Throws Error(usage) that quotes the text when it is no size, negative, not a whole number of bytes, or beyond 64 bits.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text);

// "10s", "250ms", "3us", "50ns", "2m", "1h"; a bare number is seconds. Throws Error(usage) that quotes the text.
[[nodiscard]] Seconds parse_seconds(std::string_view text);

// "1%" or "0.01" give 0.01. Throws Error(usage) when it is no number in (0, 1].
[[nodiscard]] double parse_fraction(std::string_view text);

[[nodiscard]] std::string format_bytes(std::uint64_t bytes);  // "0 B", "4 KiB", "1.5 MiB": exact, or bytes
// So many significant digits, never with an exponent and without zeros at the end: "63", "15.8", "0.25", "36288"; what is above
// them is whole. "inf" and "nan" as they are.
[[nodiscard]] std::string significant(double value, int digits);
[[nodiscard]] std::string format_seconds(Seconds seconds);  // "240 ns", "1.23 us", "4.56 ms", "7.89 s", three digits

}  // namespace railgauge
