// The table of kinds with their parameters, and the word that names one.
#include "topo/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "topo/generate/clos.hpp"
#include "topo/generate/direct.hpp"
#include "topo/generate/hosts.hpp"
#include "topo/generate/values.hpp"

namespace railgauge::topo {
namespace {

// Ports of a switch: of NVIDIA's Quantum-2 (QM9700) 64 of NDR, of its Quantum-X800 (Q3400) 144 of XDR.
constexpr unsigned usual_radix = 64;
constexpr unsigned most_hosts = 1U << 18U, most_racks = 3640;  // of 18 trays of 4 GPUs

constexpr GenerateParameter host_parameter{
    "host", "Model of the hosts: dgx-a100, -h100, -h200, -b200, mi300x, nvl72, gb300-nvl72 (compute trays), plain (no GPU)",
    "dgx-h100"};
constexpr GenerateParameter plain_host_parameter{"host", host_parameter.summary, "plain"};
constexpr GenerateParameter nics_parameter{"nics", "NICs of each plain host; other models have their own", "1", 1, 64};
constexpr GenerateParameter rate_parameter{
    "rate", "Lanes and speed of all cables, as 4xNDR, 4xXDR or 2xHDR", "as the model's NICs", 0, 0, true};
constexpr GenerateParameter radix_parameter{"radix", "Ports of each switch", "64", 2, 1024};
constexpr GenerateParameter oversubscribe_parameter{"oversubscribe",
                                                    "Links of a leaf down to hosts over its links up, from 1 to 64", "1"};
constexpr GenerateParameter sharp_parameter{"sharp", "1: the switches reduce, each by an aggregation node (SHARP)", "0", 0, 1};
constexpr GenerateParameter tiers_parameter{"tiers", "Tiers of switches", "as few as will do", 1, 3, true};

constexpr auto fat_tree_parameters = std::to_array<GenerateParameter>(
    {{"hosts", "Hosts, equally many on each leaf; all NICs of a host are on one leaf", "64", 1, most_hosts},
     host_parameter,
     nics_parameter,
     rate_parameter,
     radix_parameter,
     oversubscribe_parameter,
     tiers_parameter,
     sharp_parameter});
constexpr auto rail_parameters = std::to_array<GenerateParameter>(
    {{"hosts", "Hosts, equally many in each unit; NIC k of a host is on leaf k of its unit", "64", 1, most_hosts},
     {"rails", "Leaves of each unit: NIC k is on leaf k modulo rails", "one for each NIC of a host", 1, 64, true},
     host_parameter,
     nics_parameter,
     rate_parameter,
     radix_parameter,
     oversubscribe_parameter,
     tiers_parameter,
     sharp_parameter});
constexpr auto dragonfly_parameters = std::to_array<GenerateParameter>(
    {{"hosts", "Hosts of each router", "2", 1, 512},
     {"routers", "Routers of each group, each joined with each other one", "twice the links of a router to hosts", 1, 1024, true},
     {"global", "Links of each router to other groups", "as many as to hosts", 1, 1024, true},
     {"groups", "Groups, each joined with each other one", "as many as can be joined, routers times global and 1", 1, most_hosts,
      true},
     plain_host_parameter,
     nics_parameter,
     rate_parameter,
     radix_parameter});
constexpr auto torus_parameters =
    std::to_array<GenerateParameter>({{"x", "Switches along the first side", "4", 2, 256},
                                      {"y", "Switches along the second side; 1: there is none", "4", 1, 256},
                                      {"z", "Switches along the third side; 1: there is none", "1", 1, 256},
                                      {"hosts", "Hosts of each switch", "1", 1, 256},
                                      plain_host_parameter,
                                      nics_parameter,
                                      rate_parameter});
constexpr auto rack_parameters = std::to_array<GenerateParameter>(
    {{"racks", "Racks of 18 compute trays, each an NVLink domain of its own; nothing joins them", "1", 1, most_racks}});

// An upper bound of what a host has, so that nothing is moved while a large graph grows.
void reserve(Assembly& into, const HostPlan& plan, unsigned hosts) {
  const HostModel& model = *plan.model;
  const std::size_t nodes = 8 + model.nvlinks.size() + std::size_t{4} * model.gpus + std::size_t{2} * plan.nics;
  const std::size_t links = 8 + model.gpus * (model.nvlinks.size() + 4) + std::size_t{8} * plan.nics;
  into.reserve(nodes * hosts, links * hosts);
}

HostPlan plan_of(const GenerateValues& values, std::string_view host) {
  GenerateValues all = values;
  all.try_emplace("host", host);
  return plan_host(all);
}

Graph clos(const GenerateValues& values, bool of_rails) {
  const HostPlan host = plan_of(values, host_parameter.usual);
  ClosOptions options;
  options.hosts = whole_value(values, "hosts", 64);
  check_hosts(host, options.hosts);
  options.nics = host.nics;
  options.rails = of_rails ? whole_value(values, "rails", host.nics) : 1;
  if (host.nics % options.rails != 0)
    throw Error(Fault::usage, fmt::format("rails {}: the {} NICs of a {} do not divide equally over them", options.rails,
                                          host.nics, host.model->name));
  options.radix = whole_value(values, "radix", usual_radix);
  options.oversubscribe = ratio_value(values, "oversubscribe", 1);
  options.tiers = whole_value(values, "tiers", 0);
  const ClosPlan plan = plan_clos(options);
  Assembly into;
  reserve(into, host, options.hosts);
  if (whole_value(values, "sharp", 0) == 1) into.add_aggregation();
  build_clos(into, options, plan, add_hosts(into, host, options.hosts), host.rate);
  return into.take();
}
Graph fat_tree(const GenerateValues& values) { return clos(values, false); }
Graph rail(const GenerateValues& values) { return clos(values, true); }

Graph dragonfly(const GenerateValues& values) {
  const HostPlan host = plan_of(values, plain_host_parameter.usual);
  const unsigned radix = whole_value(values, "radix", usual_radix);
  DragonflyPlan plan;
  plan.hosts = whole_value(values, "hosts", 2);
  const unsigned terminals = plan.hosts * host.nics;
  plan.routers = whole_value(values, "routers", 2 * terminals);
  plan.global = whole_value(values, "global", terminals);
  if (const unsigned needed = terminals + plan.routers - 1 + plan.global; needed > radix)
    throw Error(Fault::usage,
                fmt::format("radix {}: a router needs {} ports, {} to hosts, {} to its group and {} to other groups", radix,
                            needed, terminals, plan.routers - 1, plan.global));
  const unsigned ends = plan.routers * plan.global;  // of links between groups, at each group
  plan.groups = whole_value(values, "groups", ends + 1);
  if (plan.groups > ends + 1)
    throw Error(Fault::usage, fmt::format("groups {}: each group has {} links to others, so there can be {} groups at most",
                                          plan.groups, ends, ends + 1));
  check_hosts(host, std::uint64_t{plan.groups} * plan.routers * plan.hosts);
  constexpr std::uint64_t most_cables = 1U << 22U;
  if (const std::uint64_t cables = std::uint64_t{plan.groups} * plan.routers * (plan.routers - 1) / 2; cables > most_cables)
    throw Error(Fault::usage, fmt::format("routers {}, groups {}: {} cables within groups, and a graph takes at most {}",
                                          plan.routers, plan.groups, cables, most_cables));
  const unsigned hosts = plan.groups * plan.routers * plan.hosts;
  Assembly into;
  reserve(into, host, hosts);
  build_dragonfly(into, plan, add_hosts(into, host, hosts), host.rate);
  return into.take();
}

Graph torus(const GenerateValues& values) {
  const HostPlan host = plan_of(values, plain_host_parameter.usual);
  TorusPlan plan;
  plan.sides = {whole_value(values, "x", 4), whole_value(values, "y", 4), whole_value(values, "z", 1)};
  plan.hosts = whole_value(values, "hosts", 1);
  check_hosts(host, std::uint64_t{plan.sides[0]} * plan.sides[1] * plan.sides[2] * plan.hosts);
  const unsigned hosts = plan.sides[0] * plan.sides[1] * plan.sides[2] * plan.hosts;
  Assembly into;
  reserve(into, host, hosts);
  build_torus(into, plan, add_hosts(into, host, hosts), host.rate);
  return into.take();
}

template <const std::string_view& model>
Graph racks(const GenerateValues& values) {
  const HostPlan host = plan_of({}, model);
  const unsigned trays = whole_value(values, "racks", 1) * host.model->trays;
  Assembly into;
  reserve(into, host, trays);
  static_cast<void>(add_hosts(into, host, trays));
  return into.take();
}

template <const std::string_view& model>
Graph machine(const GenerateValues&) {
  Assembly into;
  static_cast<void>(add_hosts(into, plan_of({}, model), 1));
  return into.take();
}
constexpr std::string_view dgx_a100 = "dgx-a100", dgx_h100 = "dgx-h100", dgx_h200 = "dgx-h200", dgx_b200 = "dgx-b200",
                           mi300x = "mi300x", nvl72 = "nvl72", gb300_nvl72 = "gb300-nvl72";

constexpr auto kind_rows = std::to_array<GenerateKind>({
    {"fat-tree", "two or three tiers of switches above leaves, all NICs of a host on one leaf", fat_tree_parameters, fat_tree},
    {"rail", "rail-optimised: NIC k of each host on leaf k of its unit, spines above", rail_parameters, rail},
    {"dragonfly", "groups of routers that are all joined, and groups that are all joined", dragonfly_parameters, dragonfly},
    {"torus", "a grid of switches that ends where it begins, in up to three dimensions", torus_parameters, torus},
    {nvl72, "racks of NVIDIA GB200 NVL72: 18 compute trays of 4 GPUs behind 18 NVSwitches", rack_parameters, racks<nvl72>},
    {gb300_nvl72, "the same of NVIDIA GB300 NVL72", rack_parameters, racks<gb300_nvl72>},
    {dgx_a100, "one NVIDIA DGX A100", {}, machine<dgx_a100>},
    {dgx_h100, "one NVIDIA DGX H100", {}, machine<dgx_h100>},
    {dgx_h200, "one NVIDIA DGX H200", {}, machine<dgx_h200>},
    {dgx_b200, "one NVIDIA DGX B200", {}, machine<dgx_b200>},
    {mi300x, "one machine of 8 AMD Instinct MI300X, joined by xGMI", {}, machine<mi300x>},
});

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

const GenerateKind* find_kind(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(kind_rows.begin(), kind_rows.end(), [&](const GenerateKind& it) { return it.name == name; });
  return found == kind_rows.end() ? nullptr : found;
}

template <class Rows>
std::string names_of(const Rows& rows) {
  std::string names;
  for (const auto& it : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", it.name);
  return names;
}

}  // namespace

std::span<const GenerateKind> generate_kinds() noexcept { return kind_rows; }

Graph generate(std::string_view kind, const GenerateValues& values) {
  const GenerateKind* const row = find_kind(kind);
  if (row == nullptr)
    throw Error(Fault::usage, fmt::format("{}: nothing of this kind can be generated; there are {}", kind, names_of(kind_rows)));
  for (const auto& [name, value] : values) {
    const auto parameter = std::find_if(row->parameters.begin(), row->parameters.end(),
                                        [&](const GenerateParameter& it) { return it.name == name; });
    if (parameter == row->parameters.end())
      throw Error(Fault::usage, row->parameters.empty()
                                    ? fmt::format("{} has no parameters, and {} is given", kind, name)
                                    : fmt::format("{} has no parameter {}; there are {}", kind, name, names_of(row->parameters)));
    check_value(*parameter, value);
  }
  return row->make(values);
}

bool is_generate_word(std::string_view text) noexcept {
  const std::string_view word = trimmed(text);
  return word.find_first_of(" \t\r\n/") == std::string_view::npos && find_kind(word.substr(0, word.find(':'))) != nullptr;
}

Graph generate(std::string_view word) {
  word = trimmed(word);
  const std::size_t colon = word.find(':');
  const std::string_view kind = word.substr(0, colon);
  GenerateValues values;
  for (std::size_t at = colon; at < word.size();) {
    const std::size_t end = std::min(word.find(',', at + 1), word.size());
    const std::string_view one = word.substr(at + 1, end - at - 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == one.size())
      throw Error(Fault::usage,
                  fmt::format("{}: expected NAME=VALUE between commas, as {}:hosts=64, found \"{}\"", word, kind, one));
    if (!values.try_emplace(std::string(one.substr(0, equals)), one.substr(equals + 1)).second)
      throw Error(Fault::usage, fmt::format("{}: {} is there twice", word, one.substr(0, equals)));
    at = end;
  }
  return generate(kind, values);
}

std::string generate_word(std::string_view kind, const GenerateValues& values) {
  std::string word(kind);
  for (const auto& [name, value] : values) word += fmt::format("{}{}={}", word.size() == kind.size() ? ':' : ',', name, value);
  return word;
}

}  // namespace railgauge::topo
