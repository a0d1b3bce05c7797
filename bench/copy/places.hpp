// The memories of this machine that `railgauge bench copy` copies between.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/device/copies.hpp"

namespace railgauge {

struct CopyPlace {
  CopyMemory memory;
  const CopyTable* table = nullptr;  // whose it is; static storage
  int device = -1;                   // its number there; -1: memory of the host

  [[nodiscard]] bool host() const { return device < 0; }
};

struct CopyPlaces {
  std::vector<CopyPlace> places;
  std::vector<std::string> missing;  // "cuda is unavailable: ...", one for each kind of device that there is none of
};

// The NUMA nodes first, then the memories of each plugin. Calls the drivers, after which this process must not fork.
[[nodiscard]] CopyPlaces copy_places(const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace railgauge
