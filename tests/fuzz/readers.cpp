// The readers of topology under libFuzzer: whatever the bytes, a graph that holds together and that every writer takes, or one
// sentence. The environment says which source the bytes are given to: RAILGAUGE_FUZZ_SOURCE=hwloc.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>

#include "base/error.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

namespace {

using namespace railgauge;

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

void check(const topo::Graph& graph) {
  std::unordered_set<std::string> keys;
  for (const topo::Node& node : graph.nodes) {
    if (!node.parent.empty() && !keys.contains(node.parent)) wrong(node.key + " stands before its parent " + node.parent);
    if (!keys.insert(node.key).second) wrong(node.key + " is there twice");
    if (node.name.empty() || node.provenance.empty()) wrong(node.key + " has no name or no provenance");
  }
  for (const topo::Link& link : graph.links)
    if (!keys.contains(link.a) || !keys.contains(link.b)) wrong("a link joins " + link.a + " and " + link.b);
}

// One sentence on the user's account, or it is a fault of the program's.
template <class Step>
void try_to(const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    const std::string said = error.what();
    if (error.fault() != Fault::usage || said.empty() || said.find('\n') != std::string::npos) wrong("no sentence: " + said);
  }
}

const char* source() {
  static const char* const asked = std::getenv("RAILGAUGE_FUZZ_SOURCE");
  if (asked == nullptr) wrong("RAILGAUGE_FUZZ_SOURCE must name a source of topologies");
  return asked;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const topo::Source& one : topo::sources()) (void)one.recognise(text);
  try_to([&] {
    const topo::Graph graph = topo::build(topo::Evidence{{source(), "input", text}});
    check(graph);
    for (const topo::Format& format : topo::formats()) try_to([&] { (void)format.write(graph); });
  });
  return 0;
}
