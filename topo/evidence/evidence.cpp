// Collects, reads and stores evidence through the table of sources.
#include "topo/evidence/evidence.hpp"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "base/error.hpp"
#include "topo/evidence/files.hpp"
#include "topo/evidence/sources.hpp"
#include "topo/formats/hwloc.hpp"
#include "topo/formats/json_reader.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

constexpr auto source_rows = std::to_array<Source>({
    {"hwloc", "hwloc.xml", "processors, memory and PCIe devices, as hwloc XML", collect_hwloc, is_hwloc},
    {"railgauge", "railgauge.json", "a graph that --as json wrote", nullptr, is_railgauge_json},
});

std::string names_of_files() {
  std::string names;
  for (const Source& source : source_rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", source.file);
  return names;
}

Evidence read_folder(const fs::path& folder) {
  Evidence evidence;
  for (const Source& source : source_rows) {
    const fs::path path = folder / source.file;
    std::error_code error;
    if (fs::exists(path, error)) evidence.push_back({std::string(source.name), path.string(), read_file(path)});
  }
  if (evidence.empty())
    throw Error(Fault::usage, fmt::format("{}: this folder holds no topology ({}); `railgauge topo --save DIR` makes one",
                                          folder.string(), names_of_files()));
  return evidence;
}

}  // namespace

std::span<const Source> sources() noexcept { return source_rows; }

Evidence collect(const fs::path& root) {
  Evidence evidence;
  const std::string origin = root.empty() ? "this machine" : fmt::format("the machine under {}", root.string());
  for (const Source& source : source_rows)
    if (source.collect != nullptr) evidence.push_back({std::string(source.name), origin, source.collect(root)});
  return evidence;
}

Evidence read_evidence(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return read_folder(path);
  std::string text = read_file(path);
  if (text.empty()) throw Error(Fault::usage, fmt::format("{}: the file is empty", path.string()));
  for (const Source& source : source_rows)
    if (source.recognise(text)) return {{std::string(source.name), path.string(), std::move(text)}};
  throw Error(
      Fault::usage,
      fmt::format("{}: this is no topology that railgauge reads (hwloc XML, as `lstopo FILE.xml` writes it)", path.string()));
}

std::vector<fs::path> save(const Evidence& evidence, const fs::path& folder) {
  std::error_code error;
  for (const Source& source : source_rows)
    if (fs::exists(folder / source.file, error))
      throw Error(Fault::usage,
                  fmt::format("{}: a topology is stored there already; name another folder", (folder / source.file).string()));
  const bool made = fs::create_directories(folder, error);
  if (error) throw Error(Fault::usage, fmt::format("{}: cannot make this folder: {}", folder.string(), error.message()));
  std::vector<fs::path> written;
  try {
    for (const Reading& reading : evidence)
      for (const Source& source : source_rows)
        if (source.name == reading.source) {
          write_new_file(folder / source.file, reading.text);
          written.push_back(folder / source.file);
        }
  } catch (const Error&) {
    for (const fs::path& path : written) fs::remove(path, error);
    if (made) fs::remove(folder, error);
    throw;
  }
  return written;
}

}  // namespace railgauge::topo
