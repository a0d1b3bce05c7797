// The contract of the writers: each result is handed to every one of them as soon as it is known.
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

// What is known before the first result.
struct Run {
  std::string id;                  // Result::run of all its results
  std::size_t points = 0;          // results that will come; 0 when not known
  std::vector<std::string> notes;  // lines for people: what runs where
};

// begin once, then add for each result, then finish once, also when the run was cut short: what was added is kept. A writer that
// is destroyed before finish keeps what was added too. All three throw Error(usage) with the file's name when it cannot be
// written.
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

// Opens `path` in the format that its extension says, else in `format`, which is jsonl where it is empty and the path is "-",
// standard output. Finds out before any measurement what would go wrong after it: throws Error(usage) when there is no such
// format, when the file exists (nothing is ever overwritten) and when it cannot be made.
[[nodiscard]] std::unique_ptr<Writer> open_writer(const std::string& path, std::string_view format = {});

// Throws Error(usage) when there is no such format, or none of these files would be written in it.
void expect_format_used(std::span<const std::string> paths, std::string_view format);

using Sink = std::function<void(std::string_view)>;  // takes whole pieces of text, or throws

// Takes all of the text at once in a file descriptor that it does not own. Throws Error(usage) that names `what`.
[[nodiscard]] Sink descriptor_sink(int descriptor, std::string what);

// What the table is printed on.
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
