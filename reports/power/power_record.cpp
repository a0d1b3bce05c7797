// The keys behind reports/power/power_record.hpp.
#include "reports/power/power_record.hpp"

#include <cmath>
#include <stdexcept>

#include "base/output/text.hpp"

namespace railgauge {
namespace {

using Ordered = nlohmann::ordered_json;
using Json = nlohmann::json;

Ordered number(double value) { return std::isfinite(value) ? Ordered(value) : Ordered(nullptr); }

Ordered record_of(const EnergyUse& use) {
  return {{"node", printable(use.node)}, {"source", printable(use.source)}, {"joules", number(use.joules)}};
}

Ordered record_of(const ClockSpan& clock) {
  return {{"node", printable(clock.node)},   {"source", printable(clock.source)},
          {"clock", printable(clock.clock)}, {"least", number(clock.least)},
          {"most", number(clock.most)},      {"limit", clock.limit ? number(*clock.limit) : Ordered(nullptr)}};
}

Ordered record_of(const Throttle& throttle) {
  return {{"node", printable(throttle.node)},
          {"source", printable(throttle.source)},
          {"cause", printable(throttle.cause)},
          {"suspect", throttle.suspect},
          {"time", throttle.time ? number(throttle.time->count()) : Ordered(nullptr)},
          {"events", throttle.events ? Ordered(*throttle.events) : Ordered(nullptr)},
          {"before", throttle.before},
          {"after", throttle.after}};
}

Ordered record_of(const Absence& absence) {
  Ordered nodes = Ordered::array();
  for (const std::string& node : absence.nodes) nodes.push_back(printable(node));
  return {{"what", printable(absence.what)}, {"reason", printable(absence.reason)}, {"nodes", std::move(nodes)}};
}

template <class Item>
Ordered list_of(const std::vector<Item>& items) {
  Ordered list = Ordered::array();
  for (const Item& item : items) list.push_back(record_of(item));
  return list;
}

const Json& list_in(const Json& record, const char* key) {
  const Json& list = record.at(key);
  if (!list.is_array()) throw std::invalid_argument(std::string(key) + " is not a list");
  return list;
}

std::string text_in(const Json& record, const char* key) { return record.at(key).get<std::string>(); }

double number_in(const Json& record, const char* key) {
  if (!record.at(key).is_number()) throw std::invalid_argument(std::string(key) + " is not a number");
  return record.at(key).get<double>();
}

std::optional<double> optional_in(const Json& record, const char* key) {
  return record.at(key).is_null() ? std::nullopt : std::optional(number_in(record, key));
}

Throttle throttle_of(const Json& record) {
  Throttle throttle;
  throttle.node = text_in(record, "node");
  throttle.source = text_in(record, "source");
  throttle.cause = text_in(record, "cause");
  throttle.suspect = record.at("suspect").get<bool>();
  if (const auto time = optional_in(record, "time")) throttle.time = Seconds(*time);
  const Json& events = record.at("events");
  if (!events.is_null() && !events.is_number_unsigned()) throw std::invalid_argument("events is not a count");
  if (!events.is_null()) throttle.events = events.get<std::uint64_t>();
  throttle.before = record.at("before").get<bool>();
  throttle.after = record.at("after").get<bool>();
  return throttle;
}

}  // namespace

Ordered power_record(const Power& power) {
  Ordered record;
  record["span"] = number(power.span.count());
  record["gigabytes"] = number(power.gigabytes);
  record["tells_throttling"] = power.tells_throttling;
  record["energy"] = list_of(power.energy);
  record["clocks"] = list_of(power.clocks);
  record["throttles"] = list_of(power.throttles);
  record["absent"] = list_of(power.absent);
  return record;
}

Power power_of(const Json& record) {
  Power power;
  power.span = Seconds(number_in(record, "span"));
  power.gigabytes = number_in(record, "gigabytes");
  power.tells_throttling = record.at("tells_throttling").get<bool>();
  for (const Json& one : list_in(record, "energy"))
    power.energy.push_back({text_in(one, "node"), text_in(one, "source"), number_in(one, "joules")});
  for (const Json& one : list_in(record, "clocks"))
    power.clocks.push_back({text_in(one, "node"), text_in(one, "source"), text_in(one, "clock"), number_in(one, "least"),
                            number_in(one, "most"), optional_in(one, "limit")});
  for (const Json& one : list_in(record, "throttles")) power.throttles.push_back(throttle_of(one));
  for (const Json& one : list_in(record, "absent")) {
    Absence& absence = power.absent.emplace_back();
    absence.what = text_in(one, "what");
    absence.reason = text_in(one, "reason");
    for (const Json& node : list_in(one, "nodes")) absence.nodes.push_back(node.get<std::string>());
  }
  return power;
}

}  // namespace railgauge
