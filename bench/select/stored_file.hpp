// Files of algorithms, whatever their format: schedules of ours, and what others publish.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/file/schedule_file.hpp"
#include "bench/schedule/verify/verify.hpp"

namespace railgauge {

// The files of a folder whose names are those of such files, in the order of their names. Folders in it are not looked at. Throws
// Error(usage) for a folder that cannot be read, or has none.
[[nodiscard]] std::vector<std::string> files_of_folder(const std::string& folder);

// Whether the name of an algorithm is that of a file, by its ending (.jsonl, .xml, .json; .xml.gz and
// .json.gz), which no name of the catalog
// has.
[[nodiscard]] bool names_file(std::string_view name) noexcept;

// What is wrong with the schedules of a file, proved symbolically; empty where they do what its collective means.
[[nodiscard]] Findings findings_of(const ScheduleFile& file, bool in_place);

// Proved schedules of all ranks.
struct StoredFile {
  Collective collective = Collective::all_gather;
  StoredSchedules schedules;
  bool in_place = false;      // work with input and output as one buffer
  bool equal_blocks = false;  // every block must have the same bytes
  std::string_view summary;   // what the file is, a line for tables
};

// Reads it by its ending, and proves it. Throws Error(usage): a file that cannot be read, with its line where it is malformed, or
// that does not do what its collective means.
[[nodiscard]] StoredFile read_stored(const std::string& path);

}  // namespace railgauge
