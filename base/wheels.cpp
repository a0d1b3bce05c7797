// Where pip puts packages: PREFIX/lib/python3.N/site-packages, on Debian also dist-packages.
#include "base/wheels.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

namespace railgauge {
namespace {

namespace fs = std::filesystem;

// Of the link `python` and of each that it leads to: the packages of a virtual environment lie beside its own link to python3,
// and /usr/local/bin/python3 may lead to that one.
void add_python(fs::path python, std::vector<fs::path>& prefixes) {
  constexpr int most_links = 8;
  std::error_code fault;
  if (!fs::exists(python, fault)) return;
  for (int i = 0; i < most_links; ++i) {
    prefixes.push_back(python.parent_path().parent_path());
    const fs::path next = fs::read_symlink(python, fault);
    if (fault) return;
    python = next.is_absolute() ? next : python.parent_path() / next;
  }
}

std::vector<fs::path> prefixes_of(const Environment& environment) {
  std::vector<fs::path> prefixes;
  for (const char* const variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto value = environment(variable); value && !value->empty()) prefixes.emplace_back(*value);
  const std::string path = environment("PATH").value_or("");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const fs::path folder = path.substr(at, end - at);
    add_python(folder / "python3", prefixes);
    at = end + 1;
  }
  if (const auto home = environment("HOME"); home && !home->empty()) prefixes.push_back(fs::path(*home) / ".local");
  prefixes.emplace_back("/usr/local");
  return prefixes;
}

// Folders in `folder` whose names begin with `start`, by name.
std::vector<fs::path> folders_of(const fs::path& folder, std::string_view start) {
  std::vector<fs::path> found;
  std::error_code fault;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault))
    if (at->path().filename().string().starts_with(start)) found.push_back(at->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

fs::path find_in_wheels(std::string_view library, const Environment& environment) {
  for (const fs::path& prefix : prefixes_of(environment))
    for (const fs::path& python : folders_of(prefix / "lib", "python3"))
      for (const char* const packages : {"site-packages", "dist-packages"})
        for (const fs::path& package : folders_of(python / packages / "nvidia", "")) {
          std::error_code fault;
          if (fs::path file = package / "lib" / library; fs::is_regular_file(file, fault)) return file;
        }
  return {};
}

}  // namespace railgauge
