// Cables switches with each other. A dragonfly of three groups, each of two routers with one global link:
//
//     hosts        A0 -- A1        each group: all routers joined
//     each          |     |        global link c of a group leads to the c-th of the other groups
//     router       B0    C0
//                   |     |
//                  B1 -- C1  (B0 -- B1 and C0 -- C1 too)
#include "topo/generate/direct.hpp"

#include <fmt/format.h>

#include <vector>

namespace railgauge::topo {
namespace {

std::size_t digits(std::size_t count) { return fmt::formatted_size("{}", count); }

void cable_hosts(Assembly& into, const HostPorts& hosts, std::size_t first, unsigned count, std::size_t at, const Rate& rate) {
  for (std::size_t host = first; host < first + count; ++host)
    for (const std::string& port : hosts[host]) into.cable(port, at, rate);
}

}  // namespace

void build_dragonfly(Assembly& into, const DragonflyPlan& plan, const HostPorts& hosts, const Rate& rate) {
  std::vector<std::size_t> routers;
  for (unsigned i = 0; i < plan.groups * plan.routers; ++i) {
    routers.push_back(into.add_switch(fmt::format("router-g{:0{}}-{:0{}}", i / plan.routers + 1, digits(plan.groups),
                                                  i % plan.routers + 1, digits(plan.routers))));
    cable_hosts(into, hosts, std::size_t{i} * plan.hosts, plan.hosts, routers.back(), rate);
  }
  const auto router = [&](unsigned group, unsigned number) { return routers[group * plan.routers + number]; };
  for (unsigned group = 0; group < plan.groups; ++group)
    for (unsigned a = 0; a < plan.routers; ++a)
      for (unsigned b = a + 1; b < plan.routers; ++b) into.cable(router(group, a), router(group, b), rate);
  if (plan.groups < 2) return;
  const unsigned others = plan.groups - 1;
  const unsigned each = plan.routers * plan.global / others;  // links between two groups
  for (unsigned a = 0; a < plan.groups; ++a)
    for (unsigned b = a + 1; b < plan.groups; ++b)
      for (unsigned link = 0; link < each; ++link) {
        const unsigned from = link * others + b - 1;  // of a, whose (b - 1)-th other group is b
        const unsigned to = link * others + a;        // of b, whose a-th other group is a
        into.cable(router(a, from / plan.global), router(b, to / plan.global), rate);
      }
}

void build_torus(Assembly& into, const TorusPlan& plan, const HostPorts& hosts, const Rate& rate) {
  const auto [x, y, z] = plan.sides;
  std::vector<std::size_t> all;
  for (unsigned i = 0; i < x * y * z; ++i) {
    all.push_back(into.add_switch(fmt::format("torus-{}-{}-{}", i % x, i / x % y, i / (x * y))));
    cable_hosts(into, hosts, std::size_t{i} * plan.hosts, plan.hosts, all.back(), rate);
  }
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned step = 1;
    for (const unsigned side : plan.sides) {
      const unsigned at = i / step % side;
      if (side > 1) into.cable(all[i], all[at + 1 == side ? i - at * step : i + step], rate);
      step *= side;
    }
  }
}

}  // namespace railgauge::topo
