// The table of formats, and what puts a text into a file.
#include "reports/validation/writers.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/output/file.hpp"

namespace railgauge::validation {
namespace {

struct Form {
  FormatRow row;
  std::string (*text)(const Validation& validation) = nullptr;
};

std::string uncoloured(const Validation& validation) { return to_text(validation, Terminal{}); }

constexpr std::array forms{
    Form{{"json", ".json", "everything, for programs and for railgauge report; docs/validation.schema.json"}, to_json},
    Form{{"html", ".html", "one page for a browser: the faulty, a map, every pair, hosts, figures"}, to_html},
    Form{{"junit", ".xml", "JUnit XML for CI systems: a suite a stage, a case a host"}, to_junit},
    Form{{"openmetrics", ".prom", "gauges for Prometheus"}, to_openmetrics},
    Form{{"text", ".txt", "the summary that stands on the terminal"}, uncoloured},
};

constexpr auto rows = [] {
  std::array<FormatRow, forms.size()> result{};
  for (std::size_t i = 0; i < forms.size(); ++i) result[i] = forms[i].row;
  return result;
}();

std::string listed(std::string_view FormatRow::* word) {
  std::string text;
  for (const FormatRow& row : rows) text += (text.empty() ? "" : ", ") + std::string(row.*word);
  return text;
}

const Form& form_of(const std::string& path, std::string_view format) {
  const std::string extension = path == "-" ? std::string() : std::filesystem::path(path).extension().string();
  const Form* named = nullptr;
  for (const Form& form : forms)
    if (form.row.extension == extension) named = &form;
  if (format.empty()) {
    if (named != nullptr) return *named;
    if (path == "-") return forms.front();  // for programs
    throw Error(Fault::usage, "the name " + path + " does not say which format to write: end it in " +
                                  listed(&FormatRow::extension) + ", or give --format (" + listed(&FormatRow::name) + ")");
  }
  for (const Form& form : forms)
    if (form.row.name == format) {
      if (named != nullptr && named != &form)
        throw Error(Fault::usage, "--format says " + std::string(format) + ", and the name " + path + " says " +
                                      std::string(named->row.name) + ": leave one of them out");
      return form;
    }
  throw Error(Fault::usage, "there is no format " + std::string(format) + ": choose one of " + listed(&FormatRow::name));
}

}  // namespace

std::span<const FormatRow> validation_formats() noexcept { return rows; }

void expect_writable(const std::string& path, std::string_view format) {
  (void)form_of(path, format);
  if (path != "-") const AsideFile tried(path);
}

void write_file(const Validation& validation, const std::string& path, std::string_view format) {
  const Form& form = form_of(path, format);
  if (path == "-") {
    descriptor_sink(STDOUT_FILENO, "standard output")(form.text(validation));
    return;
  }
  write_aside(path, form.text(validation));
}

}  // namespace railgauge::validation
