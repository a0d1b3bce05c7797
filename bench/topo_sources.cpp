// Reads sources in the order in which they are named.
#include "bench/topo_sources.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "topo/build.hpp"

namespace railgauge {

std::vector<topo::Evidence> read_sources(const std::vector<std::string>& sources, const std::string& root,
                                         std::vector<topo::Silence>* silent) {
  if (!sources.empty() && !root.empty())
    throw Error(Fault::usage, "--root is for a live machine and cannot be given together with a recorded one");
  if (sources.empty()) return {topo::collect(root, silent)};
  std::vector<topo::Evidence> all;
  all.reserve(sources.size());
  for (const std::string& source : sources) all.push_back(topo::read_evidence(source));
  return all;
}

topo::Graph graph_of_sources(const std::vector<std::string>& sources, const std::string& root) {
  return topo::build(read_sources(sources, root));
}

void print(const std::string& text, std::FILE* to) {
  if (std::fwrite(text.data(), 1, text.size(), to) != text.size() || std::fflush(to) != 0)
    throw Error(Fault::usage, fmt::format("cannot write the topology: {}", std::generic_category().message(errno)));
}

bool wants_json(const std::string& format) {
  if (format == "json" || format == "text") return format == "json";
  throw Error(Fault::usage, fmt::format("--format {}: there is no such format; there are text, json", format));
}

}  // namespace railgauge
