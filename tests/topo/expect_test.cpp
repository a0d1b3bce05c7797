// What paths and collectives should reach, on graphs whose answer is known.
#include "topo/expect/expect.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/ratios.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::string route_of(const ExpectedPath& path) {
  std::string text;
  for (const NodePort& end : path.route) text += (text.empty() ? "" : " ") + end.key;
  return text;
}

}  // namespace

TEST_CASE("expect: paths inside a machine have class, bandwidth and narrowest link") {
  Graph graph = gpu_server(4);
  ExpectedPath path = expected_path(graph, "0000:03:00.0", "0000:33:00.0");
  CHECK(path.path_class == "NV18");
  CHECK(path.bandwidth.nominal == 450);
  CHECK(route_of(path) == "0000:03:00.0 nvswitch 0000:33:00.0");
  path = expected_path(graph, "0000:03:00.0", "0000:03:01.0");
  CHECK(path.path_class == "PIX");
  CHECK(path.bandwidth.nominal == 63);
  CHECK(route_of(path) == "0000:03:00.0 sw0 0000:03:01.0");
  link_at(graph, "0000:03:01.0").bandwidth = {32, 31.5, 27};
  path = expected_path(graph, "0000:03:00.0", "0000:03:01.0");
  CHECK(path.bandwidth.nominal == 31.5);
  CHECK(path.narrow_b.key == "0000:03:01.0");
  CHECK(expected_path(graph, "0000:03:00.0", "0000:33:01.0").path_class == "SYS");
  CHECK_THAT(to_text(path),
             ContainsSubstring("(NVIDIA H100 80GB HBM3, 0000:03:00.0) to mlx5_0 (Mellanox ConnectX-7, 0000:03:01.0): PIX\n"
                               "  at most 31.5 GB/s in each direction, 27 GB/s of it usable\n"));
  CHECK(nlohmann::json::parse(to_json(path))["class"] == "PIX");
}

TEST_CASE("expect: paths between machines go by the fewest cables, and name the narrowest") {
  Graph graph = rail_fabric(4, 2, 2);
  ExpectedPath path = expected_path(graph, guid("nic", 0) + "/1", guid("nic", 2) + "/1");
  CHECK(path.path_class == "NET");
  CHECK(path.bandwidth.nominal == 50);
  CHECK(route_of(path) == guid("nic", 0) + "/1 " + guid("leaf", 0) + " " + guid("nic", 2) + "/1");
  link_at(graph, guid("nic", 2) + "/1").bandwidth = {13.3, 12.5, 12};
  path = expected_path(graph, "h0", "h1");  // from the first NIC of the one to the first of the other
  CHECK(path.path_class == "NET");
  CHECK(path.route.front().key == "h0");
  CHECK(path.route.back().key == "h1");
  path = expected_path(graph, guid("nic", 0), guid("nic", 3));  // mlx5_0 of h0, mlx5_1 of h1: over a spine
  CHECK(path.route.size() == 7);
  CHECK(path.bandwidth.nominal == 50);
  path = expected_path(graph, guid("nic", 0), guid("nic", 2));
  CHECK(path.bandwidth.nominal == 12.5);
  CHECK(path.narrow_a.name == "mlx5_0/1 of h1");
  CHECK(path.narrow_b.name == "port 2 of switch leaf0 (0xb000000000000001)");
  std::erase_if(graph.links, [](const Link& link) { return link.a == guid("nic", 2) + "/1"; });
  CHECK_THAT(sentence([&] { (void)expected_path(graph, guid("nic", 0), guid("nic", 2)); }), ContainsSubstring("no path from"));
}

TEST_CASE("expect: nodes are found by what people call them") {
  const Graph server = gpu_server(4);
  CHECK(find_node(server, "gpu2") == "0000:23:00.0");
  CHECK(find_node(server, "GPU 2") == "0000:23:00.0");
  CHECK(find_node(server, "mlx5_3") == "0000:33:01.0");
  CHECK(find_node(server, "node7/gpu2") == "0000:23:00.0");
  CHECK(find_node(server, "GPU-00000002") == "0000:13:00.0");
  CHECK_THAT(sentence([&] { (void)find_node(server, "gpu9"); }), ContainsSubstring("there is no gpu9 in this graph"));
  const Graph fabric = rail_fabric(3, 2, 1);
  CHECK(find_node(fabric, "h1/mlx5_1") == guid("nic", 3));
  CHECK(find_node(fabric, "leaf1") == guid("leaf", 1));
  CHECK_THAT(sentence([&] { (void)find_node(fabric, "mlx5_1"); }), ContainsSubstring("or 1 more: write the key, or HOST/mlx5_1"));
}

