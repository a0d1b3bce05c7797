// The table of sources: adding one is a row here, a collector in this folder and a reader in topo/formats.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace railgauge::topo {

struct Source {
  std::string_view name;
  std::string_view file;  // its name in a folder of evidence
  std::string_view summary;
  std::string (*collect)(const std::filesystem::path& root);  // throws Error(usage); nullptr: read from files only
  bool (*recognise)(std::string_view text);                   // whether a file holds what this source gives
};

[[nodiscard]] std::span<const Source> sources() noexcept;

// The machine as hwloc sees it, as hwloc XML.
[[nodiscard]] std::string collect_hwloc(const std::filesystem::path& root);

}  // namespace railgauge::topo
