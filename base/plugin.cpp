// Finds a plugin's file, makes sure that it is whole, loads it and looks up its one symbol.
#include "base/plugin.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "base/wheels.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

// A file read piece by piece: each piece must lie within the file.
class File {
 public:
  explicit File(const fs::path& path) : stream_(path, std::ios::binary) {
    std::error_code fault;
    bytes_ = fs::file_size(path, fault);
    if (fault) bytes_ = 0;
  }
  [[nodiscard]] bool readable() const { return stream_.good(); }
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= bytes_ && length <= bytes_ - offset;
  }
  template <typename Record>
  [[nodiscard]] bool read(std::uint64_t offset, Record& record) {
    if (!holds(offset, sizeof(record))) return false;
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(&record), sizeof(record));
    return stream_.good();
  }

 private:
  std::ifstream stream_;
  std::uint64_t bytes_ = 0;
};

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);

// Why the file at `path` is no whole shared object of this kind of machine; empty when it is one. dlopen maps segments
// without asking how long the file is, and the process dies of SIGBUS where it was cut off.
std::string damage(const fs::path& path) {
  File file(path);
  if (!file.readable()) return fmt::format("{}: cannot be read", path.string());
  const auto say = [&](std::string_view what) { return fmt::format("{}: {}", path.string(), what); };
  constexpr std::string_view truncated = "the file is truncated; build or copy it again";
  Header header{};
  if (!file.read(0, header)) return say("the file is too short to be a shared object");
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return say("not a shared object");
  constexpr unsigned char native_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (header.e_ident[EI_CLASS] != native_class || header.e_type != ET_DYN) return say("not a shared object for this machine");
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(Segment)) return say("not a shared object for this machine");
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Segment segment{};
    if (!file.read(header.e_phoff + i * sizeof(Segment), segment)) return say(truncated);
    if (!file.holds(segment.p_offset, segment.p_filesz)) return say(truncated);
  }
  if (header.e_shoff == 0) return {};
  if (header.e_shentsize != sizeof(Section)) return say("not a shared object for this machine");
  Section section{};
  if (!file.read(header.e_shoff, section)) return say(truncated);
  const std::uint64_t sections = header.e_shnum != 0 ? header.e_shnum : section.sh_size;  // many sections: the first one tells
  for (std::uint64_t i = 0; i < sections; ++i) {
    if (!file.read(header.e_shoff + i * sizeof(Section), section)) return say(truncated);
    if (section.sh_type != SHT_NOBITS && i != 0 && !file.holds(section.sh_offset, section.sh_size)) return say(truncated);
  }
  return {};
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "the loader gave no reason";
}

std::optional<std::string> variable(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

void* load(const fs::path& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

// Of a reason such as "libnccl.so.2: cannot open shared object file: ..." the library, where it is in a wheel; else empty.
fs::path missing_in_wheels(const std::string& reason) {
  const std::string library = reason.substr(0, reason.find(':'));
  if (library.find('/') != std::string::npos || reason.find("cannot open shared object file") == std::string::npos) return {};
  return find_in_wheels(library, variable);
}

}  // namespace

std::vector<fs::path> plugin_folders(std::string_view plugin_path) {
  std::vector<fs::path> folders;
  while (!plugin_path.empty()) {
    const std::size_t end = plugin_path.find(':');
    if (const std::string_view folder = plugin_path.substr(0, end); !folder.empty()) folders.emplace_back(folder);
    if (end == std::string_view::npos) break;
    plugin_path.remove_prefix(end + 1);
  }
  std::error_code fault;
  const fs::path executable = fs::read_symlink("/proc/self/exe", fault);
  if (!fault) folders.push_back(executable.parent_path().parent_path() / "lib" / "railgauge");
  return folders;
}

Plugin load_plugin(std::string_view name, const char* symbol, const std::vector<fs::path>& folders) {
  Plugin plugin{.name = std::string(name), .path = {}, .symbol = nullptr, .reason = {}};
  const std::string file = fmt::format("railgauge_{}.so", name);
  for (const fs::path& folder : folders) {
    std::error_code fault;
    const fs::path candidate = folder / file;
    if (!fs::exists(candidate, fault)) continue;
    plugin.path = fs::absolute(candidate, fault);  // a path with a slash: dlopen must not search elsewhere
    if (fault) plugin.path = candidate;
    if (!fs::is_regular_file(candidate, fault)) {
      plugin.reason = fmt::format("{}: not a file", candidate.string());
      return plugin;
    }
    break;
  }
  if (plugin.path.empty()) {
    std::string places;
    for (const fs::path& folder : folders) places += fmt::format("{}{}", places.empty() ? "" : ", ", folder.string());
    plugin.reason = fmt::format("{} not found in {}", file, places.empty() ? "any folder: none was given" : places);
    return plugin;
  }
  plugin.reason = damage(plugin.path);
  if (!plugin.reason.empty()) return plugin;
  void* handle = load(plugin.path);
  if (handle == nullptr) {
    plugin.reason = last_loader_error();
    const fs::path library = missing_in_wheels(plugin.reason);
    if (library.empty()) return plugin;
    // The plugin finds it loaded.
    if (load(library) != nullptr) handle = load(plugin.path);
    plugin.reason = handle == nullptr ? last_loader_error() : "";
    if (handle == nullptr) return plugin;
  }
  plugin.symbol = dlsym(handle, symbol);
  if (plugin.symbol == nullptr) plugin.reason = last_loader_error();
  return plugin;
}

std::string refusal_of_table(const Plugin& plugin, const std::uint32_t* abi, const char* const* name, std::string_view what) {
  if (abi == nullptr || *abi != plugin_abi)  // the rest of another version's table may have another shape
    return fmt::format("{} was built for another version of railgauge (table {}, expected {})", plugin.path.string(),
                       abi == nullptr ? 0 : *abi, plugin_abi);
  if (*name != plugin.name) return fmt::format("{} is not the {} {}", plugin.path.string(), what, plugin.name);
  return {};
}

}  // namespace railgauge
