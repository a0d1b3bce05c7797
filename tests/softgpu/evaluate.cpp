#include "tests/softgpu/evaluate.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace softgpu::test {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Natural;

unsigned width_of(std::string_view type) { return static_cast<unsigned>(std::stoul(std::string(type.substr(1)))); }

Natural mask_of(unsigned width) { return (Natural{1} << width) - 1; }

// The number that a register's bits are in an integer type.
Wide number(std::uint64_t bits, std::string_view type) {
  const unsigned width = width_of(type);
  const auto value = static_cast<Wide>(Natural{bits} & mask_of(width));
  return type[0] == 's' && (value >> (width - 1)) != 0 ? value - (Wide{1} << width) : value;
}
// The bits of a number, wrapped to the type; of signed types widened.
std::uint64_t wrapped(Wide value, std::string_view type) {
  return static_cast<std::uint64_t>(number(static_cast<std::uint64_t>(value), type));
}

// A binary floating-point format of a sign, an exponent and a fraction.
struct Format {
  unsigned exponent, fraction;
  bool infinite;  // the greatest exponent is for infinities and NaNs; else only its last code is a NaN
  std::uint64_t nan;
  [[nodiscard]] int bias() const { return (1 << (exponent - 1)) - 1; }
  [[nodiscard]] std::uint64_t greatest_exponent() const { return (std::uint64_t{1} << exponent) - 1; }
  [[nodiscard]] std::uint64_t sign() const { return std::uint64_t{1} << (exponent + fraction); }
};
constexpr Format f16{5, 10, true, 0x7fff}, bf16{8, 7, true, 0x7fff}, f32{8, 23, true, 0x7fffffff},
    f64{11, 52, true, 0xfff8000000000000}, e4m3{4, 3, false, 0x7f}, e5m2{5, 2, true, 0x7f};

const Format& format_of(std::string_view type) {
  if (type == "f16") return f16;
  if (type == "bf16") return bf16;
  if (type == "f32") return f32;
  if (type == "f64") return f64;
  if (type.substr(0, 4) == "e4m3") return e4m3;
  if (type.substr(0, 4) == "e5m2") return e5m2;
  throw std::invalid_argument("format " + std::string(type));
}

// whole * 2^power, exactly.
struct Real {
  bool nan = false, infinite = false, negative = false;
  Natural whole = 0;
  int power = 0;
};

Real decode(std::uint64_t bits, const Format& format) {
  Real real;
  real.negative = (bits & format.sign()) != 0;
  const std::uint64_t exponent = bits >> format.fraction & format.greatest_exponent();
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction) - 1);
  if (format.infinite && exponent == format.greatest_exponent()) {
    real.nan = fraction != 0;
    real.infinite = fraction == 0;
    return real;
  }
  if (!format.infinite && (bits & (format.sign() - 1)) == format.nan) {
    real.nan = true;
    return real;
  }
  real.whole = exponent == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction;
  real.power = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias() - static_cast<int>(format.fraction);
  return real;
}

// To nearest, ties to even. `rest`: the number is a little more than `real` says. Saturated: no infinities.
std::uint64_t encode(Real real, bool rest, const Format& format, bool saturate) {
  if (real.nan) return format.nan;
  const std::uint64_t sign = real.negative ? format.sign() : 0;
  const std::uint64_t infinity = format.greatest_exponent() << format.fraction;
  const std::uint64_t greatest = format.infinite ? infinity - 1 : format.nan - 1;
  const std::uint64_t beyond = saturate ? greatest : infinity;
  if (real.infinite) return sign | beyond;
  if (real.whole == 0) return sign;
  // Half the unit of the least subnormal, and below: all that decides.
  real.whole = real.whole << 1 | (rest ? 1 : 0);
  real.power -= 1;
  const int least = 1 - format.bias() - static_cast<int>(format.fraction);
  unsigned length = 0;
  while (length < 128 && real.whole >> length != 0) ++length;
  const int wanted = static_cast<int>(length) - static_cast<int>(format.fraction) - 1 + real.power;  // power of the unit
  const int unit = std::max(wanted, least);
  Natural kept = 0;
  if (unit <= real.power) {
    kept = real.whole << (real.power - unit);
  } else if (unit - real.power > 127) {
    kept = 0;
  } else {
    const unsigned drop = static_cast<unsigned>(unit - real.power);
    kept = real.whole >> drop;
    const Natural dropped = real.whole & mask_of(drop), half = Natural{1} << (drop - 1);
    if (dropped > half || (dropped == half && (kept & 1) != 0)) ++kept;
  }
  // The exponent's field counts from the least unit on; a carry of the rounding goes into it by itself.
  const auto code = static_cast<std::uint64_t>(kept) + (static_cast<std::uint64_t>(unit - least) << format.fraction);
  return sign | (static_cast<Natural>(kept) >> (format.fraction + 1) > 1 || code > greatest ? beyond : code);
}

