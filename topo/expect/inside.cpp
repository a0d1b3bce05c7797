// Adds up the links of each GPU. That a source shows none proves nothing unless that source would show them.
#include "topo/expect/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "topo/gpu_models.hpp"

namespace railgauge::topo {
namespace {

class Builder {
 public:
  Builder(const View& view, std::span<const std::size_t> gpus) : view_(view), gpus_(gpus), chosen_(view.graph().nodes.size()) {
    for (const std::size_t gpu : gpus) chosen_[gpu] = true;
  }

  Inside build(bool joined) {
    if (leads_nowhere()) {
      result_.words = fmt::format("V is unknown: {}", no_ends);
    } else if (joined && gpus_.size() > 1) {
      links();
    } else if (shown()) {
      pcie();
    } else {
      result_.words = fmt::format("V is unknown: {}", missing());
    }
    return std::move(result_);
  }

  [[nodiscard]] std::string unseen() const {
    if (leads_nowhere()) return no_ends;
    return shown() ? std::string() : missing();
  }

 private:
  static constexpr const char* no_ends =
      "the source does not tell where these NVLinks lead; `nvidia-smi topo -m` beside it would";

  // `nvidia-smi nvlink -s` alone tells of links, and not of their other ends.
  [[nodiscard]] bool leads_nowhere() const {
    return std::any_of(gpus_.begin(), gpus_.end(), [&](std::size_t gpu) {
      const auto links = view_.links(gpu);
      return std::any_of(links.begin(), links.end(), [&](std::size_t link) {
        return joins_gpus(view_.link(link).kind) && !is_off(view_.link(link)) && view_.a(link) == view_.b(link);
      });
    });
  }

  void links() {
    double least = std::numeric_limits<double>::max();
    unsigned links = 0;
    bool told = true;  // by each link that is up
    std::string word = "NVLink";
    result_.switched = true;
    for (const std::size_t gpu : gpus_) {
      double sum = 0;
      unsigned count = 0;
      bool of_switch = false;
      for (const std::size_t link : view_.links(gpu)) {
        const Link& it = view_.link(link);
        const std::size_t other = view_.other_end(link, gpu);
        if (!joins_gpus(it.kind) || is_off(it) || other == View::none) continue;
        const bool to_switch = view_.node(other).kind == Kind::nvswitch;
        if (!to_switch && !chosen_[other]) continue;
        of_switch = of_switch || to_switch;
        if (it.kind == LinkKind::xgmi) word = "xGMI link";
        told = told && payload(it.bandwidth) > 0;
        sum += payload(it.bandwidth);
        count += it.count;
      }
      result_.switched = result_.switched && of_switch;
      if (sum < least) {
        least = sum;
        links = count;
      }
    }
    if (told && least > 0) {
      result_.bandwidth = least;
      result_.words = fmt::format("V = {:.4g} GB/s: {} {}{} of each GPU", least, links, word, links == 1 ? "" : "s");
    } else {
      result_.words = fmt::format("V is unknown: {} {} of these GPUs tells its bandwidth", least > 0 ? "not every" : "no", word);
    }
  }

  // Whether there would be links in the graph if there were any: some are in it, the model has none, or a source lists them all.
  [[nodiscard]] bool shown() const {
    const auto has_links = [&](std::size_t gpu) {
      const auto links = view_.links(gpu);
      return std::any_of(links.begin(), links.end(), [&](std::size_t link) { return joins_gpus(view_.link(link).kind); });
    };
    return std::any_of(gpus_.begin(), gpus_.end(), has_links) ||
           std::all_of(gpus_.begin(), gpus_.end(), [&](std::size_t gpu) { return lists_links(view_, gpu); });
  }

  [[nodiscard]] std::string missing() const {
    const Node& gpu = view_.node(gpus_.front());
    const GpuModel model = gpu_model(gpu);
    std::string sources = fmt::format("{}", fmt::join(gpu.provenance, " and "));
    if (sources.empty()) sources = "the graph";
    const std::string link(model.link.empty() ? "NVLink or xGMI" : model.link);
    const std::string what =
        model.links == GpuLinks::unknown ? fmt::format("{} may join these GPUs, whose model {} does not tell", link, sources)
        : model.links == GpuLinks::some
            ? fmt::format("{} may join GPUs of this model ({}), and {} shows none", link, gpu.name, sources)
            : fmt::format("{} joins GPUs of this model ({}), and {} does not show it", link, gpu.name, sources);
    const std::string who =
        model.link == "xGMI" ? "hwloc with ROCm or RCCL's own dump (NCCL_TOPO_DUMP_FILE) would"
                             : "`railgauge topo --save` on the machine, `nvidia-smi topo -m` and `nvlink -s`, or NCCL's own dump "
                               "(NCCL_TOPO_DUMP_FILE) would";
    return fmt::format("{}; {}", what, who);
  }

  // The narrowest PCIe link that a ring of these GPUs crosses: from each GPU up to where all of its machine are below.
  void pcie() {
    std::map<std::size_t, std::size_t> all;  // GPUs of each machine
    std::vector<std::size_t> below(view_.graph().nodes.size());
    for (const std::size_t gpu : gpus_) {
      ++all[view_.machine(gpu)];
      for (std::size_t at = gpu; at != View::none; at = view_.parent(at)) ++below[at];
    }
    double least = 0;
    std::size_t narrowest = View::none;
    for (const std::size_t gpu : gpus_)
      for (std::size_t at = gpu; at != View::none; at = view_.parent(at)) {
        if (at != gpu && below[at] == all[view_.machine(gpu)]) break;
        const std::size_t link = view_.pcie_above(at);
        const double here = link == View::none ? 0 : payload(view_.link(link).bandwidth);
        if (at == gpu && here == 0) {
          result_.words = "V is unknown: the PCIe link of a GPU does not tell its bandwidth";
          return;
        }
        if (here > 0 && (least == 0 || here < least)) {
          least = here;
          narrowest = at;
        }
      }
    result_.bandwidth = least;
    result_.words = fmt::format("V = {:.4g} GB/s: the narrowest PCIe link between these GPUs, that of {}", least,
                                narrowest == View::none ? "a GPU" : view_.spoken(narrowest));
  }

  const View& view_;
  std::span<const std::size_t> gpus_;
  std::vector<bool> chosen_;
  Inside result_;
};

}  // namespace

Inside inside_of(const View& view, std::span<const std::size_t> gpus, bool joined) { return Builder(view, gpus).build(joined); }

std::string missing_links(const View& view, std::span<const std::size_t> gpus) { return Builder(view, gpus).unseen(); }

}  // namespace railgauge::topo
