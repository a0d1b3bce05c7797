// Plans the tree by what the ports of a switch hold, and cables it from the hosts up.
#include "topo/generate/clos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

// Switches above `below` equal ones of `up` links each: the fewest that share those links equally and have the ports. 0: none.
unsigned fewest_above(unsigned up, unsigned below, unsigned ports) {
  for (unsigned count = 1; count <= up; ++count)
    if (up % count == 0 && up / count <= ports / below) return count;
  return 0;
}

unsigned divided(unsigned a, unsigned b) { return a / b + (a % b != 0 ? 1 : 0); }

class Planner {
 public:
  explicit Planner(const ClosOptions& options)
      : it_(options),
        each_(options.nics / options.rails),
        up_(static_cast<unsigned>(options.radix / (1 + options.oversubscribe))),
        fit_(std::min(options.radix - up_, static_cast<unsigned>(std::floor(up_ * options.oversubscribe + 1e-6))) / each_),
        alone_(options.radix / each_) {}

  // Nothing where so many hosts do not divide equally, or do not fit.
  [[nodiscard]] std::optional<ClosPlan> plan(unsigned hosts) const {
    for (unsigned tiers = it_.tiers == 0 ? 1 : it_.tiers; tiers <= (it_.tiers == 0 ? 3 : it_.tiers); ++tiers)
      if (hosts <= most(tiers)) return of_tiers(hosts, tiers);
    return std::nullopt;
  }

  // Hosts that so many tiers hold. One tier does not join the rails of a host: it is taken only when asked for.
  [[nodiscard]] unsigned most(unsigned tiers) const {
    if (tiers == 1) return it_.rails == 1 || it_.tiers == 1 ? alone_ : 0;
    if (fit_ == 0 || up_ == 0) return 0;
    if (tiers == 2) return fit_ * (it_.radix / it_.rails);
    return fit_ * (it_.radix / 2) * (it_.radix / it_.rails);
  }

  [[nodiscard]] bool lacks_ports() const { return most(1) == 0 && fit_ == 0; }
  [[nodiscard]] unsigned ports_needed() const { return each_; }

