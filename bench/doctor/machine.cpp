#include "bench/doctor/machine.hpp"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include "base/plugin.hpp"

namespace railgauge::doctor {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string text) {
  constexpr const char* blanks = " \t\r\n\"";
  text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
  text.erase(text.find_last_not_of(blanks) + 1);
  return text;
}

std::string loading(std::string_view file) {
  if (dlopen(std::string(file).c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return {};
  const char* text = dlerror();
  return text != nullptr ? text : "the loader gave no reason";
}

// The one symbol that each plugin exports.
struct PluginSymbol {
  std::string_view name;
  const char* symbol;
};
constexpr std::array plugin_symbols{PluginSymbol{"cuda", "railgauge_device"}, PluginSymbol{"pmix", "railgauge_launcher"},
                                    PluginSymbol{"ibfabric", "railgauge_fabric"}};

PluginState state_of(std::string_view name, const std::vector<fs::path>& folders) {
  const auto* const row =
      std::find_if(plugin_symbols.begin(), plugin_symbols.end(), [&](const auto& each) { return each.name == name; });
  const Plugin plugin = load_plugin(name, row == plugin_symbols.end() ? "railgauge_transport" : row->symbol, folders);
  return {!plugin.path.empty(), plugin.reason};
}

bool in_path(const std::string& path, std::string_view name) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path candidate = fs::path(path.substr(begin, end - begin)) / name;
    if (begin != end && ::access(candidate.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

std::uint64_t bytes_of(const fs::path& path) {
  struct statvfs found{};
  return ::statvfs(path.c_str(), &found) == 0 ? std::uint64_t{found.f_blocks} * found.f_frsize : 0;
}

std::optional<std::uint64_t> memory_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return limit.rlim_cur;
}

Family family_of(const std::string& words) {
  struct Row {
    std::string_view id;
    Family family;
  };
  constexpr std::array rows{Row{"debian", Family::debian}, Row{"ubuntu", Family::debian}, Row{"rhel", Family::redhat},
                            Row{"fedora", Family::redhat}, Row{"centos", Family::redhat}, Row{"suse", Family::suse},
                            Row{"opensuse", Family::suse}, Row{"sles", Family::suse}};
  for (const Row& row : rows)
    if ((" " + words + " ").find(" " + std::string(row.id) + " ") != std::string::npos) return row.family;
  return Family::other;
}

}  // namespace

Machine this_machine(const std::vector<fs::path>& plugin_folders, const Environment& environment) {
  Machine machine;
  machine.library = loading;
  machine.plugin = [plugin_folders](std::string_view name) { return state_of(name, plugin_folders); };
  machine.program = [path = environment("PATH").value_or("")](std::string_view name) { return in_path(path, name); };
  machine.file_system_bytes = bytes_of;
  machine.locked_memory = memory_limit();
  return machine;
}

Distribution distribution_of(const fs::path& root) {
  Distribution found;
  std::ifstream file(root / "etc/os-release");
  std::string line, words;
  while (std::getline(file, line)) {
    const std::size_t equal = line.find('=');
    if (equal == std::string::npos) continue;
    const std::string name = line.substr(0, equal), value = trimmed(line.substr(equal + 1));
    if (name == "PRETTY_NAME") found.name = value;
    if (name == "ID" || name == "ID_LIKE") words += value + " ";
  }
  found.family = family_of(words);
  return found;
}

std::optional<std::string> line_of(const Machine& machine, std::string_view file) {
  std::ifstream stream(machine.root / file);
  std::string line;
  if (!std::getline(stream, line)) return {};
  return trimmed(line);
}

std::vector<fs::path> entries_of(const Machine& machine, std::string_view folder) {
  std::vector<fs::path> found;
  std::error_code fault;
  for (fs::directory_iterator each(machine.root / folder, fault), end; !fault && each != end; each.increment(fault))
    found.push_back(each->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace railgauge::doctor
