// Says what a way or a collective should reach, with the numbers behind it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "topo/expect/expect.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;

std::string gigabytes(double value) { return value > 0 ? fmt::format("{:.4g} GB/s", value) : "unknown"; }

Json json_of(const End& end) {
  Json json = {{"key", end.key}, {"name", end.name}};
  if (end.port != 0) json["port"] = end.port;
  return json;
}

std::string written(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string to_text(const Way& way) {
  std::string text = fmt::format("{} to {}: {}\n", way.a.name, way.b.name, way.path_class);
  text += fmt::format("  at most {} in each direction",
                      gigabytes(way.bandwidth.nominal > 0 ? way.bandwidth.nominal : way.bandwidth.line));
  if (way.bandwidth.usable > 0) text += fmt::format(", {} of it usable", gigabytes(way.bandwidth.usable));
  text += "\n";
  if (!way.narrow_a.key.empty()) text += fmt::format("  narrowest: {} to {}\n", way.narrow_a.name, way.narrow_b.name);
  for (const End& end : way.route) text += fmt::format("  - {}\n", end.name);
  return text;
}

std::string to_text(Collective collective, const Team& team, const std::vector<Ceiling>& ceilings) {
  std::string text = fmt::format("{} of {} ranks: n = {}, {} domain{} of g = {} (k = {})\n", name(collective), team.ranks,
                                 team.ranks, team.domains, team.domains == 1 ? "" : "s", team.ranks / team.domains, team.domains);
  text += fmt::format("  {}\n", team.inside_words);
  if (!team.network_words.empty()) text += fmt::format("  {}\n", team.network_words);
  for (const Ceiling& it : ceilings) {
    if (!it.refusal.empty()) {
      text += fmt::format("{:<13} cannot run: {}\n", it.algorithm, it.refusal);
      continue;
    }
    if (it.bus == 0)
      text += fmt::format("{:<13} unknown: {} = {}\n", it.algorithm, it.formula, it.numbers);
    else
      text += fmt::format("{:<13} busbw at most {:.4g} GB/s (algbw {:.4g}): {} = {}\n", it.algorithm, it.bus, it.algorithmic,
                          it.formula, it.numbers);
  }
  return text + "Healthy systems reach 0.77 to 0.97 of these ceilings; below 0.70 look for a fault.\n";
}

std::string to_json(const Way& way) {
  Json route = Json::array();
  for (const End& end : way.route) route.push_back(json_of(end));
  Json json = {{"schema", "railgauge.topology-way/1"},
               {"a", json_of(way.a)},
               {"b", json_of(way.b)},
               {"class", way.path_class},
               {"line_gigabytes_per_second", way.bandwidth.line},
               {"nominal_gigabytes_per_second", way.bandwidth.nominal},
               {"usable_gigabytes_per_second", way.bandwidth.usable}};
  if (!way.narrow_a.key.empty()) json["narrowest"] = {{"a", json_of(way.narrow_a)}, {"b", json_of(way.narrow_b)}};
  json["route"] = std::move(route);
  return written(json);
}

std::string to_json(Collective collective, const Team& team, const std::vector<Ceiling>& ceilings) {
  Json list = Json::array();
  for (const Ceiling& it : ceilings) {
    Json json = {{"algorithm", it.algorithm},
                 {"bus_gigabytes_per_second", it.bus},
                 {"algorithm_gigabytes_per_second", it.algorithmic},
                 {"formula", it.formula},
                 {"numbers", it.numbers}};
    if (!it.refusal.empty()) json["refusal"] = it.refusal;
    list.push_back(std::move(json));
  }
  return written({{"schema", "railgauge.topology-ceilings/1"},
                  {"collective", name(collective)},
                  {"ranks", team.ranks},
                  {"domains", team.domains},
                  {"inside_gigabytes_per_second", team.inside},
                  {"network_gigabytes_per_second", team.network},
                  {"ceilings", std::move(list)}});
}

}  // namespace railgauge::topo
