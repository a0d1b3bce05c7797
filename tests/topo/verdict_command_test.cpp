// The commands that judge: exit codes, output, help, and several sources at once.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/invocation.hpp"
#include "bench/commands/topo.hpp"
#include "bench/commands/topo_check.hpp"
#include "bench/commands/topo_diff.hpp"
#include "bench/commands/topo_expect.hpp"
#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

struct Printed {
  int code = -1;
  std::string text;
};

template <class Run, class Options>
Printed printed(Run run, const Options& options) {
  const Scratch scratch;
  const auto path = scratch.path() / "printed";
  Printed result;
  {
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
    result.code = run(options, file.get());
  }
  result.text = contents(path);
  return result;
}

std::string stored(const Scratch& scratch, const std::string& name, const Graph& graph) {
  const auto path = scratch.path() / name;
  fill(path, to_json(graph));
  return path.string();
}

}  // namespace

TEST_CASE("topo check: 0 for a healthy machine or notes, 1 for more, and both forms of output") {
  const Scratch scratch;
  Graph graph = gpu_server(2);
  TopoCheckOptions options;
  options.sources = {stored(scratch, "good.json", graph)};
  Printed result = printed(run_topo_check, options);
  CHECK(result.code == 0);
  CHECK_THAT(result.text, ContainsSubstring("2 GPUs, 2 NICs checked: nothing found; not checked: the fabric (--fabric"));
  Link& slot = link_at(graph, "0000:13:00.0");
  slot.active.speed = 2.5;
  options.sources = {stored(scratch, "idle.json", graph)};
  result = printed(run_topo_check, options);
  CHECK(result.code == 0);
  CHECK_THAT(result.text, ContainsSubstring("NOTE pcie-low-now"));
  slot.active.width = 4;
  options.sources = {stored(scratch, "bad.json", graph)};
  result = printed(run_topo_check, options);
  CHECK(result.code == 1);
  CHECK_THAT(result.text, ContainsSubstring(" checked: 1 fault, 1 note; not checked: "));
  options.format = "json";
  result = printed(run_topo_check, options);
  CHECK(result.code == 1);
  CHECK_THAT(result.text, ContainsSubstring("\"rule\": \"pcie-width\""));
  options.format = "yaml";
  CHECK(sentence([&] { (void)printed(run_topo_check, options); }) ==
        "--format yaml: there is no such format; there are text, json");
}

TEST_CASE("topo check --design: 1 for other cabling, not comparable for a design of something else") {
  const Scratch scratch;
  Graph graph = rail_fabric(3, 2, 1);
  TopoCheckOptions options;
  options.design = stored(scratch, "design.json", graph);
  options.sources = {options.design};
  CHECK(printed(run_topo_check, options).code == 0);
  link_at(graph, guid("nic", 0) + "/1").b_port = 20;
  options.sources = {stored(scratch, "fabric.json", graph)};
  const Printed result = printed(run_topo_check, options);
  CHECK(result.code == 1);
  CHECK_THAT(result.text, ContainsSubstring("FAULT cabling: mlx5_0/1 of h0 to port 20 of switch leaf0"));
  options.design = machine_file("laptop.xml").string();
  try {
    (void)printed(run_topo_check, options);
    FAIL("no error");
  } catch (const Error& error) { CHECK(error.fault() == Fault::not_comparable); }
}

TEST_CASE("topo diff: 0, 1 and not comparable") {
  const Scratch scratch;
  Graph graph = rail_fabric(3, 2, 1);
  TopoDiffOptions options;
  options.from = stored(scratch, "a.json", graph);
  options.sources = {options.from};
  Printed result = printed(run_topo_diff, options);
  CHECK(result.code == 0);
  CHECK(result.text == "No difference.\n");
  link_at(graph, guid("nic", 0) + "/1").active.width = 1;
  options.sources = {stored(scratch, "b.json", graph)};
  result = printed(run_topo_diff, options);
  CHECK(result.code == 1);
  CHECK_THAT(result.text, ContainsSubstring("changed: the InfiniBand link between mlx5_0/1 of h0 and port 1 of switch leaf0"));
  CHECK_THAT(result.text, ContainsSubstring("active width was 4, is 1"));
  options.format = "json";
  CHECK_THAT(printed(run_topo_diff, options).text, ContainsSubstring("\"attribute\": \"active width\""));
  options.sources = {machine_file("laptop.xml").string()};
  try {
    (void)printed(run_topo_diff, options);
    FAIL("no error");
  } catch (const Error& error) { CHECK(error.fault() == Fault::not_comparable); }
}

TEST_CASE("topo expect: paths and collectives") {
  const Scratch scratch;
  TopoExpectOptions options;
  const std::string file = stored(scratch, "server.json", gpu_server(8));
  options.words = {file, "gpu0", "gpu7"};
  CHECK_THAT(printed(run_topo_expect, options).text, ContainsSubstring("NV18\n  at most 450 GB/s in each direction"));
  options.words = {file};
  CHECK_THAT(printed(run_topo_expect, options).text, ContainsSubstring("all_to_all of 8 ranks"));
  options.collective = "all_reduce";
  options.ranks = 4;
  CHECK_THAT(printed(run_topo_expect, options).text, ContainsSubstring("nvls          busbw at most 540 GB/s"));
  options.words = {file, "gpu0"};
  CHECK_THAT(sentence([&] { (void)printed(run_topo_expect, options); }), ContainsSubstring("a path needs two nodes"));
  options.words = {file};
  options.collective = "all_reduces";
  CHECK_THAT(sentence([&] { (void)printed(run_topo_expect, options); }), ContainsSubstring("there is no collective all_reduces"));
}

