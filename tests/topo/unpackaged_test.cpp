// Processors that stand in no package: below the machine, or below a group of it, alone or beside packages.
#include <fmt/format.h>

#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/fingerprint.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::string sets(unsigned first, unsigned count) {
  const std::string set = fmt::format("{:#x}", ((1U << count) - 1) << first);
  return fmt::format(" cpuset=\"{0}\" complete_cpuset=\"{0}\" nodeset=\"0x1\" complete_nodeset=\"0x1\"", set);
}

std::string thread(unsigned number) { return fmt::format("<object type=\"PU\" os_index=\"{}\"{}/>", number, sets(number, 1)); }

std::string core(unsigned number) {
  return fmt::format("<object type=\"Core\" os_index=\"{}\"{}>{}</object>", number, sets(number, 1), thread(number));
}

std::string holder(const std::string& type, unsigned first, const std::string& inside) {
  return fmt::format("<object type=\"{}\" os_index=\"0\"{}>{}</object>", type, sets(first, 1), inside);
}

std::string machine(unsigned threads, const std::string& inside) {
  return fmt::format(
      "<?xml version=\"1.0\"?><topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\"{0}><info name=\"Architecture\" "
      "value=\"aarch64\"/><object type=\"NUMANode\" os_index=\"0\"{0} local_memory=\"8589934592\"/>{1}</object></topology>",
      sets(0, threads), inside);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("processors below the machine or a group alone are drawn with their numbers") {
  const topo::Graph cores = graph_of(machine(3, core(0) + holder("Group", 1, core(1)) + core(2)));
  CHECK(inconsistency(cores) == "");
  CHECK(holds(topo::to_text(cores), "aarch64 processor, 3 cores, 3 threads, 8 GiB in 1 NUMA node\n"));
  CHECK(holds(topo::picture_svg(cores), "aarch64 processor, 1 NUMA node, 3 cores, 8 GiB"));
  const topo::Graph threads = graph_of(machine(2, thread(0) + thread(1)));
  CHECK(holds(topo::to_text(threads), "aarch64 processor, 2 threads, 8 GiB in 1 NUMA node\n"));
  CHECK(holds(topo::picture_svg(threads), "aarch64 processor, 1 NUMA node, 2 threads, 8 GiB"));
  CHECK_FALSE(holds(topo::to_text(cores), "In no package"));
}

TEST_CASE("processors beside a package are drawn too, and counted once") {
  const topo::Graph graph =
      graph_of(machine(4, holder("Package", 0, core(0)) + holder("Group", 1, core(1)) + thread(2) + thread(3)));
  CHECK(inconsistency(graph) == "");
  CHECK(topo::number_of(graph.nodes[0].attributes, "cores_without_package") == 1);
  CHECK(topo::number_of(graph.nodes[0].attributes, "threads_without_package") == 3);
  const std::string text = topo::to_text(graph);
  CHECK(holds(text, "1 package, 2 cores, 4 threads"));
  CHECK(holds(text, "Package 0: aarch64 processor, 1 core, 1 thread"));
  CHECK(holds(text, "\nIn no package: 1 core, 3 threads\n"));
  CHECK(holds(topo::picture_svg(graph), "2 cores, 1 core in no package"));
  const topo::Graph whole = graph_of(machine(1, holder("Package", 0, core(0))));
  CHECK_FALSE(holds(topo::to_text(whole), "no package"));
  CHECK_FALSE(whole.nodes[0].attributes.contains("threads_without_package"));
}

TEST_CASE("hosts with other processors in no package have another fingerprint") {
  const auto print = [](const std::string& xml) { return topo::fingerprint_of(graph_of(xml)); };
  const std::string two = print(machine(2, core(0) + core(1)));
  CHECK(two == print(machine(2, core(0) + core(1))));
  CHECK(two != print(machine(3, core(0) + core(1) + core(2))));
  CHECK(two != print(machine(2, thread(0) + thread(1))));
  CHECK(print(machine(2, holder("Package", 0, core(0)))) != print(machine(2, holder("Package", 0, core(0)) + core(1))));
}
