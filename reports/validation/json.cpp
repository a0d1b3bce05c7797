// JSON from the fields of reports/validation/fields.hpp, a record a line, and back. Pairs are many, and stand in columns.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/writers.hpp"

namespace railgauge::validation {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "railgauge-validation";
constexpr int version = 2;
// Files of version 1 lack these, and are read all the same.
constexpr std::array<std::string_view, 2> since_2{"level", "power"};
// Figures of older files lack it.
constexpr std::string_view not_in_all = "most";
constexpr int deepest = 8;                         // a rail of a host is at 5
constexpr std::size_t longest_file = 1ULL << 30U;  // bytes; 2,048 hosts with 8 rails have some 10 MB
constexpr std::size_t longest_cause = 200;         // of a sentence: causes quote what was read

struct Ignored {
  void operator()(const char*, const auto&) const {}
};
template <class Record>
concept with_fields = requires(const Record& record) { each_field(record, Ignored{}); };
template <class Enumeration>
concept with_words = std::is_enum_v<Enumeration> && !words_of<Enumeration>.empty();

// ---- writing

Json written(bool value) { return value; }
Json written(int value) { return value; }
Json written(unsigned value) { return value; }
Json written(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json written(Seconds value) { return written(value.count()); }
Json written(const std::string& value) { return value; }
template <with_words Enumeration>
Json written(Enumeration value) {
  return std::string(word_of(value));
}
template <class Value>
Json written(const std::optional<Value>& value) {
  return value ? written(*value) : Json();
}
template <with_fields Record>
Json written(const Record& record);
template <class Value>
Json written(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values) list.push_back(written(value));
  return list;
}
template <with_fields Record>
Json written(const Record& record) {
  Json object = Json::object();
  each_field(record, [&](const char* name, const auto& value) { object[name] = written(value); });
  return object;
}

Json written_pairs(const std::vector<PairFigure>& pairs) {
  Json columns = {{"from", Json::array()},
                  {"to", Json::array()},
                  {"rail", Json::array()},
                  {"round", Json::array()},
                  {"gigabytes_per_second", Json::array()},
                  {"latency_seconds", Json::array()},
                  {"confirming", Json::array()}};
  for (const PairFigure& pair : pairs) {
    columns["from"].push_back(pair.from);
    columns["to"].push_back(pair.to);
    columns["rail"].push_back(pair.rail);
    columns["round"].push_back(pair.round);
    columns["gigabytes_per_second"].push_back(written(pair.gigabytes_per_second));
    columns["latency_seconds"].push_back(written(pair.latency));
    columns["confirming"].push_back(pair.confirming);
  }
  return columns;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// A key a line, and of lists of records and of columns one a line, so that people and diffs can read it.
std::string in_lines(const Json& file) {
  std::string text = "{";
  const char* between = "\n";
  for (const auto& [key, value] : file.items()) {
    text += between + dumped(key) + ": ";
    between = ",\n";
    const bool records = value.is_array() && !value.empty() && value.front().is_object(), columns = value.is_object();
    if (!records && !columns) {
      text += dumped(value);
      continue;
    }
    text += records ? "[" : "{";
    const char* comma = "\n  ";
    for (const auto& [name, part] : value.items()) {
      text += comma + (columns ? dumped(name) + ": " : std::string()) + dumped(part);
      comma = ",\n  ";
    }
    text += records ? "\n]" : "\n}";
  }
  return text + "\n}\n";
}

// ---- reading

[[noreturn]] void refuse(std::string_view place, const std::string& what) {
  throw std::invalid_argument(std::string(place) + " " + what);
}

const Json& part_of(const Json& object, const char* name, std::string_view place) {
  if (!object.is_object()) refuse(place, "is no object");
  const auto found = object.find(name);
  if (found == object.end()) refuse(place, std::string("has no ") + name);
  return *found;
}

void read(const Json& json, std::string_view place, bool& value) {
  if (!json.is_boolean()) refuse(place, "is neither true nor false");
  value = json.get<bool>();
}
void read(const Json& json, std::string_view place, int& value) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    refuse(place, "is no whole number of at most 31 bits");
  value = json.get<int>();
}
void read(const Json& json, std::string_view place, unsigned& value) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::numeric_limits<unsigned>::max())
    refuse(place, "is no whole number of at most 32 bits");
  value = json.get<unsigned>();
}
void read(const Json& json, std::string_view place, double& value) {
  if (!json.is_null() && !json.is_number()) refuse(place, "is no number");
  value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}
