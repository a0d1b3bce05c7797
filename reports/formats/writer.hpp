// The contract of the writers: every writer gets each result as soon as it is complete.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.hpp"

namespace railgauge {

// The facts of a run before its first result.
struct Run {
  std::string id;                  // Result::run of all its results
  std::size_t points = 0;          // results that will come; 0 when not known
  std::vector<std::string> notes;  // lines for people: what runs where
};

// The caller calls begin() once, then add() for each result, then finish() once, also when the run was interrupted. A writer
// keeps all added results, also when it is destroyed before finish(). All three throw Error(usage) with the file's name when it
// cannot be written.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void begin(const Run& run) = 0;
  virtual void add(const Result& result) = 0;
  virtual void finish() = 0;
};

struct FormatRow {
  std::string_view name;       // as in --format
  std::string_view extension;  // as in -o; empty where a file name does not choose it
  std::string_view summary;
};
[[nodiscard]] std::span<const FormatRow> result_formats() noexcept;

// Opens `path` in the format of its extension, else in `format`; an empty `format` is jsonl for the path "-", standard output.
// Checks before any measurement that the results can be written: throws Error(usage) for an unknown format, when the file exists
// (a writer never overwrites a file) and when it cannot be created.
[[nodiscard]] std::unique_ptr<Writer> open_writer(const std::string& path, std::string_view format = {});

// Throws Error(usage) for an unknown format, and when none of these files would use it.
void expect_format_used(std::span<const std::string> paths, std::string_view format);

using Sink = std::function<void(std::string_view)>;  // takes whole pieces of text, or throws

// A sink that writes whole texts to a file descriptor, which it does not own. It throws Error(usage) that names `what`.
[[nodiscard]] Sink descriptor_sink(int descriptor, std::string what);

// The terminal of the table.
struct Terminal {
  bool interactive = false;  // shows progress in a line that is rewritten
  bool colour = false;
  std::size_t columns = 120;
};

// `colour_wanted` is false where NO_COLOR is set or TERM is dumb; a descriptor that is no terminal gets neither colour nor
// progress.
[[nodiscard]] Terminal describe_terminal(int descriptor, bool colour_wanted);

using SecondsNow = std::function<Seconds()>;  // seconds since any fixed moment
[[nodiscard]] Seconds steady_seconds();

[[nodiscard]] std::unique_ptr<Writer> make_table(Sink sink, Terminal terminal, SecondsNow now = steady_seconds);

}  // namespace railgauge
