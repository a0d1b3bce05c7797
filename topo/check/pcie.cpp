// PCIe links that carry less than they could: fewer lanes, lower speed, a narrow slot, a virtual port.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "topo/check/rules.hpp"
#include "topo/rates.hpp"

namespace railgauge::topo {
namespace {

// 0 when it is none of PCIe's.
unsigned generation(double speed) {
  for (unsigned number = 1; pcie_rate(number, 1).speed != 0; ++number)
    if (pcie_rate(number, 1).speed == speed) return number;
  return 0;
}

// GB/s; 0 where width or speed is unknown.
double payload(const Rate& rate) { return pcie_bandwidth(rate).nominal; }

std::string speed_words(double speed) {
  const unsigned number = generation(speed);
  return number == 0 ? fmt::format("{:g} GT/s", speed) : fmt::format("Gen{} ({:g} GT/s)", number, speed);
}

std::string rate_words(const Rate& rate) {
  if (rate.speed == 0) return fmt::format("x{}", rate.width);
  if (rate.width == 0) return speed_words(rate.speed);
  return fmt::format("x{} {}", rate.width, speed_words(rate.speed));
}

bool carries_traffic(Kind kind) {
  return kind == Kind::gpu || kind == Kind::nic || kind == Kind::accelerator || kind == Kind::nvswitch || kind == Kind::storage;
}
bool is_bridge(Kind kind) { return kind == Kind::pci_bridge || kind == Kind::pci_switch; }

// The first device below that carries traffic, GPUs and NICs before disks; none when there is none.
std::size_t device_below(const View& view, std::size_t node) {
  std::size_t best = View::none;
  const auto rank = [&](std::size_t it) {
    const Kind kind = view.node(it).kind;
    return kind == Kind::gpu ? 0 : kind == Kind::nic ? 1 : kind == Kind::storage ? 3 : 2;
  };
  std::vector<std::size_t> open{node};
  while (!open.empty()) {
    const std::size_t it = open.back();
    open.pop_back();
    if (carries_traffic(view.node(it).kind) && (best == View::none || rank(it) < rank(best))) best = it;
    const auto children = view.children(it);
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return best;
}

std::string share_lost(double has, double could) {
  const double lost = 1 - has / could;
  return lost > 0.45 && lost < 0.55 ? "half" : fmt::format("{:.0f} %", 100 * lost);
}

std::string whom(const View& view, std::size_t device) {
  if (device == View::none) return "what is below it";
  const Kind kind = view.node(device).kind;
  return kind == Kind::gpu ? fmt::format("GPU {}", view.gpu_number(device)) : view.label(device);
}

bool is_virtual(const Rate& rate, const Bandwidth& bandwidth) {
  if (rate.width != 0 || rate.speed != 0) return rate.width == 1 && rate.speed > 0 && rate.speed <= 2.5;
  return bandwidth.nominal > 0 && bandwidth.nominal <= 0.26;
}

class Links {
 public:
  Links(const Context& context, Findings& findings) : view_(context.view), findings_(findings) {}

  void run() {
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::gpu || view_.node(i).kind == Kind::nic) walk_up(i);
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i)
      if (view_.link(i).kind == LinkKind::pcie && view_.b(i) != View::none && view_.a(i) != View::none && !virtual_.contains(i))
        look_at(i);
  }

 private:
  Finding about(std::size_t link, const char* rule, Severity severity) const {
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.a = view_.node_port(view_.b(link));  // the device first: it is what people look for
    finding.b = view_.node_port(view_.a(link));
    return finding;
  }

  void look_at(std::size_t link) {
    const Link& it = view_.link(link);
    const std::size_t device = device_below(view_, view_.b(link));
    const Kind kind = device == View::none ? Kind::device : view_.node(device).kind;
    const bool counts = kind == Kind::gpu || kind == Kind::nic || kind == Kind::accelerator || kind == Kind::nvswitch;
    if (it.active.width != 0 && it.active.width < it.capable.width) {
      Finding finding = about(link, "pcie-width",
                              counts                 ? Severity::fault
                              : device == View::none ? Severity::note
                                                     : Severity::warning);
      finding.found = fmt::format("the link runs x{}", it.active.width);
      finding.expected = fmt::format("x{}, which both ends can", it.capable.width);
      finding.why = fmt::format("{} of the bandwidth of {} is lost, and a link that is idle does not give up lanes",
                                share_lost(it.active.width, it.capable.width), whom(view_, device));
      finding.action = fmt::format(
          "Power off, reseat the card, its riser or cable, and look for bent pins; if x{} stays, exchange it with a sibling to "
          "learn whether card or slot is at fault",
          it.active.width);
      findings_.add(std::move(finding));
    }
    if (it.active.speed > 0 && it.active.speed < it.capable.speed) slow(link, device, kind);
    if (device != View::none && device == view_.b(link)) slot(link, device);
  }

