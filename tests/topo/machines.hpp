// Recorded machines, scratch folders and sentences, for the tests of topo.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "topo/graph.hpp"

namespace railgauge::test {

[[nodiscard]] std::filesystem::path machine_file(const std::string& name);  // in tests/topo/machines
[[nodiscard]] std::string contents(const std::filesystem::path& path);
void fill(const std::filesystem::path& path, const std::string& text);

// The sentence of the Error(usage) that `run` throws; "no error" when it throws none. Checks that it is one line.
[[nodiscard]] std::string sentence(const std::function<void()>& run);
[[nodiscard]] topo::Graph graph_of(const std::string& xml);  // by the reader of hwloc XML; its origin is "m.xml"

// "" when keys are unique, parents stand before children and links name nodes that there are; else what is wrong.
[[nodiscard]] std::string inconsistency(const topo::Graph& graph);

class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

}  // namespace railgauge::test
