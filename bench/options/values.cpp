// A check carries what it expects in its name, "kind|least|most" or "choice|a|b|c", from where value_of() reads it again.
#include "bench/options/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/units.hpp"

namespace railgauge::options {
namespace {

constexpr char mark = '|';
constexpr std::uint64_t greatest_factor = 1'000'000'000;  // from a byte to what fits no memory, in a few steps

std::vector<std::string> parts_of(const std::string& name) { return CLI::detail::split(name, mark); }

CLI::Validator validator(std::string name, std::function<bool(const std::string&)> fits) {
  const auto check = [fits = std::move(fits)](std::string& text) {
    return std::string(fits(text) ? "" : "is not what is expected");
  };
  return {check, "", std::move(name)};
}

// Whether `read` takes it, which throws where it does not.
template <class Read>
bool reads(const Read& read) {
  try {
    return read();
  } catch (const Error&) { return false; }
}

bool is_unsigned(const std::string& type) { return type.find("UINT") != std::string::npos; }
bool is_whole(const std::string& type) { return type.find("INT") != std::string::npos; }

}  // namespace

CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  return validator(fmt::format("whole{}{}{}{}", mark, least, mark, most), [least, most](const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
  });
}

CLI::Validator a_time() {
  return validator("time", [](const std::string& text) { return reads([&] { return parse_seconds(text).count() > 0; }); });
}

CLI::Validator a_share() {
  return validator("share", [](const std::string& text) { return reads([&] { return parse_fraction(text) > 0; }); });
}

CLI::Validator a_size() {
  return validator("size", [](const std::string& text) { return reads([&] { return parse_bytes(text) > 0; }); });
}

CLI::Validator number_above(std::uint64_t least, std::uint64_t most) {
  return validator(fmt::format("above{}{}{}{}", mark, least, mark, most), [least, most](const std::string& text) {
    double value = 0;
    return CLI::detail::lexical_cast(text, value) && value > static_cast<double>(least) && value <= static_cast<double>(most);
  });
}

CLI::Validator above_one() { return number_above(1, greatest_factor); }

CLI::Validator suggest(const std::vector<std::string>& names) {
  return validator("text" + (mark + CLI::detail::join(names, std::string(1, mark))), [](const std::string&) { return true; });
}

CLI::Validator one_of(const std::vector<std::string>& choices) {
  return validator("choice" + (mark + CLI::detail::join(choices, std::string(1, mark))), [choices](const std::string& text) {
    return std::find(choices.begin(), choices.end(), text) != choices.end();
  });
}

Value value_of(CLI::Option& option) {
  Value value;
  if (option.get_items_expected_max() == 0) {
    value.kind = Kind::flag;
    return value;
  }
  if (const std::string type = option.get_type_name(); is_whole(type))
    value.kind = Kind::whole, value.least = is_unsigned(type) ? "0" : "";
  else if (type.find("FLOAT") != std::string::npos)
    value.kind = Kind::number;
  try {
    std::vector<std::string> parts = parts_of(option.get_validator(0)->get_name());
    if (parts.front() == "time") value.kind = Kind::time;
    if (parts.front() == "share") value.kind = Kind::share;
    if (parts.front() == "size") value.kind = Kind::size;
    if (parts.front() == "above") value = {Kind::number, parts.at(1), parts.at(2), {}};
    if (parts.front() == "text") value.choices.assign(parts.begin() + 1, parts.end());
    if (parts.front() == "choice") value = {Kind::choice, {}, {}, {parts.begin() + 1, parts.end()}};
    if (parts.front() == "whole") value = {Kind::whole, parts.at(1), parts.at(2), {}};
  } catch (const CLI::OptionNotFound&) {
    // It takes whatever its type is.
  }
  return value;
}

std::string expected(CLI::Option& option) {
  const Value value = value_of(option);
  const bool unbounded = value.most.empty() || value.most == std::to_string(std::numeric_limits<std::uint64_t>::max());
  switch (value.kind) {
    case Kind::whole:
      if (unbounded && value.least.empty()) return "a whole number";
      return unbounded ? fmt::format("a whole number of at least {}", value.least)
                       : fmt::format("a whole number from {} to {}", value.least, value.most);
    case Kind::number:
      return value.least.empty() ? "a number" : fmt::format("a number above {} and up to {}", value.least, value.most);
    case Kind::flag:
      return "no value";
    case Kind::time:
      return "a time of more than 0, such as 250ms, 10s or 2m";
    case Kind::share:
      return "a share above 0 and up to 1, such as 1% or 0.01";
    case Kind::size:
      return "a size of at least a byte, such as 64K or 1M";
    case Kind::choice:
      return "one of " + CLI::detail::join(value.choices, ", ");
    case Kind::text:
      break;
  }
  return "a text";
}

std::string value_word(const CLI::Option& option) {
  auto& mutable_option = const_cast<CLI::Option&>(option);  // get_validator() of CLI11 has no const twin
  const std::string list = option.get_delimiter() != '\0' ? ",..." : "";
  if (std::string given = option.get_option_text(); !given.empty()) return given;
  switch (value_of(mutable_option).kind) {
    case Kind::whole:
      return "N" + list;
    case Kind::number:
      return "X" + list;
    case Kind::flag:
      return "";
    case Kind::time:
      return "TIME";
    case Kind::share:
      return "SHARE";
    case Kind::size:
      return "SIZE";
    case Kind::choice:
      return "NAME" + list;
    case Kind::text:
      break;
  }
  return (name_of(option) == "--output" ? "FILE" : "TEXT") + list;
}

std::string default_of(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

std::string untold_default(const CLI::Option& option) {
  const bool told = option.get_description().find("efault") != std::string::npos;
  return told ? std::string() : default_of(option);
}

std::string name_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_name(true);
}

std::string typed(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.empty()) return "''";
  std::string result;
  for (const char c : text.substr(0, longest))
    result += (c >= ' ' && c <= '~') ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result + (text.size() > longest ? "..." : "");
}

}  // namespace railgauge::options
