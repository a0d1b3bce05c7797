// Bounds are looked at before anything is made of the text.
#include "topo/read/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

// A look of its own: where Json::parse() is given a function that could stop it, it searches the whole list at the end of each
// of its elements.
void limit(const Reading& reading, int deepest, std::size_t most_values) {
  int depth = 0;
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < reading.text.size(); ++i) {
    const char c = reading.text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '}' || c == ']') --depth;
    if (c == '{' || c == '[') ++depth;
    if (c == '{' || c == '[' || c == ',') ++values;
    if (depth > deepest) throw Error(Fault::usage, fmt::format("{}: it is nested deeper than any topology", reading.origin));
    if (values > most_values) throw Error(Fault::usage, fmt::format("{}: it is larger than any topology", reading.origin));
  }
}

}  // namespace

nlohmann::json parse_json(const Reading& reading, int deepest, std::size_t most_values) {
  limit(reading, deepest, most_values);
  try {
    return nlohmann::json::parse(reading.text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t end = std::min(error.byte, reading.text.size());
    const auto line = 1 + std::count(reading.text.begin(), reading.text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw Error(Fault::usage, end >= reading.text.size()
                                  ? fmt::format("{}:{}: the JSON ends in the middle", reading.origin, line)
                                  : fmt::format("{}:{}: this is no JSON from here on", reading.origin, line));
  } catch (const nlohmann::json::exception&) {
    throw Error(Fault::usage, fmt::format("{}: the JSON has a number that is too large", reading.origin));
  }
}

}  // namespace railgauge::topo
