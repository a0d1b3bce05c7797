// Helps live_fabric.sh: reads the fabric that this process is plugged into, and compares it with what ibnetdiscover printed.
//   live_fabric generate K           a fat tree as a netlist for ibsim
//   live_fabric time PLUGINS         how long reading the live fabric takes, and making a graph of what was read
//   live_fabric read PLUGINS S       the links of the live fabric, one a line; S is the deadline in seconds
//   live_fabric compare PLUGINS FILE what stands in the live fabric or in the file, but not in both; exit 1 when there is any
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <set>
#include <string>

#include "base/error.hpp"
#include "tests/topo/generate.hpp"
#include "topo/evidence/files.hpp"
#include "topo/evidence/ibfabric.hpp"
#include "topo/read/build.hpp"
#include "topo/read/netlist.hpp"
#include "topo/write/formats.hpp"

namespace {

using namespace railgauge;
using namespace railgauge::topo;

std::string words(const Rate& rate) { return fmt::format("{}x{}", rate.width, rate.speed); }

std::set<std::string> facts(const Graph& graph) {
  std::set<std::string> all;
  for (const Node& node : graph.nodes)
    if (text_of(node.attributes, "state") != "down")  // ibnetdiscover leaves those out
      all.insert(fmt::format("{} {} '{}' below '{}' lid {}", row(node.kind).name, node.key, node.name, node.parent,
                             number_of(node.attributes, "lid")));
  for (const Link& link : graph.links)
    if (link.kind == LinkKind::infiniband)
      all.insert(fmt::format("link {}[{}] {}[{}] {} {}", link.a, link.a_port, link.b, link.b_port, words(link.active),
                             words(link.active_at_b)));
  return all;
}

Evidence evidence_of(const std::string& plugins, double seconds) {
  FabricQuestion question;
  question.deadline = std::chrono::milliseconds(static_cast<long>(seconds * 1000));
  return {collect_fabric(question, {plugins})};
}
Graph live(const std::string& plugins, double seconds) { return build(evidence_of(plugins, seconds)); }

int time(const std::string& plugins) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto seconds = [](auto span) { return std::chrono::duration<double>(span).count(); };
  const auto start = now();
  const Evidence evidence = evidence_of(plugins, 600);
  const auto read = now();
  const Graph graph = build(evidence);
  const auto built = now();
  fmt::print("{:.4f} {:.4f} {} nodes, {} links\n", seconds(read - start), seconds(built - read), graph.nodes.size(),
             graph.links.size());
  return 0;
}

int compare(const Graph& live, const Graph& file) {
  const std::set<std::string> here = facts(live);
  const std::set<std::string> there = facts(file);
  std::set<std::string> only;
  std::set_difference(here.begin(), here.end(), there.begin(), there.end(), std::inserter(only, only.end()));
  for (const std::string& fact : only) fmt::print("only live: {}\n", fact);
  std::set<std::string> missing;
  std::set_difference(there.begin(), there.end(), here.begin(), here.end(), std::inserter(missing, missing.end()));
  for (const std::string& fact : missing) fmt::print("only in the file: {}\n", fact);
  const auto links = std::count_if(here.begin(), here.end(), [](const std::string& fact) { return fact.starts_with("link "); });
  fmt::print("{} nodes, {} links\n", here.size() - static_cast<std::size_t>(links), links);
  return only.empty() && missing.empty() ? 0 : 1;
}

int run(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "generate" && count == 3) {
    Fabric fabric = test::fat_tree(static_cast<unsigned>(std::atoi(arguments[2])));
    for (FabricPort& port : fabric.ports) port.active = {4, 53.125};  // ibsim 0.10 knows no NDR
    fmt::print("{}", to_ibsim(to_graph(fabric)));
    return 0;
  }
  if (what == "read" && count == 4) {
    const Graph graph = live(arguments[2], std::atof(arguments[3]));
    for (const Link& link : graph.links)
      if (link.kind == LinkKind::infiniband)
        fmt::print("{}[{}] {}[{}] active {} at b {} capable {} {}\n", link.a, link.a_port, link.b, link.b_port,
                   words(link.active), words(link.active_at_b), words(link.capable), row(link.state).name);
    for (const Node& node : graph.nodes)
      if (const auto down = text_of(node.attributes, "ports_down"); !down.empty()) fmt::print("{} down {}\n", node.key, down);
    return 0;
  }
  if (what == "time" && count == 3) return time(arguments[2]);
  if (what == "compare" && count == 4) {
    const Reading dump{"ibnetdiscover", arguments[3], read_file(arguments[3])};
    return compare(live(arguments[2], 600), read_netlist(dump));
  }
  fmt::print(stderr, "live_fabric: generate K, time PLUGINS, read PLUGINS SECONDS or compare PLUGINS FILE\n");
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& fault) {
    fmt::print(stderr, "{}\n", fault.what());
    return 2;
  }
}
