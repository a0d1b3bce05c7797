// What the rules looked at, and what they could not because no source told it: silence is not health.
#include <algorithm>
#include <string_view>

#include "topo/check/gpu_tools.hpp"
#include "topo/check/rules.hpp"
#include "topo/gpu_models.hpp"

namespace railgauge::topo {
namespace {

class Coverer {
 public:
  explicit Coverer(const Context& context) : view_(context.view), fabric_(context.fabric) {
    for (const Link& link : view_.graph().links) count(link);
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i) count(i);
  }

  [[nodiscard]] Coverage found() const {
    Coverage all;
    const auto add = [&](std::uint64_t count, const char* one, const char* many) {
      if (count != 0) all.checked.push_back({count, one, many});
    };
    add(links_, "link", "links");
    add(fabric_.switches.size(), "switch", "switches");
    add(gpus_, "GPU", "GPUs");
    add(nics_, "NIC", "NICs");
    const auto miss = [&](bool is, const char* what, const char* reason) {
      if (is) all.not_checked.push_back({what, reason});
    };
    miss(nvidia_ != 0 && nvlinks_ == 0 && asked_nvidia_ == 0, "NVLink", "nvidia-smi was not asked");
    miss(amd_ > 1 && xgmis_ == 0 && asked_amd_ == 0, "xGMI", "amd-smi was not asked");
    miss(pcie_devices_ != 0 && pcie_known_ == 0, "PCIe", "no source tells width and speed of its links");
    miss(infiniband_nics_ != 0 && ports_known_ == 0 && cables_ == 0, "ports of NICs", "no source tells their state");
    miss(ports_known_ != 0 && infiniband_nics_ != 0 && cables_ == 0, "the fabric",
         "--fabric or a file of ibnetdiscover tells it");
    miss(cables_ != 0 && cables_capable_ == 0, "what InfiniBand ports could carry",
         "ibnetdiscover does not tell it, --fabric does");
    miss(is_joined() && !fabric_.cables, "cables", "this source tells only who is below whom");
    return all;
  }

 private:
  [[nodiscard]] bool is_joined() const {
    return std::any_of(fabric_.switches.begin(), fabric_.switches.end(),
                       [](const fabric::Switch& it) { return !it.peers.empty() || !it.hosts.empty(); });
  }

  void count(const Link& link) {
    const bool known = link.active.width != 0 || link.active.speed > 0;
    switch (link.kind) {
      case LinkKind::pcie:
        if (known) ++pcie_known_;
        links_ += known ? link.count : 0;
        return;
      case LinkKind::nvlink:
        ++nvlinks_;
        break;
      case LinkKind::xgmi:
        ++xgmis_;
        break;
      case LinkKind::infiniband:
        ++cables_;
        if (link.capable.width != 0 || link.capable.speed > 0) ++cables_capable_;
        break;
      case LinkKind::ethernet:
      case LinkKind::c2c:
        break;
      default:
        return;
    }
    links_ += link.count;
  }

  void count(std::size_t at) {
    const Node& node = view_.node(at);
    const bool in_a_slot = view_.pcie_above(at) != View::none;
    if (node.kind == Kind::gpu) {
      ++gpus_;
      pcie_devices_ += in_a_slot ? 1U : 0U;
      const GpuVendor vendor = vendor_of(node);
      // `nvidia-smi nvlink -s` does not list who is joined with whom, but says that links are inactive.
      const bool asked = lists_links(view_, at) || told_by(node.provenance, "nvidia-smi");
      if (vendor == GpuVendor::nvidia) {
        ++nvidia_;
        if (asked) ++asked_nvidia_;
      }
      if (vendor == GpuVendor::amd) {
        ++amd_;
        if (asked) ++asked_amd_;
      }
    } else if (node.kind == Kind::nic) {
      ++nics_;
      pcie_devices_ += in_a_slot ? 1U : 0U;
      if (text_of(node.attributes, "pci_class") == "0207") ++infiniband_nics_;
    } else if (node.kind == Kind::port && !text_of(node.attributes, "state").empty() &&
               text_of(node.attributes, "state") != "unknown") {
      ++ports_known_;
    }
  }

  const View& view_;
  const fabric::Fabric& fabric_;
  std::uint64_t links_ = 0, gpus_ = 0, nics_ = 0;
  std::size_t nvidia_ = 0, asked_nvidia_ = 0, nvlinks_ = 0, amd_ = 0, asked_amd_ = 0, xgmis_ = 0;
  std::size_t pcie_devices_ = 0, pcie_known_ = 0, infiniband_nics_ = 0, ports_known_ = 0, cables_ = 0, cables_capable_ = 0;
};

}  // namespace

Coverage coverage_of(const Context& context) { return Coverer(context).found(); }

}  // namespace railgauge::topo