// The ISA leaves the bits open: an H200 gives the last NaN that came in, and the canonical one in single precision.
std::uint64_t quiet(std::uint64_t a, std::uint64_t b, const Format& format) {
  if (format.fraction != f64.fraction) return format.nan;
  if (decode(b, format).nan) return b | std::uint64_t{1} << 51;
  if (decode(a, format).nan) return a | std::uint64_t{1} << 51;
  return format.nan;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b, const Format& format) {
  Real x = decode(a, format), y = decode(b, format);
  if (x.nan || y.nan || (x.infinite && y.infinite && x.negative != y.negative)) return quiet(a, b, format);
  if (x.infinite) return a;
  if (y.infinite) return b;
  if (x.whole == 0 && y.whole == 0) return x.negative && y.negative ? format.sign() : 0;
  if (x.whole == 0) return b;
  if (y.whole == 0) return a;
  if (x.power < y.power) std::swap(x, y);
  // 64 bits below the greater one; the smaller one may lie below them whole, then it is but a trace.
  const int apart = x.power - y.power;
  constexpr int room = 64;
  x.whole <<= room;
  x.power -= room;
  Natural small = 0;
  bool trace = false;
  if (apart <= room) {
    small = y.whole << (room - apart);
  } else {
    const int drop = apart - room;
    small = drop > 127 ? 0 : y.whole >> drop;
    trace = drop > 127 || (small << drop) != y.whole;
  }
  Real sum = x;
  if (x.negative == y.negative) {
    sum.whole = x.whole + small;
  } else if (x.whole >= small) {
    sum.whole = x.whole - small - (trace ? 1 : 0);
  } else {
    sum.whole = small - x.whole;
    sum.negative = y.negative;
  }
  if (sum.whole == 0 && !trace) return 0;
  return encode(sum, trace, format, false);
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, const Format& format) {
  const Real x = decode(a, format), y = decode(b, format);
  const bool zero = (!x.infinite && x.whole == 0) || (!y.infinite && y.whole == 0), infinite = x.infinite || y.infinite;
  if (x.nan || y.nan || (zero && infinite)) return quiet(a, b, format);
  Real product;
  product.negative = x.negative != y.negative;
  product.infinite = infinite;
  product.whole = x.whole * y.whole;
  product.power = x.power + y.power;
  return encode(product, false, format, false);
}

std::uint64_t divide(std::uint64_t a, std::uint64_t b, const Format& format) {
  const Real x = decode(a, format), y = decode(b, format);
  const bool x_zero = !x.infinite && x.whole == 0, y_zero = !y.infinite && y.whole == 0;
  if (x.nan || y.nan || (x.infinite && y.infinite) || (x_zero && y_zero)) return quiet(b, a, format);
  Real quotient;
  quotient.negative = x.negative != y.negative;
  quotient.infinite = x.infinite || y_zero;
  if (quotient.infinite || x_zero || y.infinite) return encode(quotient, false, format, false);
  Natural top = x.whole;
  int power = x.power;
  while (top >> 126 == 0) {
    top <<= 1;
    --power;
  }
  quotient.whole = top / y.whole;
  quotient.power = power - y.power;
  return encode(quotient, top % y.whole != 0, format, false);
}

// -1, 0, 1, or 2 where one is a NaN.
int compare(std::uint64_t a, std::uint64_t b, const Format& format) {
  if (decode(a, format).nan || decode(b, format).nan) return 2;
  const auto place = [&](std::uint64_t bits) {
    const auto magnitude = static_cast<Wide>(bits & (format.sign() - 1));
    return (bits & format.sign()) != 0 ? -magnitude : magnitude;
  };
  return place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0;
}

