// Says what a path or a collective should reach, with the numbers behind it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topo/expect/expect.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;

std::string gigabytes(double value) { return value > 0 ? fmt::format("{:.4g} GB/s", value) : "unknown"; }

std::string no_band(const Team& team) {
  if (team.generation.empty()) return "the generation of the GPUs is not told, or they are of several";
  return fmt::format("nobody has published a figure of {} for this algorithm in {} domain{} of {}", team.generation, team.domains,
                     team.domains == 1 ? "" : "s", team.ranks / team.domains);
}

Json json_of(const NodePort& end) {
  Json json = {{"key", end.key}, {"name", end.name}};
  if (end.port != 0) json["port"] = end.port;
  return json;
}

std::string written(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string to_text(const ExpectedPath& path) {
  std::string text = fmt::format("{} to {}: {}\n", path.a.name, path.b.name, path.path_class);
  text += fmt::format("  at most {} in each direction",
                      gigabytes(path.bandwidth.nominal > 0 ? path.bandwidth.nominal : path.bandwidth.line));
  if (path.bandwidth.usable > 0) text += fmt::format(", {} of it usable", gigabytes(path.bandwidth.usable));
  text += "\n";
  if (!path.narrow_a.key.empty()) text += fmt::format("  narrowest: {} to {}\n", path.narrow_a.name, path.narrow_b.name);
  for (const NodePort& end : path.route) text += fmt::format("  - {}\n", end.name);
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
    if (it.bus == 0) {
      text += fmt::format("{:<13} unknown: {} = {}\n", it.algorithm, it.formula, it.numbers);
      continue;
    }
    text += fmt::format("{:<13} busbw at most {:.4g} GB/s (algbw {:.4g}): {} = {}\n", it.algorithm, it.bus, it.algorithmic,
                        it.formula, it.numbers);
    if (it.healthy)
      text +=
          fmt::format("{:<13} healthy {:.0f} to {:.0f} GB/s{}: {}\n", "", it.healthy->least, it.healthy->most,
                      it.healthy->size.empty() ? "" : " from " + it.healthy->size + " on", fmt::join(it.healthy->sources, ", "));
    else
      text += fmt::format("{:<13} healthy is unknown: {}\n", "", no_band(team));
  }
  const auto known = [](const Ceiling& it) { return it.bus > 0 && it.refusal.empty(); };
  if (std::none_of(ceilings.begin(), ceilings.end(), known)) return text;
  text += "A ceiling is what the links allow; healthy is what others have published of such hardware.";
  const bool any = std::any_of(ceilings.begin(), ceilings.end(), [](const Ceiling& it) { return it.healthy.has_value(); });
  return text + (any ? " Below that look for a fault.\n" : "\n");
}

std::string to_json(const ExpectedPath& path) {
  Json route = Json::array();
  for (const NodePort& end : path.route) route.push_back(json_of(end));
  Json json = {{"schema", "railgauge.topology-way/1"},
               {"a", json_of(path.a)},
               {"b", json_of(path.b)},
               {"class", path.path_class},
               {"line_gigabytes_per_second", path.bandwidth.line},
               {"nominal_gigabytes_per_second", path.bandwidth.nominal},
               {"usable_gigabytes_per_second", path.bandwidth.usable}};
  if (!path.narrow_a.key.empty()) json["narrowest"] = {{"a", json_of(path.narrow_a)}, {"b", json_of(path.narrow_b)}};
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
    if (!it.unknown.empty()) json["unknown"] = it.unknown;
    if (it.healthy)
      json["healthy"] = {{"least_gigabytes_per_second", it.healthy->least},
                         {"most_gigabytes_per_second", it.healthy->most},
                         {"message_size", it.healthy->size},
                         {"sources", it.healthy->sources}};
    else if (it.bus > 0 && it.refusal.empty())
      json["healthy_unknown"] = no_band(team);
    list.push_back(std::move(json));
  }
  return written({{"schema", "railgauge.topology-ceilings/1"},
                  {"collective", name(collective)},
                  {"ranks", team.ranks},
                  {"domains", team.domains},
                  {"inside_gigabytes_per_second", team.inside},
                  {"network_gigabytes_per_second", team.network},
                  {"inside", team.inside_words},
                  {"network", team.network_words},
                  {"generation", team.generation},
                  {"ceilings", std::move(list)}});
}

}  // namespace railgauge::topo