  void slow(std::size_t link, std::size_t device, Kind kind) {
    const Link& it = view_.link(link);
    // GPUs lower the speed of their link when idle, and a switch in the card does the same with its own.
    if (kind == Kind::gpu || it.state == LinkState::low) {
      Finding finding = about(link, "pcie-low-now", Severity::note);
      finding.found = fmt::format("the link runs at {} now", speed_words(it.active.speed));
      finding.expected = speed_words(it.capable.speed) + " under load";
      finding.why = "an idle GPU lowers the speed of its link to save power, and raises it within microseconds of traffic";
      finding.action = "Read it again while a copy to or from the GPU runs; if it stays low then, the link is degraded";
      findings_.add(std::move(finding));
      return;
    }
    const bool counts = kind == Kind::nic || kind == Kind::accelerator || kind == Kind::nvswitch;
    Finding finding = about(link, "pcie-speed",
                            counts                 ? Severity::fault
                            : device == View::none ? Severity::note
                                                   : Severity::warning);
    finding.found = fmt::format("the link runs at {}", speed_words(it.active.speed));
    finding.expected = speed_words(it.capable.speed) + ", which both ends can";
    finding.why = fmt::format("{} of the bandwidth of {} is lost",
                              share_lost(payload({1, it.active.speed}), payload({1, it.capable.speed})), whom(view_, device));
    finding.action = "Retrain the link (reboot, or reseat card and riser) and look for a speed limit in the BIOS";
    findings_.add(std::move(finding));
  }

  // What the device alone can, against what its slot can.
  void slot(std::size_t link, std::size_t device) {
    const Link& it = view_.link(link);
    Rate own = it.capable;
    own.width = std::max(own.width, static_cast<unsigned>(number_of(it.attributes, "b_capable_width")));
    own.speed = std::max(own.speed, pcie_rate(static_cast<unsigned>(number_of(it.attributes, "gpu_max_generation")), 1).speed);
    if (it.capable.width == 0 || it.capable.speed == 0 || payload(own) <= payload(it.capable)) return;
    // A board of an older generation was bought as such; a narrow slot seldom was.
    Finding finding = about(link, "pcie-slot", own.width > it.capable.width ? Severity::warning : Severity::note);
    finding.found = fmt::format("the slot can {}", rate_words(it.capable));
    finding.expected = fmt::format("{}, which the device can", rate_words(own));
    finding.why = fmt::format("{} of the bandwidth of {} is out of reach in this slot",
                              share_lost(payload(it.capable), payload(own)), whom(view_, device));
    finding.action = own.width > it.capable.width
                         ? "Move the card to a wider slot, or split slots differently (bifurcation) in the BIOS"
                         : "Nothing on a board of an older generation; else look for a speed limit in the BIOS, or a riser of it";
    findings_.add(std::move(finding));
  }

  // From a GPU or NIC to its PCIe root: links that are narrower than the device's own.
  void walk_up(std::size_t device) {
    const std::size_t own = view_.pcie_above(device);
    if (own == View::none) return;
    const double wanted = payload(view_.link(own).capable);
    unsigned depth = 0;  // links that somebody wrote can be a circle; no machine has so many bridges one after the other
    for (std::size_t link = own; link != View::none && depth < 64; link = view_.pcie_above(view_.a(link)), ++depth) {
      const Link& it = view_.link(link);
      const Rate& known = it.capable.width != 0 || it.capable.speed > 0 ? it.capable : it.active;
      const bool below_bridge = is_bridge(view_.node(view_.a(link)).kind) || is_bridge(view_.node(view_.b(link)).kind);
      // A NIC of 1 Gb/s is content with one lane; one that has more itself is not.
      const bool wants_more = view_.node(device).kind == Kind::gpu ||
                              (link != own && !is_virtual(view_.link(own).capable, view_.link(own).bandwidth));
      if (below_bridge && wants_more && is_virtual(known, it.bandwidth)) {
        virtual_port(link, device);
        continue;
      }
      if (link == own || wanted == 0) continue;
      const double has = payload(it.capable);
      if (has == 0 || has >= 0.95 * wanted || !narrow_.insert(link).second) continue;
      Finding finding = about(link, "pcie-slot", Severity::warning);
      finding.found = fmt::format("this link on the path to {} can {}", whom(view_, device), rate_words(it.capable));
      finding.expected = fmt::format("{} as at the device itself", rate_words(view_.link(own).capable));
      finding.why =
          fmt::format("{} shows a full link, but reaches memory and other devices through this one", whom(view_, device));
      finding.action = "Move the card to a wider slot, or split slots differently (bifurcation) in the BIOS";
      findings_.add(std::move(finding));
    }
  }

  void virtual_port(std::size_t link, std::size_t device) {
    if (!virtual_.insert(link).second) return;
    Finding finding = about(link, "pcie-virtual", Severity::warning);
    finding.found = fmt::format("the port above {} says x1 Gen1 (2.5 GT/s)", whom(view_, device));
    finding.expected = "the width and speed of the slot that the hypervisor passes through";
    finding.why =
        "the port is virtual and its numbers are made up, but NCCL believes them, models 0.2 GB/s here and avoids GPU-direct";
    finding.action =
        "Give NCCL the true topology: take a file of the cloud's maker, or write one with `railgauge topo --as nccl`, and "
        "set NCCL_TOPO_FILE";
    findings_.add(std::move(finding));
  }

  const View& view_;
  Findings& findings_;
  std::set<std::size_t> virtual_, narrow_;
};

}  // namespace

void check_pcie(const Context& context, Findings& findings) { Links(context, findings).run(); }

}  // namespace railgauge::topo