void read(const Json& json, std::string_view place, Seconds& value) {
  double seconds = 0;
  read(json, place, seconds);
  if (seconds < 0) refuse(place, "is a negative time");
  value = Seconds(seconds);
}
void read(const Json& json, std::string_view place, std::string& value) {
  if (!json.is_string()) refuse(place, "is no text");
  value = json.get<std::string>();
}
template <with_words Enumeration>
void read(const Json& json, std::string_view place, Enumeration& value) {
  std::string word;
  read(json, place, word);
  for (std::size_t i = 0; i < words_of<Enumeration>.size(); ++i)
    if (words_of<Enumeration>[i] == word) {
      value = static_cast<Enumeration>(i);
      return;
    }
  refuse(place, "is " + word + ", which is none of its words");
}
template <class Value>
void read(const Json& json, std::string_view place, std::optional<Value>& value) {
  if (json.is_null())
    value.reset();
  else
    read(json, place, value.emplace());
}
template <with_fields Record>
void read(const Json& json, std::string_view place, Record& record);
template <class Value>
void read(const Json& json, std::string_view place, std::vector<Value>& values) {
  if (!json.is_array()) refuse(place, "is no list");
  values.clear();
  for (std::size_t i = 0; i < json.size(); ++i)
    read(json[i], std::string(place) + "[" + std::to_string(i) + "]", values.emplace_back());
}
template <with_fields Record>
void read(const Json& json, std::string_view place, Record& record) {
  each_field(record, [&](const char* name, auto& value) {
    if (place == "it" && !json.contains(name) && std::find(since_2.begin(), since_2.end(), name) != since_2.end()) return;
    if (name == not_in_all && !json.contains(name)) return;
    read(part_of(json, name, place), place == "it" ? name : std::string(place) + "." + name, value);
  });
}

std::vector<PairFigure> read_pairs(const Json& json) {
  std::vector<unsigned> from, to, rail, round;
  std::vector<double> bandwidth;
  std::vector<Seconds> latency;
  const auto column = [&](const char* name, auto& values) {
    read(part_of(json, name, "pairs"), std::string("pairs.") + name, values);
  };
  column("from", from);
  column("to", to);
  column("rail", rail);
  column("round", round);
  column("gigabytes_per_second", bandwidth);
  column("latency_seconds", latency);
  const Json& confirming = part_of(json, "confirming", "pairs");
  for (const std::size_t length : {to.size(), rail.size(), round.size(), bandwidth.size(), latency.size(), confirming.size()})
    if (length != from.size()) refuse("pairs", "has columns of different lengths");
  std::vector<PairFigure> pairs;
  for (std::size_t i = 0; i < from.size(); ++i) {
    pairs.push_back({from[i], to[i], rail[i], round[i], bandwidth[i], latency[i], false});
    read(confirming[i], "pairs.confirming", pairs.back().confirming);
  }
  return pairs;
}

// Places that are not there, and numbers that cannot be.
void require_possible(const Validation& validation) {
  for (const PairFigure& pair : validation.pairs) {
    if (pair.from >= validation.hosts.size() || pair.to >= validation.hosts.size())
      refuse("pairs", "names a host that is not in the list of hosts");
    if (pair.rail >= static_cast<unsigned>(validation.rails)) refuse("pairs", "names a rail that there is not");
    if (pair.gigabytes_per_second < 0) refuse("pairs", "has a negative bandwidth");
  }
  for (const Host& host : validation.hosts)
    if (host.rails.size() > static_cast<std::size_t>(validation.rails))
      refuse("hosts", "has a host with more rails than there are");
  for (const MapLink& link : validation.map.links)
    if (link.a >= validation.map.switches.size() || (link.host.empty() && link.b >= validation.map.switches.size()))
      refuse("map.links", "names a switch that is not in the list of switches");
}

Validation read_file(const Json& json) {
  if (!json.is_object() || !json.contains("format") || json["format"] != Json(format_name))
    throw std::invalid_argument("it is no file of railgauge validate");
  int found = 0;
  read(part_of(json, "version", "it"), "version", found);
  if (found < 1 || found > version)
    refuse("it", "is of version " + std::to_string(found) + " of that format, and this railgauge reads versions up to " +
                     std::to_string(version));
  Validation validation;
  read(json, "it", validation);
  validation.pairs = read_pairs(part_of(json, "pairs", "it"));
  require_possible(validation);
  return validation;
}

}  // namespace

std::string to_json(const Validation& validation) {
  Json file = {{"format", format_name}, {"version", version}};
  file.update(written(validation));
  file["pairs"] = written_pairs(validation.pairs);
  return in_lines(file);
}

Validation from_json(std::string_view text, const std::string& origin) {
  try {
    if (text.size() > longest_file) throw std::invalid_argument("it is larger than any validation");
    return read_file(Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
      if (depth > deepest) throw std::invalid_argument("it is nested deeper than any validation");
      return true;
    }));
  } catch (const Json::parse_error& error) {
    const std::string where =
        error.byte >= text.size() ? "ends in the middle" : "is no JSON from byte " + std::to_string(error.byte) + " on";
    throw Error(Fault::usage, origin + ": it " + where);
  } catch (const Json::exception& error) {
    const std::string_view cause = error.what();  // "[json.exception.type_error.302] type must be ..."
    throw Error(Fault::usage, origin + ": it holds what no validation does: " +
                                  printable(cause.substr(cause.find("] ") + 2).substr(0, longest_cause)));
  } catch (const std::invalid_argument& error) {
    throw Error(Fault::usage, origin + ": " + printable(std::string_view(error.what()).substr(0, longest_cause)));
  }
}

bool is_validation(std::string_view beginning) noexcept {
  constexpr std::size_t near = 200;
  const std::size_t found = beginning.substr(0, near).find(format_name);
  return found != std::string_view::npos && beginning.starts_with('{');
}

}  // namespace railgauge::validation
