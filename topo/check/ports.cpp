// Ports that carry nothing: not configured by a subnet manager, or down while their siblings are up.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/check/rules.hpp"
#include "topo/roles.hpp"

namespace railgauge::topo {
namespace {

class Ports {
 public:
  Ports(const Context& context, Findings& findings)
      : view_(context.view), findings_(findings), roles_(nic_roles(context.view, context.options.nics)) {}

  void run() {
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i)
      if (view_.link(i).kind == LinkKind::infiniband) look_at_link(i);
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::port && !told_.contains(i)) look_at_port(i);
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::nic && roles_[i] == NicRole::compute) count(i);
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::nic && roles_[i] == NicRole::compute) look_at_nic(i);
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

  void down(NodePort a, NodePort b, const std::string& sign) {
    Finding finding;
    finding.rule = "port-down";
    finding.severity = Severity::warning;
    finding.a = std::move(a);
    finding.b = std::move(b);
    finding.found = "the port is down";
    finding.expected = "an active port: " + sign;
    finding.why = "its share of the machine's bandwidth is missing, and jobs that want this port fail or wait";
    finding.action = "Look whether the cable is plugged in at both ends and lit; then exchange the cable, then the transceiver";
    findings_.add(std::move(finding));
  }

  // NICs of one model in one machine.
  [[nodiscard]] std::pair<std::size_t, std::string> family(std::size_t nic) const {
    const std::string_view device = text_of(view_.node(nic).attributes, "pci_id");
    return {view_.machine(nic), device.empty() ? std::string() : std::string(device)};
  }

  // Whether all of its ports that say something are down; nothing known of any port is no answer.
  [[nodiscard]] bool states(std::size_t nic, std::string_view wanted, bool all) const {
    bool some = false;
    bool every = true;
    bool known = false;
    for (const std::size_t port : view_.children(nic)) {
      const std::string_view state = text_of(view_.node(port).attributes, "state");
      if (view_.node(port).kind != Kind::port || state.empty()) continue;
      known = true;
      some = some || state == wanted;
      every = every && state == wanted;
    }
    return known && (all ? every : some);
  }

  void count(std::size_t nic) {
    if (states(nic, "active", false)) ++active_[family(nic)];
  }

  void look_at_nic(std::size_t nic) {
    if (!states(nic, "down", true) || active_[family(nic)] == 0) return;
    for (const std::size_t port : view_.children(nic))
      if (view_.node(port).kind == Kind::port && !told_.contains(port)) {
        down(view_.node_port(port), {},
             fmt::format("{} other NIC{} of this machine {} up", active_[family(nic)], active_[family(nic)] == 1 ? "" : "s",
                         active_[family(nic)] == 1 ? "is" : "are"));
        return;
      }
  }

  const View& view_;
  Findings& findings_;
  std::vector<NicRole> roles_;
  std::set<std::size_t> told_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> active_;
};

}  // namespace

void check_ports(const Context& context, Findings& findings) { Ports(context, findings).run(); }

}  // namespace railgauge::topo