TEST_CASE("topo reads several sources as one cluster") {
  const Scratch scratch;
  Graph one = gpu_server(2);
  Graph two = gpu_server(2);
  one.nodes[0].attributes["host_name"] = std::string("n1");
  two.nodes[0].attributes["host_name"] = std::string("n2");
  for (Node& node : two.nodes)
    for (const char* name : {"uuid", "node_guid"}) node.attributes.erase(name);
  TopoOptions options;
  options.sources = {stored(scratch, "one.json", one), stored(scratch, "two.json", two)};
  options.as = "json";
  const Printed result = printed(run_topo, options);
  CHECK_THAT(result.text, ContainsSubstring("\"key\":\"n1/0000:03:00.0\""));
  CHECK_THAT(result.text, ContainsSubstring("\"key\":\"n2/0000:03:00.0\""));
  options.save = (scratch.path() / "kept").string();
  CHECK_THAT(sentence([&] { (void)printed(run_topo, options); }), ContainsSubstring("--save stores one source"));
}

TEST_CASE("topo's subcommands are chosen by the command line, with three examples each") {
  const Scratch scratch;
  const std::string file = stored(scratch, "server.json", gpu_server(2));
  struct Row {
    std::string line;
    int code;
  };
  for (const Row& row :
       {Row{"topo check " + file, 0}, Row{"topo check --nics mlx5_0,mlx5_1 " + file, 0}, Row{"topo diff " + file + " " + file, 0},
        Row{"topo expect " + file + " gpu0 gpu1", 0}, Row{"topo " + file + " " + file + " -o " + file + ".tree", 0}}) {
    INFO(row.line);
    CLI::App program("railgauge");
    const Invocation invocation;
    Action action;
    add_topo(program, invocation, action);
    program.parse(row.line, false);
    REQUIRE(action);
    CHECK(action() == row.code);
  }
  CLI::App program("railgauge");
  const Invocation invocation;
  Action action;
  add_topo(program, invocation, action);
  for (const char* name : {"check", "diff", "expect"}) {
    const std::string help = program.get_subcommand("topo")->get_subcommand(name)->help();
    std::size_t examples = 0;
    for (std::size_t at = help.find("\n  railgauge topo"); at != std::string::npos; at = help.find("\n  railgauge topo", at + 1))
      ++examples;
    CHECK(examples == 3);
  }
}

TEST_CASE("topo expect: --nics and --domains reach the formulas, and text and JSON tell ceiling and band apart") {
  const Scratch scratch;
  TopoExpectOptions options;
  options.words = {machine_file("gb200_tray").string()};
  options.ranks = 72;
  options.domains = 1;
  options.collective = "all_reduce";
  const std::string text = printed(run_topo_expect, options).text;
  CHECK_THAT(text, ContainsSubstring("1 domain of g = 72") && ContainsSubstring("nvls          busbw at most 1751 GB/s"));
  CHECK_THAT(text, ContainsSubstring("healthy 823 to 875 GB/s from 8 GB on: coreweave/nccl-tests README"));
  CHECK_THAT(text, ContainsSubstring("healthy is unknown: nobody has published a figure of Blackwell for this algorithm"));
  CHECK(text.find("0.77") == std::string::npos);
  options.format = "json";
  const std::string json = printed(run_topo_expect, options).text;
  CHECK_THAT(json, ContainsSubstring("\"healthy\": {") && ContainsSubstring("\"message_size\": \"8 GB\"") &&
                       ContainsSubstring("\"healthy_unknown\": \"nobody has published"));
  Graph graph = gpu_server(8);
  for (Link& link : graph.links)
    if (link.b.ends_with("/1")) link.bandwidth = {53.125, 50, 49};
  options = {};
  options.words = {stored(scratch, "server.json", graph)};
  options.ranks = 16;
  options.nics = "mlx5_0";
  CHECK_THAT(printed(run_topo_expect, options).text, ContainsSubstring("r = 6.25 GB/s: 1 NIC of 50 GB/s for each 8 GPUs"));
  options.words.insert(options.words.end(), {"gpu0", "gpu1"});
  CHECK_THAT(sentence([&] { (void)printed(run_topo_expect, options); }), ContainsSubstring("name either two nodes or"));
}

TEST_CASE("topo expect: the bound of the graph's links, with its cut, or why it is unknown") {
  const Scratch scratch;
  TopoExpectOptions options;
  Graph graph = gpu_server(8);
  options.words = {stored(scratch, "server.json", graph)};
  options.collective = "all_gather";
  CHECK_THAT(
      printed(run_topo_expect, options).text,
      ContainsSubstring("bound         busbw at most 513 GB/s (algbw 586.3), whatever the algorithm; pipelined trees reach it\n"
                        "  the cut that causes it: from the other 7 to rank 0, 513 GB/s over 2 links\n"));
  options.format = "json";
  CHECK_THAT(printed(run_topo_expect, options).text,
             ContainsSubstring("\"bound\": {\n    \"bus_gigabytes_per_second\": 513.0,") &&
                 ContainsSubstring("\"direction\": \"to these ranks\""));
  options.ranks = 16;
  CHECK_THAT(printed(run_topo_expect, options).text,
             ContainsSubstring("\"bound_unknown\": \"16 ranks are asked for, and the graph has 8 GPUs\""));
  options.ranks = 0;
  options.format = "text";
  for (Link& link : graph.links)
    if (link.kind == LinkKind::nvlink) link.bandwidth = {};
  options.words = {stored(scratch, "unknown.json", graph)};
  CHECK_THAT(printed(run_topo_expect, options).text,
             ContainsSubstring("bound         unknown: the bandwidth of the NVLink link from GPU 0"));
  options.collective = "gather";
  CHECK(printed(run_topo_expect, options).text.find("bound ") == std::string::npos);
}
