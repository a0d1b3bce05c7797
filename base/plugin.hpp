// Loads a plugin and says why when it cannot: a missing library is a line, not a crash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

// Number of the tables that plugins return; a plugin built from other sources than the program is refused.
inline constexpr std::uint32_t plugin_abi = 8;

struct Plugin {
  std::string name;            // "ucx" of railgauge_ucx.so
  std::filesystem::path path;  // empty when no file was found
  void* symbol = nullptr;      // address of the exported function; null when unavailable
  std::string reason;          // why it is unavailable, a sentence fragment such as "libucp.so.0: cannot open shared object file"
};

// The folders in which plugins are looked for, in this order: each folder of `plugin_path` (RAILGAUGE_PLUGIN_PATH, colon
// separated, may be empty), then lib/railgauge beside the folder of the executable.
[[nodiscard]] std::vector<std::filesystem::path> plugin_folders(std::string_view plugin_path);

// Loads railgauge_<name>.so from the first folder that has it, RTLD_NOW | RTLD_LOCAL, never closes it, and looks up `symbol`.
// A library that it needs and the loader does not find is taken from a Python wheel (wheels.hpp) where it is in one.
// Never throws: `reason` has the error. A truncated file is found out before dlopen, which would crash on it.
[[nodiscard]] Plugin load_plugin(std::string_view name, const char* symbol, const std::vector<std::filesystem::path>& folders);

// The reason why a plugin's table cannot be used: it has the number of another version, or another name. Empty where it can.
// `what` the plugin is, for the sentence: "transport".
[[nodiscard]] std::string refusal_of_table(const Plugin& plugin, const std::uint32_t* abi, const char* const* name,
                                           std::string_view what);

// The table that the plugin's symbol, a function without arguments, returns; the plugin owns it. Null, with the reason in
// `plugin`, where it cannot be used.
template <class Table>
[[nodiscard]] const Table* table_of(Plugin& plugin, std::string_view what) {
  if (plugin.symbol == nullptr) return nullptr;
  const Table* table = reinterpret_cast<const Table* (*)()>(plugin.symbol)();
  plugin.reason =
      refusal_of_table(plugin, table == nullptr ? nullptr : &table->abi, table == nullptr ? nullptr : &table->name, what);
  return plugin.reason.empty() ? table : nullptr;
}

}  // namespace railgauge
