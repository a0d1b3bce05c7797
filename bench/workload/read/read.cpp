// From paths to the format's reader.
#include "bench/workload/read/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "bench/workload/read/chakra.hpp"
#include "bench/workload/read/formats.hpp"
#include "bench/workload/read/join.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_paths = 4096;

// Groups of ASTRA-sim's: an object whose first member is a number in quotes.
bool is_groups(std::string_view head) {
  const std::size_t open = head.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || head[open] != '{') return false;
  const std::size_t key = head.find_first_not_of(" \t\r\n", open + 1);
  return key != std::string_view::npos && key + 1 < head.size() && head[key] == '"' && head[key + 1] >= '0' &&
         head[key + 1] <= '9';
}

class Reading {
 public:
  void take(TraceInput& input) {
    const std::string_view head = input.head();
    if (head.empty()) throw Error(Fault::usage, fmt::format("{}: the file is empty", input.origin()));
    const TraceFormat* const format = find_trace_format(head);
    if (format == nullptr && is_groups(head)) {
      groups_ = read_chakra_groups(input);
      return;
    }
    if (format == nullptr)
      throw Error(Fault::usage,
                  fmt::format("{}: no format of traces is like it (docs/traces.md names those that are read)", input.origin()));
    if (format_ != nullptr && format_ != format)
      throw Error(Fault::usage, fmt::format("{}: it is of format {}, and {} is of {}", input.origin(), format->name,
                                            traces_.front().origin, format_->name));
    format_ = format;
    for (RankTrace& trace : format->read(input)) {
      nodes_ += trace.nodes.size();
      if (nodes_ > most_nodes)
        throw Error(Fault::usage,
                    fmt::format("{}: the ranks together have more than {} nodes: trace fewer steps", trace.origin, most_nodes));
      traces_.push_back(std::move(trace));
    }
  }

  Workload finish(const std::string& name, int ranks) {
    if (format_ == nullptr) throw Error(Fault::usage, fmt::format("{}: groups alone are no trace", name));
    for (RankTrace& trace : traces_)
      for (TraceGroup& group : trace.groups)
        if (const auto known = groups_.find(group.name); known != groups_.end()) {
          group.ranks = known->second;
          group.size = static_cast<int>(known->second.size());
        }
    const std::string source = fmt::format("{} ({})", format_->name, name);
    return join(std::move(traces_), fs::path(name).filename().string(), source, ranks);
  }

 private:
  const TraceFormat* format_ = nullptr;
  std::vector<RankTrace> traces_;
  std::map<std::string, std::vector<int>> groups_;
  std::size_t nodes_ = 0;
};

// A folder's files, or those of a prefix, in the order of their names.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!folder && (fs::exists(path, error) || !fs::exists(path + ".0.et", error))) return {path};
  const fs::path parent = folder ? fs::path(path) : fs::path(path).parent_path();
  const std::string prefix = fs::path(path).filename().string() + ".";
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent.empty() ? fs::path(".") : parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(error) || name.starts_with(".")) continue;
    if (!folder && !(name.starts_with(prefix) && name.ends_with(".et"))) continue;
    files.push_back(entry.path().string());
    if (files.size() > most_paths) throw Error(Fault::usage, fmt::format("{}: more than {} files", path, most_paths));
  }
  if (files.empty()) throw Error(Fault::usage, fmt::format("{}: the folder has no files", path));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Workload read_workload(std::span<const std::string> paths, int ranks) {
  Reading reading;
  if (paths.empty()) throw Error(Fault::usage, "no trace is given");
  for (const std::string& path : paths)
    for (const std::string& file : files_of(path)) each_trace(file, [&](TraceInput& input) { reading.take(input); });
  return reading.finish(paths.front(), ranks);
}

Workload read_workload_bytes(std::string_view bytes, const std::string& origin, int ranks) {
  Reading reading;
  each_trace_of(bytes, origin, [&](TraceInput& input) { reading.take(input); });
  return reading.finish(origin, ranks);
}

}  // namespace railgauge
