// The table of sources. A new source needs a row in it, a reader in this folder and, when it is read live, a collector in
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
  std::string_view file;  // file name in a folder of evidence
  std::string_view summary;
  Taken (*collect)(const std::filesystem::path& root);  // throws Error(usage); nullptr for sources that are only files
  bool (*recognise)(std::string_view text);             // whether a text is this source's reading
  Graph (*read)(const Reading&);                        // throws Error(usage)
};

[[nodiscard]] std::span<const Source> sources() noexcept;  // static storage

// Reads this machine: every source, in the order of sources(). `root` is a folder with the /sys and /proc of a
// recorded machine; empty: this machine's. Throws Error(usage) when no source has a reading. Adds sources without one, for
// example because a library is missing, to `silent`, unless it is nullptr.
[[nodiscard]] Evidence collect(const std::filesystem::path& root, std::vector<Silence>* silent = nullptr);

// Reads a file of any source, recognised by its content, or a folder of save(); a word of topo/generate where no such file is.
// Throws Error(usage) that names the path.
[[nodiscard]] Evidence read_evidence(const std::filesystem::path& path);

// Writes each reading to its file in `folder`, and creates the folder if necessary. Throws Error(usage) when such a file exists
// already, and then writes nothing. Gives the paths of the written files.
std::vector<std::filesystem::path> save(const Evidence&, const std::filesystem::path& folder);

}  // namespace railgauge::topo
