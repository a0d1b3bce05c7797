// Gives each reading to the reader of its format.
#include "topo/build.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "topo/formats/hwloc.hpp"

namespace railgauge::topo {
namespace {

struct Reader {
  std::string_view source;
  void (*add)(const Reading&, Graph&);
};

constexpr auto readers = std::to_array<Reader>({
    {"hwloc", add_hwloc},
});

}  // namespace

Graph build(const Evidence& evidence) {
  Graph graph;
  for (const Reading& reading : evidence)
    for (const Reader& reader : readers)
      if (reader.source == reading.source) reader.add(reading, graph);
  if (graph.nodes.empty()) throw Error(Fault::usage, "there is no evidence to build a topology from");
  return graph;
}

}  // namespace railgauge::topo
