// The table of bench/predict/constants.hpp.
#include "bench/predict/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/units.hpp"
#include "topo/gpu_models.hpp"

namespace railgauge::predict {
namespace {

struct Row {
  double seconds;
  std::string_view source;
};

// A step between GPUs: the latencies of NCCL's protocol LL128 in a ring, which are the middle of its three.
constexpr std::string_view nccl = "NCCL 2.8, src/graph/tuning.cc: hwLat, ring, LL128";
constexpr Row gpu_links = {1.9e-6, nccl};
constexpr Row pcie = {2.5e-6, nccl};
constexpr Row gpu_network = {4.0e-6, nccl};
// A message between hosts.
constexpr Row infiniband = {1.2e-6, "Azure HBv3, RDMA over HDR InfiniBand"};
constexpr Row ethernet = {5.84e-6, "UCX issue 6242, RoCE on a bond"};
constexpr Row infiniband_switch = {130e-9, "NVIDIA Quantum QM8700, data sheet"};
constexpr Row ethernet_switch = {300e-9, "NVIDIA SN2700, data sheet"};
constexpr Row post = {75e-9, "UCX, rc_verbs: overhead of a message"};

// What NVIDIA's DCGM demands of a GPU's memory is 75 % of what its laboratory measured (diag-skus.yaml).
struct MemoryRow {
  std::string_view word, other;  // both are words of the model's name; an empty one is always
  double demanded;               // bytes a second
};
constexpr double demanded_share = 0.75;
constexpr auto memories =
    std::to_array<MemoryRow>({{"A100", "80GB", 1173e9}, {"H100", "HBM3", 1905e9}, {"B200", "", 4072e9}, {"GB300", "", 4522e9}});
constexpr std::string_view memory_source = "DCGM's diag-skus.yaml, whose demand is 75 % of it";

bool fits(const MemoryRow& row, const topo::Node& node) {
  return node.kind == topo::Kind::gpu && topo::model_has(node, row.word) &&
         (row.other.empty() || topo::model_has(node, row.other));
}

// The row of all ranks' GPUs; null where there is none, or several.
const MemoryRow* memory_of(const topo::Graph& graph, const topo::Network& network) {
  const MemoryRow* found = nullptr;
  for (const std::uint32_t vertex : network.ranks) {
    const topo::Node& node = graph.nodes[network.vertices[vertex].node];
    if (found != nullptr && fits(*found, node)) continue;
    const auto* const row = std::find_if(memories.begin(), memories.end(), [&](const MemoryRow& it) { return fits(it, node); });
    if (row == memories.end() || found != nullptr) return nullptr;
    found = row;
  }
  return found;
}

class Table {
 public:
  Table(const topo::Graph& graph, const topo::Network& network, const Given& given, const MeasuredCosts& measured)
      : graph_(graph),
        network_(network),
        given_(given),
        measured_(measured),
        gpus_(!network.ranks.empty() && graph.nodes[network.vertices[network.ranks.front()].node].kind == topo::Kind::gpu),
        has_gpu_links_(has(topo::joins_gpus)),
        has_infiniband_(has([](topo::LinkKind kind) { return kind == topo::LinkKind::infiniband; })),
        has_ethernet_(has([](topo::LinkKind kind) { return kind == topo::LinkKind::ethernet; })) {}

  Constants constants() {
    latencies();
    switches();
    gap();
    memory();
    return std::move(result_);
  }

 private:
  static constexpr std::string_view user = "given";