 private:
  // As few equal pods, and units of each, as hold the hosts, and fewer than twice as many as are needed.
  [[nodiscard]] std::optional<ClosPlan> of_tiers(unsigned hosts, unsigned tiers) const {
    const unsigned fit = tiers == 1 ? alone_ : fit_;
    const unsigned least_pods = tiers == 3 ? divided(hosts, fit * (it_.radix / 2)) : 1;
    for (unsigned pods = least_pods; pods < 2 * least_pods; ++pods) {
      if (hosts % pods != 0) continue;
      const unsigned least_units = divided(hosts / pods, fit);
      for (unsigned units = least_units; units < 2 * least_units; ++units)
        if (hosts / pods % units == 0)
          if (const std::optional<ClosPlan> plan = of_units(hosts / pods / units, tiers, pods, units)) return plan;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ClosPlan> of_units(unsigned hosts_of_unit, unsigned tiers, unsigned pods, unsigned units) const {
    ClosPlan plan;
    plan.tiers = tiers;
    plan.pods = pods;
    plan.units = units;
    plan.hosts_of_unit = hosts_of_unit;
    plan.down = hosts_of_unit * each_;
    if (tiers == 1) return plan;
    plan.up = static_cast<unsigned>(std::ceil(plan.down / it_.oversubscribe - 1e-6));
    plan.spines = tiers == 2 ? fewest_above(plan.up, units * it_.rails, it_.radix) : fewest_above(plan.up, units, it_.radix / 2);
    if (plan.spines == 0) return std::nullopt;
    if (tiers == 2) return plan;
    plan.spine_up = plan.up / plan.spines * units;
    plan.cores = fewest_above(plan.spine_up, pods * it_.rails, it_.radix);
    return plan.cores == 0 ? std::nullopt : std::optional(plan);
  }

  const ClosOptions& it_;
  unsigned each_;   // ports of a leaf for each host
  unsigned up_;     // ports of a leaf that lead up, at most
  unsigned fit_;    // hosts below a leaf that has switches above
  unsigned alone_;  // hosts below one that has none
};

std::string tiers_words(unsigned tiers) {
  return tiers == 0 ? "three tiers" : tiers == 1 ? "one tier" : fmt::format("{} tiers", tiers);
}

// Why there is no plan, and what to choose.
std::string refusal(const ClosOptions& options, const Planner& planner) {
  if (planner.lacks_ports())
    return fmt::format("radix {}: a leaf needs {} for each host, and has no room for one at {:g}:1; choose a larger radix",
                       options.radix, planner.ports_needed() == 1 ? "a port" : fmt::format("{} ports", planner.ports_needed()),
                       options.oversubscribe);
  const unsigned most = planner.most(options.tiers == 0 ? 3 : options.tiers);
  if (options.hosts > most)
    return fmt::format("{} hosts are too many: {} of radix {} hold {} at {:g}:1; choose a larger radix{}", options.hosts,
                       tiers_words(options.tiers), options.radix, most, options.oversubscribe,
                       options.tiers == 0 || options.tiers == 3 ? " or more oversubscription" : " or more tiers");
  unsigned fewer = options.hosts;
  while (fewer > 0 && !planner.plan(fewer)) --fewer;
  unsigned more = options.hosts;
  while (more <= most && !planner.plan(more)) ++more;
  std::string which = fewer > 0 ? fmt::format("{} hosts", fewer) : "";
  if (more <= most) which += fmt::format("{}{}", which.empty() ? "" : " or ", more);
  return fmt::format("{} hosts do not divide equally over leaves of radix {} at {:g}:1: choose {}", options.hosts, options.radix,
                     options.oversubscribe, which.empty() ? "another radix" : which);
}

class Fabric {
 public:
  Fabric(Assembly& into, const ClosOptions& options, const ClosPlan& plan, const Rate& rate)
      : into_(into), options_(options), plan_(plan), rate_(rate) {}

  void build(const HostPorts& hosts) {
    for (unsigned unit = 0; unit < plan_.pods * plan_.units; ++unit) add_unit(unit, hosts);
    if (plan_.tiers == 2) spines();
    if (plan_.tiers == 3) cores();
  }

 private:
  static std::size_t digits(std::size_t count) { return fmt::formatted_size("{}", count); }

  // "leaf-07", "leaf-u07-r3", "leaf-p2-07", "leaf-p2-u07-r3"
  [[nodiscard]] std::string leaf_name(unsigned unit, unsigned rail) const {
    const std::string pod = plan_.tiers == 3 ? fmt::format("p{:0{}}-", unit / plan_.units + 1, digits(plan_.pods)) : "";
    const std::string number = fmt::format("{:0{}}", unit % plan_.units + 1, digits(plan_.units));
    if (options_.rails == 1) return fmt::format("leaf-{}{}", pod, number);
    return fmt::format("leaf-{}u{}-r{}", pod, number, rail);
  }

  void add_unit(unsigned unit, const HostPorts& hosts) {
    for (unsigned rail = 0; rail < options_.rails; ++rail) {
      leaves_.push_back(into_.add_switch(leaf_name(unit, rail)));
      for (unsigned host = unit * plan_.hosts_of_unit; host < (unit + 1) * plan_.hosts_of_unit; ++host)
        for (unsigned nic = rail; nic < options_.nics; nic += options_.rails)
          into_.cable(hosts[host][nic], leaves_.back(), rate_);
    }
  }

  void join(std::size_t below, std::size_t above, unsigned links) {
    for (unsigned link = 0; link < links; ++link) into_.cable(below, above, rate_);
  }

  void spines() {
    for (unsigned i = 0; i < plan_.spines; ++i) {
      const std::size_t spine = into_.add_switch(fmt::format("spine-{:0{}}", i + 1, digits(plan_.spines)));
      for (const std::size_t leaf : leaves_) join(leaf, spine, plan_.up / plan_.spines);
    }
  }

  [[nodiscard]] std::string spine_name(unsigned pod, unsigned rail, unsigned number) const {
    const std::string of_rail = options_.rails == 1 ? "" : fmt::format("r{}-", rail);
    return fmt::format("spine-p{:0{}}-{}{:0{}}", pod + 1, digits(plan_.pods), of_rail, number + 1, digits(plan_.spines));
  }

  // Spines of each pod and rail, and above the spines of one number their cores.
  void cores() {
    std::vector<std::vector<std::size_t>> groups(plan_.spines);  // of each number: the spines of all pods and rails
    for (unsigned pod = 0; pod < plan_.pods; ++pod)
      for (unsigned rail = 0; rail < options_.rails; ++rail)
        for (unsigned number = 0; number < plan_.spines; ++number) {
          groups[number].push_back(into_.add_switch(spine_name(pod, rail, number)));
          for (unsigned unit = 0; unit < plan_.units; ++unit)
            join(leaves_[(pod * plan_.units + unit) * options_.rails + rail], groups[number].back(), plan_.up / plan_.spines);
        }
    for (unsigned number = 0; number < plan_.spines; ++number)
      for (unsigned i = 0; i < plan_.cores; ++i) {
        const std::size_t core =
            into_.add_switch(fmt::format("core-{:0{}}-{:0{}}", number + 1, digits(plan_.spines), i + 1, digits(plan_.cores)));
        for (const std::size_t spine : groups[number]) join(spine, core, plan_.spine_up / plan_.cores);
      }
  }

  Assembly& into_;
  const ClosOptions& options_;
  const ClosPlan& plan_;
  const Rate& rate_;
  std::vector<std::size_t> leaves_;  // unit by unit
};

}  // namespace

ClosPlan plan_clos(const ClosOptions& options) {
  const Planner planner(options);
  if (const std::optional<ClosPlan> plan = planner.plan(options.hosts)) return *plan;
  throw Error(Fault::usage, refusal(options, planner));
}

void build_clos(Assembly& into, const ClosOptions& options, const ClosPlan& plan, const HostPorts& hosts, const Rate& rate) {
  Fabric(into, options, plan, rate).build(hosts);
}

}  // namespace railgauge::topo