bool holds(std::string_view relation, int order) {
  if (relation == "num") return order != 2;
  if (relation == "nan") return order == 2;
  const bool unordered = relation.size() == 3;  // ltu
  if (order == 2) return unordered;
  relation = relation.substr(0, 2);
  if (relation == "eq") return order == 0;
  if (relation == "ne") return order != 0;
  if (relation == "lt") return order < 0;
  if (relation == "le") return order <= 0;
  if (relation == "gt") return order > 0;
  if (relation == "ge") return order >= 0;
  throw std::invalid_argument("relation " + std::string(relation));
}

std::uint64_t bit_field(std::uint64_t a, std::uint64_t from, std::uint64_t length, std::string_view type) {
  const unsigned last = width_of(type) - 1;
  from &= 255;
  length &= 255;
  const auto bit = [&](std::uint64_t index) { return a >> index & 1; };
  const std::uint64_t sign = type[0] == 'u' || length == 0 ? 0 : bit(std::min<std::uint64_t>(from + length - 1, last));
  std::uint64_t result = 0;
  for (std::uint64_t i = 0; i <= last; ++i) result |= (i < length && from + i <= last ? bit(from + i) : sign) << i;
  return wrapped(static_cast<Wide>(result), type);
}

std::uint64_t permute(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  std::uint8_t bytes[8];
  for (int i = 0; i < 4; ++i) {
    bytes[i] = static_cast<std::uint8_t>(a >> (8 * i));
    bytes[4 + i] = static_cast<std::uint8_t>(b >> (8 * i));
  }
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const auto choice = static_cast<unsigned>(selector >> (4 * i) & 15);
    std::uint8_t byte = bytes[choice % 8];
    if (choice >= 8) byte = byte >= 128 ? 255 : 0;
    result |= std::uint64_t{byte} << (8 * i);
  }
  return result;
}

std::uint64_t convert(const std::vector<std::string_view>& parts, std::span<const std::uint64_t> operands) {
  const std::string_view from = parts.back();
  const bool saturates = parts.size() > 4 - 1 && parts[2] == "satfinite";
  const std::string_view to = parts[parts.size() - 2];
  const auto is_integer = [](std::string_view type) { return type[0] == 'u' || type[0] == 's'; };
  if (is_integer(from) && is_integer(to)) return wrapped(number(operands[0], from), to);
  if (is_integer(from)) {
    const Wide value = number(operands[0], from);
    Real real;
    real.negative = value < 0;
    real.whole = static_cast<Natural>(value < 0 ? -value : value);
    return encode(real, false, format_of(to), false);
  }
  if (saturates) {  // two of 8 bits: the first operand is the upper one
    const Format& format = format_of(to);
    return encode(decode(operands[0] & 0xffffffff, f32), false, format, true) << 8 |
           encode(decode(operands[1] & 0xffffffff, f32), false, format, true);
  }
  if (to == "f16x2") {
    const Format& format = format_of(from);
    return encode(decode(operands[0] >> 8 & 255, format), false, f16, false) << 16 |
           encode(decode(operands[0] & 255, format), false, f16, false);
  }
  if (from == "bf16") return (operands[0] & 0xffff) << 16;  // also of a NaN
  const Format& source = format_of(from);
  return encode(decode(operands[0] & (source.sign() * 2 - 1), source), false, format_of(to), false);
}

std::uint64_t on_floats(std::string_view name, std::string_view type, std::span<const std::uint64_t> operands) {
  const Format& format = format_of(type);
  const std::uint64_t all = format.sign() - 1 + format.sign();
  const std::uint64_t a = operands[0] & all, b = operands.size() > 1 ? operands[1] & all : 0;
  if (name == "add") return add(a, b, format);
  if (name == "sub") return decode(b, format).nan ? quiet(a, b, format) : add(a, b ^ format.sign(), format);
  if (name == "mul") return multiply(a, b, format);
  if (name == "div") return divide(a, b, format);
  if ((name == "abs" || name == "neg") && decode(a, format).nan) return quiet(a, a, format);
  if (name == "abs") return a & ~format.sign();
  if (name == "neg") return a ^ format.sign();
  throw std::invalid_argument("operation " + std::string(name));
}