  template <class OfKind>
  [[nodiscard]] bool has(const OfKind& of_kind) const {
    return std::any_of(network_.arcs.begin(), network_.arcs.end(),
                       [&](const topo::Arc& arc) { return of_kind(graph_.links[arc.link].kind); });
  }
  void say(double seconds, std::string_view what, std::string_view source) {
    result_.assumed.push_back(fmt::format("{} {} ({})", format_seconds(Seconds(seconds)), what, source));
  }
  void latencies() {
    Costs& costs = result_.costs;
    const Row& between_hosts = has_ethernet_ && !has_infiniband_ ? ethernet : infiniband;
    costs.gpu_links = given_.latency.value_or(gpu_links.seconds);
    costs.pcie = given_.latency.value_or(pcie.seconds);
    costs.network = given_.latency.value_or((gpus_ ? gpu_network : between_hosts).seconds);
    if (given_.latency) say(*given_.latency, "for each message", user);
    medium(Medium::gpu_links, has_gpu_links_, costs.gpu_links, "over NVLink or xGMI", gpu_links.source);
    medium(Medium::pcie, gpus_, costs.pcie, "over PCIe", pcie.source);
    medium(Medium::network, has_infiniband_ || has_ethernet_, costs.network, "through one switch",
           (gpus_ ? gpu_network : between_hosts).source);
  }
  // What was measured of a medium, unless the user says the latency; else the line of the table.
  void medium(Medium which, bool there, double& latency, std::string_view what, std::string_view source) {
    const std::optional<MediumFit>& found = measured_.media[static_cast<std::size_t>(which)];
    const bool known = found && found->fit.has_latency && !given_.latency;
    if (known) latency = found->fit.latency;
    // How well the fit tells all sizes, said once; medians are not known better than that.
    constexpr double least_percent = 0.01;
    const std::string within =
        known && found->fit.error > 0
            ? fmt::format("; all sizes within {} %", significant(std::max(found->fit.error * 100, least_percent), 2))
            : "";
    if (there && !given_.latency)
      say(latency, fmt::format("for a message {}{}", what, known && !found->fit.has_share ? within : ""),
          known ? found->source : source);
    if (known && found->fit.handshake > 0) {
      const double eager = found->fit.eager;
      result_.costs.handshakes[static_cast<std::size_t>(which)] = {eager, found->fit.handshake};
      say(found->fit.handshake, fmt::format("more for one of more than {}", format_bytes(static_cast<std::uint64_t>(eager))),
          found->source);
      if (!given_.eager) eager_messages(which, eager, what, found->source);
    }
    if (given_.eager && there) eager_messages(which, *given_.eager, what, user);
    if (found && found->fit.has_share)
      result_.assumed.push_back(fmt::format("messages {} reach {} % of the bandwidth that the topology has{} ({})", what,
                                            significant(found->fit.share * 100, 4), within, found->source));
  }
  void eager_messages(Medium which, double bytes, std::string_view what, std::string_view source) {
    result_.costs.eager[static_cast<std::size_t>(which)] = bytes;
    result_.assumed.push_back(fmt::format(
        "messages {}{} begin when they are sent, though their receiver is not ready ({})", what,
        std::isinf(bytes) ? std::string() : " of at most " + format_bytes(static_cast<std::uint64_t>(bytes)), source));
  }
  void gap() {
    const bool known = measured_.gap && !given_.gap;
    result_.costs.gap = known ? *measured_.gap : given_.gap.value_or(post.seconds);
    say(result_.costs.gap, "from one send of a rank to its next",
        known        ? measured_.gap_source
        : given_.gap ? std::string(user)
                     : std::string(post.source));
  }
  void switches() {
    if (!has_infiniband_ && !has_ethernet_) return;
    const Row& row = has_ethernet_ && !has_infiniband_ ? ethernet_switch : infiniband_switch;
    result_.costs.hop = given_.hop.value_or(row.seconds);
    say(result_.costs.hop, "for each further switch", given_.hop ? user : row.source);
  }
  void memory() {
    const MemoryRow* const row = memory_of(graph_, network_);
    if (given_.memory)
      result_.costs.memory = *given_.memory;
    else if (row != nullptr)
      result_.costs.memory = row->demanded / demanded_share;
    if (result_.costs.memory > 0)
      result_.assumed.push_back(fmt::format("{} GB/s of memory for reductions and copies ({})",
                                            significant(result_.costs.memory / 1e9, 4), given_.memory ? user : memory_source));
    else
      result_.assumed.emplace_back("reductions and copies take no time: the rate of the memory is unknown (--memory-rate)");
  }

  const topo::Graph& graph_;
  const topo::Network& network_;
  const Given& given_;
  const MeasuredCosts& measured_;
  Constants result_;
  bool gpus_, has_gpu_links_, has_infiniband_, has_ethernet_;
};

}  // namespace

Constants constants_of(const topo::Graph& graph, const topo::Network& network, const Given& given,
                       const MeasuredCosts& measured) {
  return Table(graph, network, given, measured).constants();
}

}  // namespace railgauge::predict
