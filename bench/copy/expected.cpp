// Finds both ends in the graph, and asks it for the path between them.
#include "bench/copy/expected.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"

namespace railgauge {
namespace {

// The key of the node that one of its names means; empty where none does.
std::string node_of(const topo::Graph& graph, const std::string& host, const CopyPlace& place) {
  for (const std::string& key : place.memory.keys)
    for (const std::string& name : {host + "/" + key, key}) {
      try {
        return topo::find_node(graph, name);
      } catch (const Error&) {
        // The next name may be known.
      }
    }
  return {};
}

}  // namespace

std::optional<Expectation> expected_copy(const topo::Graph& graph, const std::string& host, const CopyPlace& from,
                                         const CopyPlace& to) {
  if ((from.host() && to.host()) || from.memory.name == to.memory.name) return std::nullopt;
  const std::string a = node_of(graph, host, from), b = node_of(graph, host, to);
  if (a.empty() || b.empty()) return std::nullopt;
  try {
    const topo::ExpectedPath path = topo::expected_path(graph, a, b);
    const double most = path.bandwidth.nominal > 0 ? path.bandwidth.nominal : path.bandwidth.line;
    if (most <= 0 || path.path_class == "NET") return std::nullopt;
    return Expectation{most, fmt::format("{}: {:.4g} GB/s in each direction, of {} to {}", path.path_class, most,
                                         path.narrow_a.name, path.narrow_b.name)};
  } catch (const Error&) {
    return std::nullopt;  // no path is known
  }
}

}  // namespace railgauge
