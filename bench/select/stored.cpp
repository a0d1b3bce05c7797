// Makes a row of each file, as the catalog has them.
#include "bench/select/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/units.hpp"

namespace railgauge {

StoredAlgorithms::StoredAlgorithms(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (!names_file(name) || std::find(names_.begin(), names_.end(), name) != names_.end()) continue;
    add(name, read_stored(name));
  }
}

void StoredAlgorithms::add(const std::string& name, StoredFile file) {
  names_.push_back(name);
  schedules_.push_back(std::move(file.schedules));
  algorithms_.push_back({.name = names_.back(),
                         .collective = file.collective,
                         .summary = file.summary,
                         .paper = "",
                         .equal_blocks = file.equal_blocks,
                         .in_place = file.in_place,
                         .build = nullptr,
                         .refusal = nullptr,
                         .cost = nullptr,
                         .stored = &schedules_.back()});
}

void StoredAlgorithms::add_folder(const std::string& folder) {
  for (const std::string& path : files_of_folder(folder)) {
    if (std::find(names_.begin(), names_.end(), path) != names_.end()) continue;
    try {
      StoredFile file = read_stored(path);
      file.schedules.of_folder = true;
      add(path, std::move(file));
    } catch (const Error& error) {
      // The sentence begins with the path, and with the line where it has one.
      std::string sentence = error.what();
      if (sentence.starts_with(path + ": ")) sentence.erase(0, path.size() + 2);
      if (sentence.starts_with(path + ":")) sentence.replace(0, path.size() + 1, "line ");
      refused_.push_back({path, std::move(sentence)});
    }
  }
}

std::vector<const Algorithm*> StoredAlgorithms::rows() const {
  std::vector<const Algorithm*> rows;
  for (const Algorithm& algorithm : algorithms_) rows.push_back(&algorithm);
  return rows;
}

std::string size_range(const StoredSchedules& stored) {
  const std::string from = "from " + format_bytes(stored.least_bytes);
  return stored.most_bytes == 0 ? from : from + " to " + format_bytes(stored.most_bytes);
}

std::string why_left_out(const Algorithm& row, std::span<const Collective> collectives, const Shape& shape) {
  if (row.stored == nullptr || !row.stored->of_folder) return {};
  if (std::find(collectives.begin(), collectives.end(), row.collective) == collectives.end())
    return fmt::format("it is {} of {} ranks", name(row.collective), row.stored->ranks.size());
  return row.why_not(shape);
}

}  // namespace railgauge
