// What a build of railgauge is made of: its commit, its compiler, and each library with its version.
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

// Of this build. Defined in a file that every build writes anew when one of them changed (cmake/build_facts.cmake) and that is
// linked with bench/commands alone.
[[nodiscard]] const BuildFacts& build_facts();

// What --version prints. Where a library tells its version at run time, and another one than the build's is loaded, both are
// said. Loads the plugins, and starts no device.
[[nodiscard]] std::string version_text(const BuildFacts& facts, const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace railgauge
