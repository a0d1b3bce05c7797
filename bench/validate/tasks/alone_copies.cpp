// The engine of `railgauge bench copy`, on what has a GPU at one end at least.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "bench/copy/matrices.hpp"
#include "bench/copy/measure.hpp"
#include "bench/validate/tasks/alone.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* size = "64M";

// Kinds of ways that differ in what they pass.
const char* kind_of(const CopyPlace& from, const CopyPlace& to) {
  if (from.host()) return "copy host to GPU";
  return to.host() ? "copy GPU to host" : "copy GPU to GPU";
}

}  // namespace

OwnFigures measure_copies(Group& group, const std::vector<std::filesystem::path>& plugin_folders, Seconds seconds) {
  OwnFigures own;
  const CopyPlaces found = copy_places(plugin_folders);
  const auto host = [&](std::size_t place) { return found.places[place].host(); };
  for (const std::string& missing : found.missing) own.unread.push_back({"copies of GPUs", missing});
  if (std::all_of(found.places.begin(), found.places.end(), [](const CopyPlace& place) { return place.host(); })) return own;
  Policy policy;
  policy.max_time = seconds;
  CopyOptions options;
  options.bytes = {size};
  for (const CopyMatrix& matrix : copy_matrices(options, found))
    for (const CopyCell& cell : matrix.cells) {
      if (host(cell.from) && host(cell.to)) continue;
      const Result result = measure_copy(group, found, matrix, cell, policy);
      const std::string name = name_of(found, matrix, cell);
      if (result.status == Status::wrong) throw Error(Fault::wrong_data, fmt::format("{}: {}", name, result.reason));
      if (result.summary.samples == 0) {
        own.unread.push_back({"copy " + name, result.reason});
        continue;
      }
      const bool between = !host(cell.from) && !host(cell.to);
      own.figures.push_back({fmt::format("{}, {}{}, 64 MiB", kind_of(found.places[cell.from], found.places[cell.to]), matrix.way,
                                         result.point.path == "staged" ? ", through the host" : ""),
                             between && result.point.path != "staged" ? HostComponent::nvlink : HostComponent::pcie,
                             result.summary.busbw, name});
    }
  return own;
}

}  // namespace railgauge::validate
