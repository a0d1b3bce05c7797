// Runs every rule and puts the worst first.
#include "topo/check/check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "topo/check/rules.hpp"

namespace railgauge::topo {
namespace {

// In the order in which findings of one severity are told: what stops traffic, what slows it, what may be meant so.
constexpr auto rule_rows = std::to_array<RuleRow>({
    {"cabling", "cables that are not where the design file has them"},
    {"port-init", "a port that no subnet manager has configured"},
    {"port-down", "a port that is down while its siblings are up"},
    {"nvlink-inactive", "an NVLink that is down while sibling GPUs have theirs"},
    {"nvlink-fewer", "a GPU with fewer NVLinks than others of its model"},
    {"nvlink-slower", "an NVLink that is slower than others of its kind"},
    {"nvlink-fabric", "a GPU that has not joined its NVLink fabric, or that reports trouble with it"},
    {"nvlink-clique", "GPUs of one machine in different NVLink cliques"},
    {"infiniband-width", "an InfiniBand link with fewer lanes than both ends can"},
    {"infiniband-speed", "an InfiniBand link slower than both ends can"},
    {"infiniband-slower", "an InfiniBand link slower than most of its kind"},
    {"infiniband-ends", "an InfiniBand link whose ends disagree"},
    {"link-measured", "a link that was measured far below the others"},
    {"rail-missing", "a host, or all of a unit, without a link on one of the rails"},
    {"rail", "a NIC that is not on the rail of its number, or in another unit than its host's other NICs"},
    {"uplink-missing", "a link between switches that all similar switches have"},
    {"uplink-cabling", "a link between switches that leads to another switch than those of similar switches"},
    {"pcie-width", "a PCIe link with fewer lanes than both ends can"},
    {"pcie-speed", "a PCIe link slower than both ends can"},
    {"pcie-slot", "a device in a slot, or below a link, that is narrower than the device"},
    {"pcie-virtual", "a virtual PCIe port that says 2.5 GT/s x1, which misleads NCCL"},
    {"nic-numa", "a GPU whose nearest compute NIC is on another NUMA node"},
    {"pcie-low-now", "a PCIe link that sleeps, most likely because its GPU is idle"},
    {"rail-unknown", "NICs of which it is unknown which rail they belong to"},
    {"port-spare", "ports that are down and that nothing depends on"},
    {"oversubscribed", "switches with more bandwidth below than above"},
    {"error-counters", "error counters that are not zero"},
    {"incomplete-source", "a file that may be cut, or a list that lacks records"},
});

std::size_t place_of(std::string_view rule) {
  return static_cast<std::size_t>(
      std::find_if(rule_rows.begin(), rule_rows.end(), [&](const RuleRow& it) { return it.name == rule; }) - rule_rows.begin());
}

constexpr auto all = {check_design,   check_ports,    check_nvlink,   check_nvswitch, check_infiniband,
                      check_pcie,     check_rails,    check_uplinks,  check_direct,   check_affinity,
                      check_measured, check_capacity, check_counters, check_sources};

}  // namespace

std::span<const RuleRow> rules() noexcept { return rule_rows; }

Diagnosis diagnose(const Graph& graph, const CheckOptions& options) {
  const View view(graph);
  const fabric::Fabric fabric = fabric::read_fabric(view);
  const Context context{view, fabric, options};
  Findings findings;
  for (const auto rule : all) rule(context, findings);
  // A cable that is not where the design has it explains what is odd about its rail.
  std::set<std::string> moved;
  for (const Finding& it : findings.list)
    if (it.rule == "cabling") moved.insert({it.a.key, it.b.key});
  std::erase_if(findings.list, [&](const Finding& it) { return it.rule == "rail" && moved.contains(it.a.key); });
  std::stable_sort(findings.list.begin(), findings.list.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.severity, place_of(a.rule)) < std::pair(b.severity, place_of(b.rule));
  });
  return {std::move(findings.list), coverage_of(context)};
}

std::vector<Finding> check(const Graph& graph, const CheckOptions& options) { return diagnose(graph, options).findings; }

}  // namespace railgauge::topo
