// Recorded machines, scratch folders and sentences, for the tests of topo.
#include "tests/topo/machines.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <system_error>

#include "base/error.hpp"
#include "topo/read/build.hpp"

namespace railgauge::test {
namespace fs = std::filesystem;
fs::path machine_file(const std::string& name) { return fs::path(RAILGAUGE_MACHINES) / name; }

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void fill(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string sentence(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    const std::string text = error.what();
    if (error.fault() != Fault::usage) return "another fault: " + text;
    return text.find('\n') == std::string::npos ? text : "several lines: " + text;
  }
  return "no error";
}

topo::Graph graph_of(const std::string& xml) { return topo::build({{"hwloc", "m.xml", xml}}); }

std::string inconsistency(const topo::Graph& graph) {
  std::set<std::string> keys;
  for (const topo::Node& node : graph.nodes) {
    if (!keys.contains(node.parent) && !node.parent.empty()) return node.key + " stands before its parent " + node.parent;
    if (!keys.insert(node.key).second) return node.key + " is there twice";
    if (node.name.empty()) return node.key + " has no name";
    if (node.provenance.empty()) return node.key + " has no provenance";
  }
  for (const topo::Link& link : graph.links)
    if (!keys.contains(link.a) || !keys.contains(link.b)) return "a link joins " + link.a + " and " + link.b;
  return {};
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "railgauge-topo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::size_t Scratch::entries() const {
  return static_cast<std::size_t>(std::distance(fs::recursive_directory_iterator(path_), fs::recursive_directory_iterator()));
}

}  // namespace railgauge::test

// libhwloc forgets an object when it gives up on a damaged file. Read by the leak sanitizer alone.
extern "C" [[gnu::visibility("default")]] const char*
__lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): its name
extern "C" const char* __lsan_default_suppressions() { return "leak:libhwloc\n"; }  // NOLINT
