// The table of sources: adding one is a row here, a reader in this folder and, where it is read live, a collector in
// topo/evidence.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "topo/evidence/collectors.hpp"
#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

struct Source {
  std::string_view name;
  std::string_view file;  // its name in a folder of evidence
  std::string_view summary;
  Taken (*collect)(const std::filesystem::path& root);  // throws Error(usage); nullptr where files only hold it
  bool (*recognise)(std::string_view text);             // whether a file holds what this source gives
  Graph (*read)(const Reading&);                        // throws Error(usage)
};

[[nodiscard]] std::span<const Source> sources() noexcept;

// Reads this machine: every source, in the order of sources(). `root` stands in front of /sys and /proc: empty, or a folder with
// a recorded machine's. Throws Error(usage) when nothing can be read. A missing library is no error: see `silent`.
[[nodiscard]] Evidence collect(const std::filesystem::path& root, std::vector<Silence>* silent = nullptr);

// A file of any source, told by its contents, or a folder made by save(). Throws Error(usage) that names the path.
[[nodiscard]] Evidence read_evidence(const std::filesystem::path& path);

// Writes each reading to its file in `folder`, which is made when it does not exist. Throws Error(usage) when the folder has such
// a file already, and then changes nothing. Gives the paths that were written.
std::vector<std::filesystem::path> save(const Evidence&, const std::filesystem::path& folder);

}  // namespace railgauge::topo
