// A validation as text: for people, for programs, for pipelines and for those who take hosts out of service. Pure functions, but
// for write_file(); each text ends with a newline. Whatever names and sentences hold, they stay text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/formats/writer.hpp"
#include "reports/validation/validation.hpp"

namespace railgauge::validation {

// One page for a terminal or a log, of any number of hosts: what is left out is counted.
[[nodiscard]] std::string to_text(const Validation& validation, const Terminal& terminal);

// docs/validation.schema.json. What is no number is null.
[[nodiscard]] std::string to_json(const Validation& validation);

// The inverse. Throws Error(usage), a sentence that begins with `origin`, for what is no such file, or one of a newer version, or
// holds what cannot be: places that are not there, negative times, numbers that are none. Unknown keys are passed over.
[[nodiscard]] Validation from_json(std::string_view text, const std::string& origin);
// Whether a file that begins like this is one that from_json() is for.
[[nodiscard]] bool is_validation(std::string_view beginning) noexcept;

// docs/junit.xsd: a suite a stage, with a case for each host, and one of the whole fleet.
[[nodiscard]] std::string to_junit(const Validation& validation);

// Gauges that Prometheus and OpenMetrics read.
[[nodiscard]] std::string to_openmetrics(const Validation& validation);

// One page that needs nothing else and no network.
[[nodiscard]] std::string to_html(const Validation& validation);

// Lines for a shell that take the hosts of to_drain() out of service under Slurm and under Kubernetes: to be read and run by a
// person. Empty where nobody is faulty.
[[nodiscard]] std::string drain_lines(const Validation& validation);

// The formats of write_file(), as -o FILE and --format name them.
[[nodiscard]] std::span<const FormatRow> validation_formats() noexcept;

// Before anything is measured: throws Error(usage) as write_file() would.
void expect_writable(const std::string& path, std::string_view format = {});

// The format is what the name's extension says, else `format`; "-" is standard output. The file appears whole or not at all.
// Throws Error(usage) when there is no such format, when the file exists, and when it cannot be written.
void write_file(const Validation& validation, const std::string& path, std::string_view format = {});

}  // namespace railgauge::validation
