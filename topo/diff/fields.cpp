#include "topo/diff/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "topo/infiniband.hpp"

namespace railgauge::topo::fields {
namespace {

// Attributes that change while nothing is rebuilt.
constexpr auto passing_attributes =
    std::to_array<std::string_view>({"lid", "sm_lid", "base_lid", "lmc", "routes", "temperature", "power", "clocks", "notes"});

bool is_passing(std::string_view name) {
  return name.starts_with("current_") || name.ends_with("_now") ||
         std::find(passing_attributes.begin(), passing_attributes.end(), name) != passing_attributes.end();
}

std::string text_of(const Value& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string all;
  for (const std::string& one : std::get<std::vector<std::string>>(value)) all += (all.empty() ? "" : ", ") + one;
  return all;
}

std::string number(double value) { return value == 0 ? std::string() : fmt::format("{:.6g}", value); }

}  // namespace

void compare(std::string name, std::string from, std::string to, Changes& changes) {
  if (from != to) changes.push_back({std::move(name), std::move(from), std::move(to)});
}

void compare(std::string name, double from, double to, Changes& changes) {
  compare(std::move(name), number(from), number(to), changes);
}

bool comparable(double from, double to, const Fields& fields) { return fields.one_source || (from != 0 && to != 0); }

double told_by_all(double speed, const Fields& fields) {
  return !fields.one_source && speed == infiniband_speed("FDR10")->signalling ? infiniband_speed("QDR")->signalling : speed;
}

void compare(const std::string& name, const Rate& from, const Rate& to, bool speed, const Fields& fields, Changes& changes) {
  if (comparable(from.width, to.width, fields)) compare(name + " width", from.width, to.width, changes);
  if (speed && comparable(from.speed, to.speed, fields))
    compare(name + " speed", told_by_all(from.speed, fields), told_by_all(to.speed, fields), changes);
}

void compare(const Attributes& from, const Attributes& to, const Fields& fields, Changes& changes) {
  auto a = from.begin();
  auto b = to.begin();
  while (a != from.end() || b != to.end()) {
    const bool left = b == to.end() || (a != from.end() && a->first <= b->first);
    const bool right = a == from.end() || (b != to.end() && b->first <= a->first);
    const std::string& name = left ? a->first : b->first;
    const bool told = fields.one_source || (left && right);
    if (told && (fields.passing || !is_passing(name)))
      compare(name, left ? text_of(a->second) : "", right ? text_of(b->second) : "", changes);
    if (left) ++a;
    if (right) ++b;
  }
}

}  // namespace railgauge::topo::fields
