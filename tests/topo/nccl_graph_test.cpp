// NCCL's rings and trees: who follows whom.
#include <algorithm>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"
#include "topo/read/nccl.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

topo::Graph read(const std::string& xml) { return topo::build({{"nccl-graph", "m.xml", xml}}); }

}  // namespace

TEST_CASE("NCCL graphs: rings and trees of a machine") {
  const auto path = std::filesystem::path(RAILGAUGE_FIXTURES) / "nccl-azure-ncv4-graph.xml";
  if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
  const topo::Graph graph = topo::build(topo::read_evidence(path));
  CHECK(inconsistency(graph) == "");
  CHECK(graph.nodes.size() == 5);  // the machine and 4 GPUs
  const auto channels = topo::list_of(graph.nodes.front().attributes, "nccl_channels");
  CHECK(channels.size() == 10);  // grep -c '<channel'
  CHECK(channels[0] == "ring 0 channel 0: GPU 0 > GPU 1 > GPU 2 > GPU 3");
  CHECK(channels[1] == "ring 0 channel 1: GPU 0 > GPU 3 > GPU 2 > GPU 1");
  const auto link = std::find_if(graph.links.begin(), graph.links.end(),
                                 [](const auto& it) { return it.a == "os:nvml3" && it.b == "os:nvml0"; });
  REQUIRE(link != graph.links.end());
  const auto names = topo::list_of(link->attributes, "nccl_channels");
  CHECK(std::count(names.begin(), names.end(), "ring 0 channel 0, a to b") == 1);  // the ring closes
  CHECK(std::count(names.begin(), names.end(), "ring 0 channel 1, b to a") == 1);
}

TEST_CASE("NCCL graphs: nets and patterns without an order and wrong files") {
  const topo::Graph graph = read(
      "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\"><channel><net dev=\"0\"/><gpu dev=\"1\" rank=\"1\"/><gpu "
      "dev=\"0\"/><net dev=\"0\"/></channel>"
      "</graph><graph id=\"3\" pattern=\"5\"><channel><gpu dev=\"0\"/><gpu dev=\"1\"/></channel></graph></graphs>");
  CHECK(inconsistency(graph) == "");
  CHECK(graph.links.size() == 3);
  CHECK(topo::list_of(graph.nodes.front().attributes, "nccl_channels")[1] == "NVLS 3 channel 0: GPU 0, GPU 1");
  const auto said = [](const std::string& xml) { return sentence([&] { (void)read(xml); }); };
  CHECK_THAT(said("<graph/>"), ContainsSubstring("m.xml:1: <graph> is the outermost element"));
  CHECK_THAT(said("<graphs version=\"2\"/>"), ContainsSubstring("of version \"2\""));
  CHECK_THAT(said("<graphs version=\"1\"/>"), ContainsSubstring("there is no <channel>"));
  CHECK_THAT(said("<graphs version=\"1\"><graph><channel>\n<gpu/></channel></graph></graphs>"),
             ContainsSubstring("m.xml:2: <gpu> has no dev"));
  const std::string whole =
      "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\"><channel><gpu dev=\"1\"/><gpu dev=\"0\"/></channel></graph></graphs>";
  for (std::size_t length = 0; length < whole.size(); ++length) CHECK(said(whole.substr(0, length)).starts_with("m.xml:"));
}
