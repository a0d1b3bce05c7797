// The command: options, output, help.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "base/invocation.hpp"
#include "bench/commands/topo.hpp"
#include "tests/test.hpp"
#include "tests/topo/machines.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// What the command prints.
std::string printed(const TopoOptions& options) {
  const Scratch scratch;
  const auto path = scratch.path() / "printed";
  {
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
    if (run_topo(options, file.get()) != 0) return "a bad exit code";
  }
  return contents(path);
}

TopoOptions source(const std::string& name) {
  TopoOptions options;
  options.sources = {machine_file(name).string()};
  return options;
}

}  // namespace

TEST_CASE("topo prints a tree or JSON or writes a file") {
  const Scratch scratch;
  TopoOptions options = source("gpu_node.xml");
  CHECK(printed(options) == contents(machine_file("gpu_node.txt")));
  options.as = "json";
  CHECK(printed(options) == contents(machine_file("gpu_node.json")));
  options.output = (scratch.path() / "out.json").string();
  CHECK(printed(options).empty());
  CHECK(contents(options.output) == contents(machine_file("gpu_node.json")));
  CHECK_THAT(sentence([&] { (void)printed(options); }), ContainsSubstring("out.json: exists already and is not overwritten"));
}

TEST_CASE("topo --save stores what topo reads back") {
  const Scratch scratch;
  TopoOptions options = source("odd.xml");
  options.save = (scratch.path() / "kept").string();
  const std::string tree = printed(options);
  CHECK(contents(scratch.path() / "kept" / "hwloc.xml") == contents(machine_file("odd.xml")));
  TopoOptions again;
  again.sources = {options.save};
  CHECK(printed(again) == tree);
  CHECK_THAT(sentence([&] { (void)printed(options); }), ContainsSubstring("a topology is stored there already"));
}

TEST_CASE("topo refuses what it does not know") {
  TopoOptions options = source("laptop.xml");
  options.as = "picture";
  CHECK_THAT(sentence([&] { (void)printed(options); }),
             ContainsSubstring("--as picture: there is no such format; there are tree, json"));
  options = source("laptop.xml");
  options.root = "/";
  CHECK_THAT(sentence([&] { (void)printed(options); }), ContainsSubstring("--root is for a live machine"));
}

TEST_CASE("topo that cannot print says so") {
  const std::unique_ptr<std::FILE, Close> full(std::fopen("/dev/full", "w"));
  if (!full) skip("there is no /dev/full");
  CHECK(sentence([&] { (void)run_topo(source("laptop.xml"), full.get()); }) ==
        "cannot write to standard output: No space left on device");
}

TEST_CASE("topo's help shows three examples and parsing chooses its action") {
  CLI::App program("railgauge");
  const Invocation invocation;
  Action action;
  add_topo(program, invocation, action);
  const std::string help = program.get_subcommand("topo")->help();
  std::size_t examples = 0;
  for (std::size_t at = help.find("\n  railgauge topo"); at != std::string::npos; at = help.find("\n  railgauge topo", at + 1))
    ++examples;
  CHECK(examples == 3);
  const Scratch scratch;
  const std::string output = (scratch.path() / "tree").string();
  program.parse("topo " + machine_file("laptop.xml").string() + " -o " + output, false);
  REQUIRE(action);
  CHECK(action() == 0);
  CHECK(contents(output) == contents(machine_file("laptop.txt")));
}
