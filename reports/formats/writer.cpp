// Chooses and opens the writers of reports/formats/writer.hpp.
#include "reports/formats/writer.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace railgauge {

// One for each format, in a file of its own. Throws Error(usage) when the file exists or cannot be made. "-" is standard output.
// A new one is a name here and a row below.
using MakeWriter = std::unique_ptr<Writer>(const std::string& path);
MakeWriter make_json_lines, make_csv, make_markdown, make_junit, make_github, make_openmetrics;

namespace {

struct Opener {
  FormatRow row;
  std::unique_ptr<Writer> (*open)(const std::string& path) = nullptr;
};

constexpr std::array openers{
    Opener{{"jsonl", ".jsonl", "one JSON object a line, with every sample; each line is on disk when its result is known"},
           make_json_lines},
    Opener{{"csv", ".csv", "comma separated, one line of names; appears under its name when the run ends"}, make_csv},
    Opener{{"markdown", ".md", "tables for people, what is wrong first; for pull requests and the summary of a CI step"},
           make_markdown},
    Opener{{"junit", ".xml",
            "JUnit XML for CI systems: a case each point: a failure where data was wrong, an error where none came"},
           make_junit},
    Opener{{"github", "", "annotations of GitHub Actions, on standard output (-o -): what failed, and what did not converge"},
           make_github},
    Opener{{"openmetrics", ".prom", "gauges for Prometheus: the textfile folder of its node exporter, or a push gateway"},
           make_openmetrics},
};

constexpr auto rows = [] {
  std::array<FormatRow, openers.size()> result{};
  for (std::size_t i = 0; i < openers.size(); ++i) result[i] = openers[i].row;
  return result;
}();

std::string choices() {
  std::string text;
  for (const FormatRow& row : rows) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

std::string extensions() {
  std::string text;
  for (const FormatRow& row : rows)
    if (!row.extension.empty()) text += (text.empty() ? "" : ", ") + std::string(row.extension);
  return text;
}

// Null where the name says nothing.
const Opener* opener_of_name(const std::string& path) {
  const std::string extension = path == "-" ? std::string() : std::filesystem::path(path).extension().string();
  if (extension.empty()) return nullptr;
  for (const Opener& opener : openers)
    if (opener.row.extension == extension) return &opener;
  return nullptr;
}

const Opener& opener_of_format(std::string_view format) {
  for (const Opener& opener : openers)
    if (opener.row.name == format) return opener;
  throw Error(Fault::usage, "there is no format " + std::string(format) + ": choose one of " + choices());
}

const Opener& find_opener(const std::string& path, std::string_view format) {
  if (const Opener* const named = opener_of_name(path)) return *named;
  if (!format.empty()) return opener_of_format(format);
  if (path == "-") return openers.front();  // for programs
  throw Error(Fault::usage, "the name " + path + " does not say which format to write: end it in " + extensions() +
                                ", or give --format (" + choices() + ")");
}

}  // namespace

std::span<const FormatRow> result_formats() noexcept { return rows; }

void expect_format_used(std::span<const std::string> paths, std::string_view format) {
  if (format.empty()) return;
  (void)opener_of_format(format);
  if (paths.empty()) throw Error(Fault::usage, "--format says how files are written, and there is none: give -o FILE, or -o -");
  std::string_view said;
  for (const std::string& path : paths) {
    const Opener* const named = opener_of_name(path);
    if (named == nullptr || named->row.name == format) return;
    said = named->row.name;
  }
  throw Error(Fault::usage, "--format says " + std::string(format) + ", and the name " + paths.back() + " says " +
                                std::string(said) + ": leave one of them out");
}

std::unique_ptr<Writer> open_writer(const std::string& path, std::string_view format) {
  return find_opener(path, format).open(path);
}

Sink descriptor_sink(int descriptor, std::string what) {
  return [descriptor, what = std::move(what)](std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw Error(Fault::usage, "cannot write to " + what + ": " + std::strerror(errno));
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  };
}

Terminal describe_terminal(int descriptor, bool colour_wanted) {
  Terminal terminal;
  terminal.interactive = ::isatty(descriptor) == 1;
  terminal.colour = terminal.interactive && colour_wanted;
  winsize size{};
  if (terminal.interactive && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) terminal.columns = size.ws_col;
  return terminal;
}

Seconds steady_seconds() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace railgauge
