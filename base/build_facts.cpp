#include "base/build_facts.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/plugin.hpp"
#include "base/version.hpp"

namespace railgauge {
namespace {

// How a library tells which version is loaded. `ask` calls the function that was found.
struct Question {
  std::string_view library;
  const char* function;
  std::string (*ask)(void* function);
};

std::string text_of(void* function) {
  const char* text = reinterpret_cast<const char* (*)()>(function)();
  return text == nullptr ? std::string() : text;
}
std::string hwloc_api(void* function) {
  const unsigned value = reinterpret_cast<unsigned (*)()>(function)();
  return fmt::format("API {}.{}", value >> 16U, (value >> 8U) & 0xffU);
}
// "OpenPMIx 4.2.2, repo revision: ..." as "4.2.2".
std::string pmix_release(void* function) {
  const std::string text = text_of(function);
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return text;
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}
// 22703 is 2.27.3, and before 2.9 2708 was 2.7.8.
std::string nccl_release(void* function) {
  int value = 0;
  if (reinterpret_cast<int (*)(int*)>(function)(&value) != 0) return {};
  const int major_unit = value < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", value / major_unit, value % major_unit / 100, value % 100);
}

constexpr std::array questions{
    Question{"hwloc", "hwloc_get_api_version", hwloc_api}, Question{"SQLite", "sqlite3_libversion", text_of},
    Question{"UCX", "ucp_get_version_string", text_of},    Question{"PMIx", "PMIx_Get_version", pmix_release},
    Question{"NCCL", "ncclGetVersion", nccl_release},
};

// Where the functions of a library are looked for: in the program, or in what a plugin brought with it.
struct Scope {
  void* handle = RTLD_DEFAULT;
  std::string reason;  // why the plugin cannot be loaded
};
Scope scope_of(const LibraryVersion& library, const std::vector<std::filesystem::path>& folders) {
  if (library.plugin.empty()) return {};
  const Plugin plugin = load_plugin(library.plugin, "railgauge_version_is_asked", folders);
  void* handle = plugin.path.empty() ? nullptr : dlopen(plugin.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return {handle, handle == nullptr ? plugin.reason : std::string()};
}

std::string loaded(const LibraryVersion& library, void* handle) {
  for (const Question& question : questions)
    if (question.library == library.name)
      if (void* const function = dlsym(handle, question.function); function != nullptr) return question.ask(function);
  return {};
}

}  // namespace

std::string version_text(const BuildFacts& facts, const std::vector<std::filesystem::path>& plugin_folders) {
  std::string text = fmt::format("railgauge {}\ncommit      {}\ncompiler    {}\nbuild type  {}\n", version(),
                                 facts.commit.empty() || facts.commit == "unknown" ? "unknown commit" : facts.commit,
                                 facts.compiler, facts.build_type.empty() ? "none" : facts.build_type);
  std::size_t width = 0;
  for (const LibraryVersion& library : facts.libraries) width = std::max(width, library.name.size());
  text += "libraries\n";
  for (const LibraryVersion& library : facts.libraries) {
    std::string line =
        fmt::format("  {:<{}}  {}", library.name, width, library.built_with == "-" ? "not built" : library.built_with);
    if (library.built_with != "-") {
      const Scope scope = scope_of(library, plugin_folders);
      if (!scope.reason.empty()) {
        line += fmt::format("  (unavailable: {})", scope.reason);
      } else if (const std::string now = loaded(library, scope.handle); !now.empty() && now != library.built_with) {
        line += fmt::format("  (loaded: {})", now);
      }
    }
    text += line + "\n";
  }
  text.pop_back();  // who prints it ends the line
  return text;
}

}  // namespace railgauge