TEST_CASE("expect: collectives of one machine, and of several like it") {
  Graph graph = gpu_server(8);
  Team team = team_of(graph, {8});
  CHECK(team.domains == 1);
  CHECK(team.inside == 450);
  CHECK(team.multicast);
  std::vector<Ceiling> all = ceilings(Collective::all_reduce, team);
  REQUIRE(all.size() == 2);
  CHECK(all[0].algorithm == "nvls");
  CHECK_THAT(all[0].bus, WithinAbs(700, 1e-9));
  CHECK_THAT(all[0].algorithmic, WithinAbs(400, 1e-9));
  CHECK(all[0].formula == "V*2*(n-1)/(n+1)");
  CHECK(all[0].numbers == "450*2*7/9");
  CHECK(all[1].bus == 450);
  for (Link& link : graph.links)
    if (link.b.ends_with("/1")) link.bandwidth = {53.125, 50, 49};  // as verbs tells the rate of a port
  team = team_of(graph, {16});
  CHECK(team.domains == 2);
  CHECK(team.network == 50);
  all = ceilings(Collective::all_reduce, team);
  CHECK(all[0].bus == 750);
  CHECK(all[0].numbers == "min(450*8/9*2*15/16, 50*15/1)");
  CHECK(all.back().algorithm == "sharp");
  CHECK(all.back().refusal == "the fabric shows no aggregation nodes (SHARP)");
  CHECK_THAT(ceilings(Collective::all_to_all, team)[0].bus, WithinAbs(93.75, 1e-9));
  CHECK_THAT(
      to_text(Collective::all_to_all, team, ceilings(Collective::all_to_all, team)),
      ContainsSubstring("direct        busbw at most 93.75 GB/s (algbw 100): min(V, r*(n-1)/(n-g)) = min(450, 50*15/8)\n"));
  CHECK_THAT(sentence([&] { (void)team_of(graph, {12}); }), ContainsSubstring("12 ranks do not fill machines of 8 GPUs"));
  CHECK_THAT(sentence([&] { (void)ceilings(Collective::barrier, team); }), ContainsSubstring("no ceiling of barrier is known"));
  CHECK_THAT(sentence([&] { (void)team_of(rail_fabric(2, 2, 1), {2}); }), ContainsSubstring("there is no GPU"));
}

