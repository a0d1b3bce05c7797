// Nobody puts the old file back: ranks of one run share its name, and the last of them to end may not be the one that wrote.
#include "bench/options/existing.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "bench/options/values.hpp"

namespace railgauge::options {
namespace {

namespace fs = std::filesystem;

const CLI::Option* option_of(const CLI::App& command, const char* name) { return command.get_option_no_throw(name); }

void make_way(const CLI::Option& option, bool force) {
  for (const std::string& path : option.results()) {
    std::error_code error;
    const fs::file_type type = fs::symlink_status(path, error).type();
    if (path.empty() || path == "-" || path == "/dev/stdout" || is_stream(path) || type == fs::file_type::not_found ||
        type == fs::file_type::none || type == fs::file_type::directory)  // the command says what it expects of a folder
      continue;
    const std::string name = name_of(option) == "--output" ? "-o" : name_of(option);
    if (!force)
      throw Error(Fault::usage,
                  fmt::format("{} {} exists: choose another name, or --force, which keeps the old one as {}~", name, path, path));
    // Another rank of this run may have been first.
    if (fs::rename(path, path + "~", error); error && error != std::errc::no_such_file_or_directory)
      throw Error(Fault::usage, fmt::format("{} {} cannot be kept as {}~: {}", name, path, path, error.message()));
  }
}

}  // namespace

void add_force(CLI::App& program) {
  for (CLI::App* const command : program.get_subcommands([](CLI::App*) { return true; })) {
    CLI::Option* const output = command->get_option_no_throw("--output");
    if (output != nullptr)
      output->transform(CLI::Validator(
          [](std::string& path) {
            if (path == "/dev/stdout") path = "-";
            return std::string();
          },
          "", "text"));
    if (output != nullptr || option_of(*command, "--save") != nullptr) {
      const auto given = std::make_shared<bool>(false);  // lives as long as the check that holds it
      command->add_flag("--force", *given, "Write though the file exists: the old one is kept as FILE~")
          ->check(CLI::Validator([given](std::string&) { return std::string(); }, "", "text"));
    }
    add_force(*command);
  }
}

void make_way(const CLI::App& command) {
  const CLI::Option* const force = option_of(command, "--force");
  if (force == nullptr) return;
  for (const char* const name : {"--output", "--save"})
    if (const CLI::Option* const option = option_of(command, name); option != nullptr) make_way(*option, force->count() != 0);
}

}  // namespace railgauge::options
