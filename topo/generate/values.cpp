// Whole numbers and ratios, and what is said of others.
#include "topo/generate/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

constexpr double most_ratio = 64;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

void check_value(const GenerateParameter& parameter, std::string_view value) {
  unsigned number = 0;
  if (parameter.most != 0 && (!read_number(value, number) || number < parameter.least || number > parameter.most))
    throw Error(Fault::usage, fmt::format("{} {}: expected a whole number from {} to {}", parameter.name, value.substr(0, 60),
                                          parameter.least, parameter.most));
}

unsigned whole_value(const GenerateValues& values, std::string_view name, unsigned otherwise) {
  const auto found = values.find(name);
  unsigned number = otherwise;
  if (found != values.end()) static_cast<void>(read_number(found->second, number));
  return number;
}

double ratio_value(const GenerateValues& values, std::string_view name, double otherwise) {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  double number = 0;
  if (!read_number(found->second, number) || !(number >= 1 && number <= most_ratio))
    throw Error(Fault::usage, fmt::format("{} {}: expected a number from 1 to {:g}, as 2 or 1.5", name,
                                          found->second.substr(0, 60), most_ratio));
  return std::round(number * 1000) / 1000;
}

std::string_view text_value(const GenerateValues& values, std::string_view name, std::string_view otherwise) {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : std::string_view(found->second);
}

}  // namespace railgauge::topo
