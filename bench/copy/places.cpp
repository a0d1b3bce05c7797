// Asks each table of copies for its memories.
#include "bench/copy/places.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "bench/device/registry.hpp"

namespace railgauge {

CopyPlaces copy_places(const std::vector<std::filesystem::path>& plugin_folders) {
  CopyPlaces found;
  for (CopyMemory& memory : host_copies().memories()) found.places.push_back({std::move(memory), &host_copies(), -1});
  for (auto& [name, devices, reason] : device_tables(plugin_folders)) {
    if (devices != nullptr && devices->copies == nullptr) reason = "its plugin has no copies";
    try {
      if (reason.empty() && devices != nullptr) {
        int number = 0;
        for (CopyMemory& memory : devices->copies->memories())
          found.places.push_back({std::move(memory), devices->copies, number++});
      }
    } catch (const Error& error) { reason = error.what(); }
    if (!reason.empty()) found.missing.push_back(fmt::format("{} is unavailable: {}", name, reason));
  }
  return found;
}

}  // namespace railgauge