TEST_CASE("expect: without NVLink it is PCIe, and pairs of cards cross PCIe too") {
  Graph graph = gpu_server(4);
  std::erase_if(graph.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  CHECK(team_of(graph, {4}).inside == 0);  // H100 of a source that shows no NVLink
  for (Node& node : graph.nodes)
    if (node.kind == Kind::gpu) node.provenance = {"nvml"};  // which lists them all
  CHECK(team_of(graph, {4}).inside == 63);
  CHECK_FALSE(team_of(graph, {4}).multicast);
  add_link(graph, "0000:03:00.0", "0000:13:00.0", LinkKind::nvlink).bandwidth = {318, 300, 250};
  CHECK(team_of(graph, {2}).inside == 300);
  CHECK(team_of(graph, {4}).inside == 63);
  for (Link& link : graph.links) link.bandwidth = {};
  const Team team = team_of(graph, {4});
  CHECK(team.inside == 0);
  CHECK_THAT(to_text(Collective::all_reduce, team, ceilings(Collective::all_reduce, team)),
             ContainsSubstring("ring          unknown: V = ?"));
}

TEST_CASE("expect: no ceiling lies above what the links of a rank or of a domain can carry") {
  // Data that must leave a domain, by the definition of each collective, against what its NICs carry: a bound that holds for
  // any algorithm without switches that reduce.
  std::mt19937 random(31);
  for (int round = 0; round < 2000; ++round) {
    Team team;
    const auto g = 1 + static_cast<unsigned>(random() % 16);
    team.domains = 1 + static_cast<unsigned>(random() % 40);
    team.ranks = g * team.domains;
    if (team.ranks < 2) continue;
    team.inside = 1 + static_cast<double>(random() % 1000);
    team.network = 1 + static_cast<double>(random() % 100);
    team.multicast = random() % 2 == 0;
    team.aggregation = random() % 2 == 0;
    const double n = team.ranks;
    const double k = team.domains;
    for (const Collective collective :
         {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all,
          Collective::broadcast, Collective::reduce, Collective::gather, Collective::scatter})
      for (const Ceiling& it : ceilings(collective, team)) {
        INFO(name(collective) << " " << it.algorithm << " n " << n << " k " << k);
        CHECK(it.bus > 0);
        CHECK(it.algorithmic > 0);
        if (it.algorithm.find("nvls") == std::string::npos && it.algorithm != "sharp") CHECK(it.bus <= team.inside * (1 + 1e-12));
        if (k == 1) continue;
        const double domain = g * team.network;  // leaves a domain each second
        const double leaves = collective == Collective::all_reduce       ? it.algorithm == "sharp" ? 1 : 2 * (k - 1) / k
                              : collective == Collective::all_gather     ? (k - 1) / k
                              : collective == Collective::reduce_scatter ? (k - 1) / k
                              : collective == Collective::all_to_all     ? g * (n - g) / n
                              : collective == Collective::gather         ? (n - g) / n
                              : collective == Collective::scatter        ? (n - g) / n
                                                                         : 1;
        CHECK(it.algorithmic * leaves <= domain * (1 + 1e-9));
      }
  }
}

TEST_CASE("expect: ranks on host memory have the NICs of their hosts between them") {
  Graph graph = rail_fabric(4, 2, 2);
  const auto network_of = [](const Graph& of, const std::string& host) {
    return networks_of(of, std::vector<std::string>{host}).front();
  };
  const HostNetwork network = network_of(graph, "h1");
  CHECK(network.nics == 2);
  CHECK(network.bandwidth == 100);
  CHECK(network_of(graph, "h1.cluster.example").bandwidth == 100);
  CHECK_THAT(sentence([&] { (void)network_of(graph, "h9"); }), ContainsSubstring("there is no machine h9"));

  const Team team = host_team(8, 4, network);
  CHECK(team.network == 50);
  CHECK(team.inside == 0);
  const auto best = [&](Collective collective) { return ceilings(collective, team).front(); };
  CHECK_THAT(best(Collective::all_reduce).bus, WithinAbs(50.0 * 7 / 3, 1e-9));
  CHECK(best(Collective::all_reduce).refusal.empty());
  CHECK(best(Collective::send_receive).bus == 50);
  CHECK(ceilings(Collective::all_reduce, host_team(4, 1, network)).front().bus == 0);  // of memory it is unknown
  CHECK(ceilings(Collective::all_reduce, host_team(4, 4, {})).front().bus == 0);
  CHECK_THAT(sentence([&] { (void)host_team(7, 4, network); }), ContainsSubstring("7 ranks are not spread equally over 4 hosts"));

  for (std::size_t i = 0; i < graph.links.size(); ++i)
    if (graph.links[i].a == guid("nic", 3) + "/1") graph.links[i].state = LinkState::down;
  CHECK(network_of(graph, "h1").bandwidth == 50);
}

TEST_CASE("expect: a collective has ceilings where has_ceilings says so") {
  Team team;
  team.ranks = 4;
  for (const CollectiveRow& row : collectives()) {
    CAPTURE(row.name);
    bool answered = true;
    try {
      answered = !ceilings(row.collective, team).empty();
    } catch (const Error&) { answered = false; }
    CHECK(answered == has_ceilings(row.collective));
  }
}

TEST_CASE("expect: a link is as good as the best pair that used it") {
  const Graph graph = rail_fabric(3, 1, 1);  // 50 GB/s each
  const auto ratio_of = [&](const std::map<std::string, double, std::less<>>& ratios, unsigned nic) {
    for (const Link& link : graph.links)
      if (link.kind == LinkKind::infiniband && link.a == guid("nic", nic) + "/1") {
        const auto found = ratios.find(link_key(link));
        return found == ratios.end() ? -1 : found->second;
      }
    return -2.0;
  };
  // h2 is slow with everybody.
  const auto ratios = measured_ratios(
      graph, {{"h0", "h1", 45}, {"h1", "h0", 40}, {"h0", "h2", 10}, {"h2", "h0", 5}, {"h1", "h2", 8}, {"h1", "h1", 900}});
  CHECK_THAT(ratio_of(ratios, 0), WithinAbs(0.9, 1e-9));
  CHECK_THAT(ratio_of(ratios, 1), WithinAbs(0.9, 1e-9));
  CHECK_THAT(ratio_of(ratios, 2), WithinAbs(0.2, 1e-9));
  CHECK(measured_ratios(graph, {}).empty());
  CHECK_THAT(sentence([&] { (void)measured_ratios(graph, {{"h0", "h7", 1}}); }), ContainsSubstring("there is no machine h7"));
}
