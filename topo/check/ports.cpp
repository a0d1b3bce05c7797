// Ports that carry nothing: not configured by a subnet manager, or down while their siblings are up.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/check/rules.hpp"
#include "topo/nearness.hpp"
#include "topo/roles.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

class Ports {
 public:
  Ports(const Context& context, Findings& findings)
      : view_(context.view), findings_(findings), asked_(context.options.nics), roles_(nic_roles(context.view, asked_)) {
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::gpu) gpus_[view_.machine(i)].push_back(i);
  }

  void run() {
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i)
      if (view_.link(i).kind == LinkKind::infiniband) look_at_link(i);
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::port && !told_.contains(i)) look_at_port(i);
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::nic) count(i);
    tell_of_gpus();
    for (const std::size_t nic : down_) tell(nic);
    tell_of_spare();
  }

 private:
  void look_at_link(std::size_t link) {
    const Link& it = view_.link(link);
    if (it.state != LinkState::init && it.state != LinkState::armed && it.state != LinkState::down) return;
    for (const std::size_t end : {view_.a(link), view_.b(link)})
      if (end != View::none) told_.insert(end);
    const NodePort a = view_.node_port(view_.a(link), it.a_port);
    const NodePort b = view_.node_port(view_.b(link), it.b_port);
    if (it.state == LinkState::down)
      down(a, b, "a cable is there");
    else
      not_configured(a, b, it.state == LinkState::armed);
  }

  void look_at_port(std::size_t port) {
    const std::string_view state = text_of(view_.node(port).attributes, "state");
    if (text_of(view_.node(port).attributes, "link_layer") == "Ethernet") return;
    if (state == "init" || state == "armed") not_configured(view_.node_port(port), {}, state == "armed");
  }

  void not_configured(NodePort a, NodePort b, bool armed) {
    Finding finding;
    finding.rule = "port-init";
    finding.severity = armed ? Severity::warning : Severity::fault;
    finding.a = std::move(a);
    finding.b = std::move(b);
    finding.found = armed ? "the port is armed, not active" : "the port is initialised, but not active";
    finding.expected = "an active port";
    finding.why = armed ? "the subnet manager has configured the port and not yet let traffic through"
                        : "the cable works, but no subnet manager has given the port an address, so it carries no traffic";
    finding.action =
        armed ? "Read it again in a minute; if it stays armed, look at the log of the subnet manager"
              : "Start a subnet manager (opensm, or that of a switch), or look why the one that runs does not see this port";
    findings_.add(std::move(finding));
  }

  void down(NodePort a, NodePort b, const std::string& sign, std::string found = "the port is down") {
    Finding finding;
    finding.rule = "port-down";
    finding.severity = Severity::warning;
    finding.a = std::move(a);
    finding.b = std::move(b);
    finding.found = std::move(found);
    finding.expected = "an active port: " + sign;
    finding.why = "its share of the machine's bandwidth is missing, and jobs that want this port fail or wait";
    finding.action = "Look whether the cable is plugged in at both ends and lit; then exchange the cable, then the transceiver";
    findings_.add(std::move(finding));
  }

  // NICs of one model in one machine.
  [[nodiscard]] std::pair<std::size_t, std::string> family(std::size_t nic) const {
    const std::string_view device = text_of(view_.node(nic).attributes, "pci_id");
    return {view_.machine(nic), std::string(device)};
  }

  // The states of its ports that tell one.
  [[nodiscard]] std::set<std::string_view> states_of(std::size_t nic) const {
    std::set<std::string_view> states;
    for (const std::size_t port : view_.children(nic))
      if (const std::string_view state = text_of(view_.node(port).attributes, "state");
          view_.node(port).kind == Kind::port && !state.empty())
        states.insert(state);
    return states;
  }
  [[nodiscard]] bool any_active(std::size_t nic) const { return states_of(nic).contains("active"); }
  [[nodiscard]] bool all_down(std::size_t nic) const { return states_of(nic) == std::set<std::string_view>{"down"}; }

  void count(std::size_t nic) {
    if (roles_[nic] == NicRole::none) return;
    const bool up = any_active(nic) || cabled(nic);
    if (up && roles_[nic] == NicRole::compute) ++active_[family(nic)];
    if (up) ++called_up_[view_.label(nic)];
    if (up || !all_down(nic)) return;
    down_.push_back(nic);
    ++called_down_[view_.label(nic)];
  }

  // Whether a cable of it is in the graph: its state is then the link's.
  [[nodiscard]] bool cabled(std::size_t nic) const {
    const auto of = [&](std::size_t end) {
      return std::any_of(view_.links(end).begin(), view_.links(end).end(), [&](std::size_t link) {
        return view_.link(link).kind == LinkKind::infiniband || view_.link(link).kind == LinkKind::ethernet;
      });
    };
    return of(nic) || std::any_of(view_.children(nic).begin(), view_.children(nic).end(), of);
  }

  [[nodiscard]] std::size_t port_of(std::size_t nic) const {
    for (const std::size_t port : view_.children(nic))
      if (view_.node(port).kind == Kind::port) return port;
    return nic;
  }

  // The GPU that shares a PCIe switch, or a root, with the NIC; none when there is none.
  [[nodiscard]] std::size_t gpu_beside(std::size_t nic) const {
    std::size_t best = View::none;
    const auto found = gpus_.find(view_.machine(nic));
    if (found == gpus_.end()) return best;
    for (const std::size_t gpu : found->second)
      if (nearness(view_, nic, gpu).rank <= 1 && (best == View::none || nearness(view_, nic, gpu) < nearness(view_, nic, best)))
        best = gpu;
    return best;
  }

  // Before all others. Where every NIC beside a GPU is down, that is one cause.
  void tell_of_gpus() {
    std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> beside;  // of each machine: NICs and their GPUs
    for (const std::size_t nic : down_)
      if (roles_[nic] == NicRole::compute)
        if (const std::size_t gpu = gpu_beside(nic); gpu != View::none) beside[view_.machine(nic)].emplace_back(nic, gpu);
    for (const auto& [machine, nics] : beside) {
      const auto active = active_.lower_bound({machine, {}});
      const bool some_active = active != active_.end() && active->first.first == machine;
      const bool all = !some_active && nics.size() > 1 && machine != View::none;
      for (const auto& [nic, gpu] : nics) {
        told_.insert(port_of(nic));
        if (!all) down(view_.node_port(port_of(nic)), {}, fmt::format("this NIC is beside GPU {}", view_.gpu_number(gpu)));
      }
      if (!all) continue;
      down(view_.node_port(machine), {}, "GPUs reach other machines through these NICs",
           fmt::format("the ports of all {} NICs beside GPUs are down", nics.size()));
    }
  }

  // Up in its siblings: of the machine, or those of the same name in most hosts of the fabric.
  void tell(std::size_t nic) {
    // A NIC without a link looks slow, so that its role is unknown; those of its name in other hosts tell.
    const bool compute = roles_[nic] == NicRole::compute;
    if (told_.contains(port_of(nic)) || (!compute && !asked_.empty())) return;
    const auto active = compute ? active_.find(family(nic)) : active_.end();
    const std::size_t siblings = active == active_.end() ? 0 : active->second;
    const std::string name = view_.label(nic);
    const bool elsewhere = called_up_[name] >= 3 && called_up_[name] >= 3 * called_down_[name];
    if (siblings == 0 && !elsewhere) return;
    told_.insert(port_of(nic));
    down(view_.node_port(port_of(nic)), {},
         siblings != 0
             ? fmt::format("{} of this machine {} up", counted(siblings, "other NIC", "other NICs"), siblings == 1 ? "is" : "are")
             : fmt::format("{} called {} in other hosts {} up", counted(called_up_[name], "NIC", "NICs"), name,
                           called_up_[name] == 1 ? "is" : "are"));
  }

  // What is left of ports of InfiniBand that are down: nobody depends on them.
  void tell_of_spare() {
    std::map<std::size_t, std::vector<std::size_t>> spare;  // of each machine
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i) {
      const Node& port = view_.node(i);
      const std::size_t nic = view_.parent(i);
      if (port.kind != Kind::port || told_.contains(i) || nic == View::none || roles_[nic] == NicRole::none || cabled(i))
        continue;
      if (text_of(port.attributes, "state") == "down" && text_of(port.attributes, "link_layer") != "Ethernet")
        spare[view_.machine(i)].push_back(i);
    }
    for (const auto& [machine, ports] : spare) {
      std::string names;
      for (const std::size_t port : ports) names += (names.empty() ? "" : ", ") + view_.label(port);
      Finding finding;
      finding.rule = "port-spare";
      finding.severity = Severity::note;
      finding.a = view_.node_port(ports.front());
      finding.found = ports.size() == 1 ? "the port is down" : fmt::format("{} ports are down: {}", ports.size(), names);
      finding.why = "no GPU is beside it, and no other port like it is up: most likely nothing was ever plugged in";
      finding.action = "Nothing, unless a cable belongs here";
      findings_.add(std::move(finding));
    }
  }

  const View& view_;
  Findings& findings_;
  std::string_view asked_;  // patterns of compute NICs
  std::vector<NicRole> roles_;
  std::set<std::size_t> told_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> active_;
  std::map<std::string, std::size_t> called_up_, called_down_;  // NICs by what they are called
  std::map<std::size_t, std::vector<std::size_t>> gpus_;        // of each machine
  std::vector<std::size_t> down_;                               // NICs without a port that is up
};

}  // namespace

void check_ports(const Context& context, Findings& findings) { Ports(context, findings).run(); }

}  // namespace railgauge::topo
