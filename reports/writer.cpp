// Chooses and opens the writers of reports/writer.hpp.
#include "reports/writer.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "reports/formats.hpp"

namespace railgauge {
namespace {

struct Opener {
  FormatRow row;
  std::unique_ptr<Writer> (*open)(const std::string& path) = nullptr;
};

constexpr std::array openers{
    Opener{{"jsonl", ".jsonl", "one JSON object a line, with every sample; each line is on disk when its result is known"},
           make_json_lines},
    Opener{{"csv", ".csv", "comma separated, one line of names; appears under its name when the run ends"}, make_csv},
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

const Opener& find_opener(const std::string& path, std::string_view format) {
  if (path == "-" && format.empty()) return openers.front();  // for programs
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const Opener& opener : openers)
    if (format.empty() ? opener.row.extension == extension : opener.row.name == format) return opener;
  if (!format.empty()) throw Error(Fault::usage, "there is no format " + std::string(format) + ": choose one of " + choices());
  throw Error(
      Fault::usage,
      "the name " + path + " does not say which format to write: end it in .jsonl or .csv, or give --format (" + choices() + ")");
}

}  // namespace

std::span<const FormatRow> result_formats() noexcept { return rows; }

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
