// The path of a message from one rank to another: NVLink, else PCIe, else the nearest NICs and the fabric between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/predict/flows/path.hpp"
#include "bench/predict/routes/fabric.hpp"
#include "bench/predict/routes/forwarding.hpp"
#include "bench/predict/routes/incidence.hpp"
#include "bench/predict/routes/inside.hpp"

namespace railgauge::predict {

enum class RoutingKind : std::uint8_t {
  adaptive,  // a message uses all shortest paths at once
  ecmp,      // each pair of ranks keeps to one of them, which is drawn
  tables,    // the forwarding tables of the switches
};
[[nodiscard]] std::string_view name(RoutingKind kind) noexcept;
[[nodiscard]] std::optional<RoutingKind> find_routing(std::string_view name) noexcept;

struct Routing {
  RoutingKind kind = RoutingKind::adaptive;
  std::uint64_t seed = 1;                  // of ecmp
  const Forwarding* forwarding = nullptr;  // of tables, complete; it must outlive what is routed by it
};

enum class Medium : std::uint8_t { gpu_links, pcie, network };

struct Route {
  Path path;  // refers to what Routes keeps
  Medium medium = Medium::network;
  std::uint32_t switches = 0;  // of the fabric, on the path
  bool relayed = false;        // through another GPU of the sender's machine, whose NIC reaches the receiver
};

// Two ranks as one number.
[[nodiscard]] inline std::uint64_t pair_key(std::int32_t from, std::int32_t to) {
  return (std::uint64_t{static_cast<std::uint32_t>(from)} << 32U) | static_cast<std::uint32_t>(to);
}

// Refers to the incidence, which must outlive it. Ranks are those of `vertices` by their places, which may name a vertex twice;
// without it, those of the network. Keeps what paths have in common.
class Routes {
 public:
  Routes(const Incidence& incidence, const Routing& routing, const std::vector<std::uint32_t>& vertices = {});

  // Throws Error(usage) when no path joins them, or a forwarding table does not lead there. Valid until forget_some().
  [[nodiscard]] Route between(std::int32_t from, std::int32_t to);
  // Where more is kept than is good for the memory, lets it go. Invalidates the paths.
  void forget_some();

 private:
  struct Attachments {
    bool known = false;
    std::vector<Attachment> attachments;
  };
  struct Junction {  // an attachment out and an attachment in, and what is between them
    const Attachment *out, *in;
  };
  const std::vector<Attachment>& attachments(std::int32_t rank, Direction direction);
  bool inside(std::int32_t from, std::int32_t to, bool relayed, Route& route);
  bool through_fabric(std::int32_t from, std::int32_t to, std::int32_t relay, Route& route);
  [[nodiscard]] std::uint16_t nearest(std::int32_t from, std::int32_t to);
  [[nodiscard]] std::uint16_t apart(const Attachment& out, const Attachment& in);
  std::span<const Use> between_switches(const Attachment& out, const Attachment& in);
  void join(const std::vector<Junction>& junctions, Route& route);
  void draw(const std::vector<Junction>& junctions, std::uint64_t flow, Route& route);
  [[nodiscard]] std::uint32_t vertex(std::int32_t rank) const { return vertices_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] double capacity(const Attachment& attachment) const {
    return static_cast<double>(incidence_.network().arcs[attachment.cable].capacity);
  }

  const Incidence& incidence_;
  Routing routing_;
  std::vector<std::uint32_t> vertices_;  // of ranks
  Inside inside_;
  Fabric fabric_;
  std::vector<Attachments> out_, in_;                           // of each rank
  std::vector<std::vector<std::int32_t>> neighbours_;           // the ranks of each region, by the region's number
  std::unordered_map<std::uint64_t, Inside::Found> insides_;    // of a pair of ranks, and whether relayed
  std::unordered_map<std::uint64_t, std::vector<Use>> drawn_;   // of a pair of ranks
  std::unordered_map<std::uint64_t, std::vector<Use>> tabled_;  // of a switch and the cable of a receiver
  std::size_t held_ = 0;
};

}  // namespace railgauge::predict
