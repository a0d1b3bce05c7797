// A row for each format.
#include "bench/select/stored_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "bench/schedule/map/map.hpp"
#include "bench/schedule/read/read.hpp"

namespace railgauge {
namespace {

StoredFile read_lines(const std::string& path) {
  ScheduleFile file = read_schedules(read_file(path), path);
  if (const Findings findings = findings_of(file, false); !findings.empty())
    throw Error(Fault::usage,
                fmt::format("{}: the schedules are no {}: {}", path, railgauge::name(file.collective), findings.front()));
  const bool in_place = row(file.collective).in_place && findings_of(file, true).empty();
  return {file.collective, {file.root, std::move(file.ranks), true}, in_place, false, "read from a file"};
}

StoredFile read_msccl(const std::string& path) {
  const Program program = read_algorithm(path);
  MappedProgram mapped = map_program(program, path);
  const bool in_place = mapped.in_place && (row(mapped.collective).in_place || !mapped.out_of_place);
  return {mapped.collective,
          {mapped.root, std::move(mapped.ranks), mapped.out_of_place, false, program.least_bytes, program.most_bytes},
          in_place,
          mapped.equal_blocks,
          program.format == AlgorithmFormat::mscclpp ? "plan of MSCCL++, read from a file" : "MSCCL XML, read from a file"};
}

constexpr std::size_t most_files = 10'000;

struct Format {
  std::string_view ending;
  StoredFile (*read)(const std::string& path);
};
constexpr Format formats[] = {
    {".jsonl", read_lines}, {".xml", read_msccl}, {".xml.gz", read_msccl}, {".json", read_msccl}, {".json.gz", read_msccl}};

const Format* format_of(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(std::begin(formats), std::end(formats), [&](const Format& it) { return name.ends_with(it.ending); });
  return found == std::end(formats) ? nullptr : found;
}

}  // namespace

std::vector<std::string> files_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    const std::string path = entry->path().string();
    if (names_file(path) && entry->is_regular_file(unknown)) files.push_back(path);
    if (files.size() > most_files)
      throw Error(Fault::usage, fmt::format("{}: it has more than {} files of algorithms", folder, most_files));
  }
  if (failed) throw Error(Fault::usage, fmt::format("{}: {}", folder, failed.message()));
  if (files.empty())
    throw Error(
        Fault::usage,
        fmt::format("{}: no file in it is called as one of an algorithm (.xml, .json, .jsonl; .xml.gz, .json.gz)", folder));
  std::sort(files.begin(), files.end());
  return files;
}

bool names_file(std::string_view name) noexcept { return format_of(name) != nullptr; }

Findings findings_of(const ScheduleFile& file, bool in_place) {
  Shape shape;
  shape.ranks = static_cast<std::int32_t>(file.ranks.size());
  shape.root = file.root;
  VerifyOptions options;
  options.in_place = in_place;
  return verify(file.collective, file.ranks, shape, options);
}

StoredFile read_stored(const std::string& path) {
  const Format* const format = format_of(path);
  if (format == nullptr)
    throw Error(Fault::usage, path + ": the name of a file of an algorithm ends with .jsonl, .xml, .json, .xml.gz or .json.gz");
  return format->read(path);
}

}  // namespace railgauge
