// The facts of a build of railgauge: its commit, its compiler, and each library with its version.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

struct LibraryVersion {
  std::string_view name;
  std::string_view built_with;  // the version of its headers; "-" where the build left it out
  std::string_view plugin;      // the plugin that needs it; empty where the program does
};

struct BuildFacts {
  std::string_view commit;    // of git describe; "unknown" where the sources were no git clone
  std::string_view compiler;  // "GNU 12.2.0"
  std::string_view build_type;
  std::vector<LibraryVersion> libraries;
};

// The facts of this build; static storage. A generated file defines it (cmake/build_facts.cmake); only bench/commands links that
// file.
[[nodiscard]] const BuildFacts& build_facts();

// The text that --version prints. Where the loaded library reports another version than the headers of the build, the text has
// both. Loads the plugins, and starts no device.
[[nodiscard]] std::string version_text(const BuildFacts& facts, const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace railgauge
