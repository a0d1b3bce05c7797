// Reads sizes, times and fractions from text, exactly, and writes them for people.
#include "base/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"

namespace railgauge {
namespace {

struct Unit {
  std::string_view name;
  int shift;  // the unit is 2^shift bytes
};
constexpr Unit binary_units[] = {{"", 0}, {"k", 10}, {"m", 20}, {"g", 30}, {"t", 40}};
constexpr std::string_view endings[] = {"", "b", "ib"};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// What the user typed, cut to a length that fits a sentence and with no control characters or broken bytes.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  for (const char c : text.substr(0, longest))
    result += (c >= ' ' && c <= '~') ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result + (text.size() > longest ? "...'" : "'");
}

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw Error(Fault::usage, fmt::format("{} {}", quoted(text), why));
}

// The decimal number at the front of a text, in digits: [0-9]+ or [0-9]+ '.' [0-9]+.
struct Decimal {
  std::string_view whole, fraction, rest;
};

std::optional<Decimal> read_decimal(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == 0) return std::nullopt;
  Decimal number{text.substr(0, end), {}, text.substr(end)};
  if (number.rest.empty() || number.rest.front() != '.') return number;
  std::size_t last = end + 1;
  while (last < text.size() && is_digit(text[last])) ++last;
  if (last == end + 1) return std::nullopt;
  number.fraction = text.substr(end + 1, last - end - 1);
  number.rest = text.substr(last);
  return number;
}

std::optional<int> shift_of(std::string_view suffix) {
  const std::string wanted = lower(suffix);
  for (const Unit& unit : binary_units)
    for (const std::string_view ending : endings) {
      if (unit.shift == 0 && ending == "ib") continue;
      if (wanted == std::string(unit.name) + std::string(ending)) return unit.shift;
    }
  return std::nullopt;
}

// Doubles 0.d1d2d3... in place and returns the digit that moved before the point.
unsigned double_fraction(std::string& digits) {
  int carry = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const int twice = 2 * (digits[i] - '0') + carry;
    digits[i] = static_cast<char>('0' + twice % 10);
    carry = twice / 10;
  }
  return static_cast<unsigned>(carry);
}

// The number in front of a unit, as a double; nothing when it is no plain decimal number or beyond a double.
std::optional<double> number_of(const Decimal& decimal) {
  const std::string_view digits(decimal.whole.data(),
                                decimal.whole.size() + (decimal.fraction.empty() ? 0 : 1 + decimal.fraction.size()));
  double value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  if (fault != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  const std::optional<Decimal> decimal = read_decimal(text);
  if (!decimal) refuse(text, "is not a size: write a number of bytes such as 4096, 4K, 1.5M or 2G");
  std::string_view suffix = decimal->rest;
  if (suffix.size() > 1 && suffix.front() == ' ') suffix.remove_prefix(1);  // "1.5 MiB", as format_bytes writes it
  const std::optional<int> shift = shift_of(suffix);
  if (!shift) refuse(text, "is not a size: the unit is one of B, K, M, G, T (binary)");
  constexpr std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  if (std::from_chars(decimal->whole.data(), decimal->whole.data() + decimal->whole.size(), value).ec != std::errc{})
    refuse(text, "is beyond 64 bits");
  std::string fraction(decimal->fraction);
  for (int i = 0; i < *shift; ++i) {
    if (value > limit / 2) refuse(text, "is beyond 64 bits");
    value = value * 2 + double_fraction(fraction);
  }
  if (fraction.find_first_not_of('0') != std::string::npos) refuse(text, "is not a whole number of bytes");
  return value;
}

Seconds parse_seconds(std::string_view text) {
  struct Row {
    std::string_view name;
    double seconds;
  };
  constexpr Row rows[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"m", 60}, {"h", 3600}};
  constexpr double longest = 1e9;  // 31 years: keeps every deadline within the clock's 64 bits of nanoseconds
  constexpr std::string_view hint = "is not a time: write a number and a unit such as 50ns, 3us, 250ms, 10s, 2m or 1h";
  const std::optional<Decimal> decimal = read_decimal(text);
  if (!decimal) refuse(text, hint);
  for (const Row& row : rows) {
    if (decimal->rest != row.name) continue;
    const std::optional<double> number = number_of(*decimal);
    if (!number || *number * row.seconds > longest) refuse(text, "is too long: a time is at most 1000000000s");
    return Seconds(*number * row.seconds);
  }
  refuse(text, hint);
}

double parse_fraction(std::string_view text) {
  constexpr std::string_view hint = "is not a fraction: write a share above 0 and up to 1, such as 1% or 0.01";
  const std::optional<Decimal> decimal = read_decimal(text);
  if (!decimal || !(decimal->rest.empty() || decimal->rest == "%")) refuse(text, hint);
  const std::optional<double> number = number_of(*decimal);
  if (!number) refuse(text, hint);
  const double value = decimal->rest.empty() ? *number : *number / 100;
  if (!(value > 0 && value <= 1)) refuse(text, hint);
  return value;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::string_view names[] = {"KiB", "MiB", "GiB", "TiB"};
  for (int i = 3; i >= 0; --i) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * (i + 1));
    const std::uint64_t thousandths = bytes % unit * 1000;
    if (bytes < unit || thousandths % unit != 0) continue;
    std::string text = fmt::format("{}.{:03}", bytes / unit, thousandths / unit);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return fmt::format("{} {}", text, names[i]);
  }
  return fmt::format("{} B", bytes);
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value == 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - whole));
  if (text.find('.') == std::string::npos) return text;
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string format_seconds(Seconds seconds) {
  struct Row {
    std::string_view name;
    double seconds;
  };
  constexpr Row rows[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const double value = seconds.count();
  if (value == 0) return "0 ns";
  for (const Row& row : rows) {
    const double scaled = value / row.seconds;
    const double size = std::fabs(scaled);
    if (size >= 999.5 && row.seconds < 1) continue;  // would be written as 1000
    const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", scaled, decimals, row.name);
  }
  return fmt::format("{} s", value);  // not a number
}

}  // namespace railgauge
