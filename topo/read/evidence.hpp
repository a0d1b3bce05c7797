// Raw readings of a machine, before anyone interprets them: taken live, from a file, or from a folder that --save made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace railgauge::topo {

struct Reading {
  std::string source;  // a row of sources(): "hwloc"
  std::string origin;  // where it came from, for sentences: "this machine", "node7.xml"
  std::string text;    // as the source gave it
};
using Evidence = std::vector<Reading>;

// A source that has nothing to say on this machine, and why.
struct Silence {
  std::string source, reason;
};

// Reads this machine: every source, in the order of sources(). `root` stands in front of /sys and /proc: empty, or a folder with
// a recorded machine's. Throws Error(usage) when nothing can be read. A missing library is no error: see `silent`.
[[nodiscard]] Evidence collect(const std::filesystem::path& root, std::vector<Silence>* silent = nullptr);

// A file of any source, told by its contents, or a folder made by save(). Throws Error(usage) that names the path.
[[nodiscard]] Evidence read_evidence(const std::filesystem::path& path);

// Writes each reading to its file in `folder`, which is made when it does not exist. Throws Error(usage) when the folder has such
// a file already, and then changes nothing. Gives the paths that were written.
std::vector<std::filesystem::path> save(const Evidence&, const std::filesystem::path& folder);

}  // namespace railgauge::topo
