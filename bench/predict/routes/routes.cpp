// How the pieces of bench/predict/routes/routes.hpp are put together.
#include "bench/predict/routes/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace railgauge::predict {
namespace {

constexpr auto names = std::to_array<std::string_view>({"adaptive", "ecmp", "tables"});  // in the order of the enumeration

constexpr std::uint16_t direct = 0;         // one cable joins the two NICs
constexpr std::size_t enough = 16'000'000;  // arcs to keep, some 256 MB

}  // namespace

std::string_view name(RoutingKind kind) noexcept { return names[static_cast<std::size_t>(kind)]; }

std::optional<RoutingKind> find_routing(std::string_view name) noexcept {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<RoutingKind>(found - names.begin());
}

Routes::Routes(const Incidence& incidence, const Routing& routing, const std::vector<std::uint32_t>& vertices)
    : incidence_(incidence),
      routing_(routing),
      vertices_(vertices.empty() ? incidence.network().ranks : vertices),
      inside_(incidence),
      fabric_(incidence),
      out_(vertices_.size()),
      in_(vertices_.size()),
      neighbours_(incidence.network().vertices.size()) {
  for (std::size_t rank = 0; rank < vertices_.size(); ++rank)
    neighbours_[inside_.region(vertices_[rank])].push_back(static_cast<std::int32_t>(rank));
}

const std::vector<Attachment>& Routes::attachments(std::int32_t rank, Direction direction) {
  Attachments& it = (direction == Direction::out ? out_ : in_)[static_cast<std::size_t>(rank)];
  if (!it.known) {
    it.attachments = inside_.attachments(vertex(rank), direction);
    it.known = true;
  }
  return it.attachments;
}

bool Routes::inside(std::int32_t from, std::int32_t to, bool relayed, Route& route) {
  if (inside_.region(vertex(from)) != inside_.region(vertex(to))) return false;
  const auto [at, fresh] = insides_.try_emplace(pair_key(from, to) | (std::uint64_t{relayed} << 63U));
  Inside::Found& found = at->second;
  if (fresh) {
    found = inside_.between(vertex(from), vertex(to), relayed);
    held_ += found.uses.size() + 8;
  }
  if (found.uses.empty()) return false;
  route.path.push_back({found.uses, 1});
  route.medium = found.by == ArcClass::gpu ? Medium::gpu_links : Medium::pcie;
  return true;
}

// Switches between the two cables; too_far when they lead to different places.
std::uint16_t Routes::apart(const Attachment& out, const Attachment& in) {
  if (out.cable == in.cable) return direct;
  const std::uint16_t hops = fabric_.hops(out.beyond, in.beyond);
  return hops == too_far ? too_far : static_cast<std::uint16_t>(hops + 1);
}

std::uint16_t Routes::nearest(std::int32_t from, std::int32_t to) {
  std::uint16_t least = too_far;
  for (const Attachment& out : attachments(from, Direction::out))
    for (const Attachment& in : attachments(to, Direction::in)) least = std::min(least, apart(out, in));
  return least;
}

std::span<const Use> Routes::between_switches(const Attachment& out, const Attachment& in) {
  if (routing_.kind != RoutingKind::tables) return fabric_.all(out.beyond, in.beyond);
  const auto [at, fresh] = tabled_.try_emplace((std::uint64_t{out.beyond} << 32U) | in.cable);
  if (fresh) {
    routing_.forwarding->follow(out.beyond, in.cable, at->second);
    held_ += at->second.size() + 8;
  }
  return at->second;
}

// Each attachment out takes its share by its capacity, and divides it among the attachments in that are as near as any.
void Routes::join(const std::vector<Junction>& junctions, Route& route) {
  double all_out = 0;
  for (std::size_t i = 0; i < junctions.size(); ++i)
    if (i == 0 || junctions[i].out != junctions[i - 1].out) all_out += capacity(*junctions[i].out);
  for (std::size_t first = 0; first < junctions.size();) {
    std::size_t last = first;
    double all_in = 0;
    while (last < junctions.size() && junctions[last].out == junctions[first].out) all_in += capacity(*junctions[last++].in);
    const Attachment& out = *junctions[first].out;
    const double share = capacity(out) / all_out;
    route.path.push_back({out.uses, share});
    for (; first < last; ++first) {
      const Attachment& in = *junctions[first].in;
      const double part = share * capacity(in) / all_in;
      if (out.cable == in.cable) {  // it counts once
        if (in.uses.size() > 1) route.path.push_back({std::span(in.uses).first(in.uses.size() - 1), part});
        continue;
      }
      if (out.beyond != in.beyond) {
        const std::span<const Use> between = between_switches(out, in);
        route.path.push_back({between, part});
        // A table may take more switches than the shortest path has.
        if (routing_.kind == RoutingKind::tables)
          route.switches = std::max(route.switches, static_cast<std::uint32_t>(between.size() + 1));
      }
      route.path.push_back({in.uses, part});
    }
  }
}

void Routes::draw(const std::vector<Junction>& junctions, std::uint64_t flow, Route& route) {
  const std::uint64_t drawn = scatter(flow ^ scatter(routing_.seed));
  const Junction& it = junctions[drawn % junctions.size()];
  const auto [at, fresh] = drawn_.try_emplace(flow);
  if (fresh) {
    std::vector<Use>& uses = at->second;
    uses = it.out->uses;
    if (it.out->cable != it.in->cable) {
      fabric_.one(it.out->beyond, it.in->beyond, drawn, uses);
      uses.push_back(it.in->uses.back());
    }
    uses.insert(uses.end(), it.in->uses.begin(), it.in->uses.end() - 1);
    held_ += uses.size() + 8;
  }
  route.path.push_back({at->second, 1});
}

bool Routes::through_fabric(std::int32_t from, std::int32_t to, std::int32_t relay, Route& route) {
  const std::uint16_t least = nearest(relay, to);
  if (least == too_far) return false;
  std::vector<Junction> junctions;
  for (const Attachment& out : attachments(relay, Direction::out))
    for (const Attachment& in : attachments(to, Direction::in))
      if (apart(out, in) == least) junctions.push_back({&out, &in});
  if (relay != from && !inside(from, relay, true, route)) return false;
  route.switches = least;
  if (routing_.kind == RoutingKind::ecmp)
    draw(junctions, pair_key(relay, to), route);
  else
    join(junctions, route);
  route.medium = Medium::network;
  route.relayed = relay != from;
  return true;
}

Route Routes::between(std::int32_t from, std::int32_t to) {
  Route route;
  if (inside(from, to, false, route) || through_fabric(from, to, from, route)) return route;
  // By the GPU of the sender's machine whose NIC is nearest to the receiver, as NCCL's PXN does.
  const std::vector<std::int32_t>& beside = neighbours_[inside_.region(vertex(from))];
  std::int32_t best = -1;
  std::uint16_t least = too_far;
  for (const std::int32_t rank : beside) {
    const std::uint16_t it = rank == from || rank == to ? too_far : nearest(rank, to);
    if (it < least) {
      least = it;
      best = rank;
    }
  }
  if (best >= 0 && through_fabric(from, to, best, route)) return route;
  if (inside(from, to, true, route)) return route;
  throw Error(Fault::usage, fmt::format("no path leads from rank {} to rank {}", from, to));
}

void Routes::forget_some() {
  if (held_ + fabric_.held() < enough) return;
  fabric_.forget();
  insides_.clear();
  drawn_.clear();
  tabled_.clear();
  held_ = 0;
}

}  // namespace railgauge::predict