std::uint64_t on_integers(std::string_view name, std::string_view how, std::string_view type,
                          std::span<const std::uint64_t> operands) {
  const unsigned width = width_of(type);
  const Wide a = number(operands[0], type), b = operands.size() > 1 ? number(operands[1], type) : 0;
  const Wide all_ones = static_cast<Wide>(mask_of(width));
  if (name == "add") return wrapped(a + b, type);
  if (name == "sub") return wrapped(a - b, type);
  if (name == "mul" && how == "lo") return wrapped(a * b, type);
  if (name == "mul" && how == "wide") return wrapped(a * b, std::string(1, type[0]) + std::to_string(2 * width));
  if (name == "mul" && how == "hi")
    return wrapped(type[0] == 's' ? a * b >> width : static_cast<Wide>(Natural(a) * Natural(b) >> width), type);
  if (name == "mad") return wrapped(a * b + number(operands[2], type), type);
  if (name == "div") return wrapped(b == 0 ? all_ones : a / b, type);
  if (name == "rem") return wrapped(b == 0 ? all_ones : a % b, type);
  if (name == "min") return wrapped(std::min(a, b), type);
  if (name == "max") return wrapped(std::max(a, b), type);
  if (name == "abs") return wrapped(a < 0 ? -a : a, type);
  if (name == "neg") return wrapped(-a, type);
  if (name == "and") return wrapped(a & b, type);
  if (name == "or") return wrapped(a | b, type);
  if (name == "xor") return wrapped(a ^ b, type);
  if (name == "not") return wrapped(all_ones - a, type);
  const Wide by = operands.size() > 1 ? std::min<Wide>(number(operands[1], "u32"), width) : 0;
  if (name == "shl") return wrapped(static_cast<Wide>(Natural(a) << static_cast<unsigned>(by)), type);
  if (name == "shr") return wrapped(a >> static_cast<unsigned>(by), type);
  throw std::invalid_argument("operation " + std::string(name));
}

}  // namespace

std::uint64_t evaluate(std::string_view form, std::span<const std::uint64_t> operands) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= form.size();) {
    const std::size_t end = std::min(form.find('.', at), form.size());
    parts.push_back(form.substr(at, end - at));
    at = end + 1;
  }
  const std::string_view name = parts[0], type = parts.back();
  if (name == "cvt") return convert(parts, operands);
  if (name == "prmt") return permute(operands[0], operands[1], operands[2]);
  if (name == "bfe") return bit_field(operands[0], operands[1], operands[2], type);
  if (name == "selp" || name == "mov") {
    const std::uint64_t chosen = name == "mov" || (operands[2] & 1) != 0 ? operands[0] : operands[1];
    if (type == "pred") return chosen & 1;
    return type[0] == 'f' || type[0] == 'b' ? chosen & static_cast<std::uint64_t>(mask_of(width_of(type)))
                                            : wrapped(number(chosen, type), type);
  }
  if (name == "setp") {
    if (type[0] == 'f') {
      const std::uint64_t all = static_cast<std::uint64_t>(mask_of(width_of(type)));
      return holds(parts[1], compare(operands[0] & all, operands[1] & all, format_of(type))) ? 1 : 0;
    }
    const Wide a = number(operands[0], type), b = number(operands[1], type);
    return holds(parts[1], a < b ? -1 : a > b ? 1 : 0) ? 1 : 0;
  }
  if (type == "pred") return on_integers(name, "", "b1", operands) & 1;
  if (type[0] == 'f') return on_floats(name, type, operands);
  return on_integers(name, parts.size() > 2 ? parts[1] : std::string_view(), type, operands);
}

bool leaves_open(std::string_view form, std::span<const std::uint64_t> operands) {
  const std::string_view name = form.substr(0, form.find('.')), type = form.substr(form.rfind('.') + 1);
  if (type != "f32" && type != "f64") return false;
  const Format& format = format_of(type);
  const auto nan = [&](std::size_t i) { return decode(operands[i] & (format.sign() * 2 - 1), format).nan; };
  if (name == "abs" || name == "neg") return nan(0);
  const bool calculates = name == "add" || name == "sub" || name == "mul" || name == "div";
  return calculates && type == "f64" && nan(0) && nan(1);
}

}  // namespace softgpu::test
