// Starts launches and reads what they left.
#include "bench/interleave/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "reports/record/reader.hpp"

namespace railgauge {

namespace fs = std::filesystem;

namespace {

// The first sentence of ours, else the last line that has a letter: launchers frame what they say.
std::string why_it_ended(const fs::path& path) {
  std::ifstream file(path);
  std::string said;
  for (std::string line; std::getline(file, line);) {
    const bool ours = line.starts_with("railgauge: ");
    if (ours || std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) != 0; }))
      said = std::move(line);
    if (ours) break;
  }
  constexpr std::size_t longest = 400;
  if (said.size() > longest) said.resize(longest);
  return printable(said);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code failed;
  const fs::path place = fs::temp_directory_path(failed);
  std::string name = ((failed ? fs::path("/tmp") : place) / "railgauge.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(Fault::usage, fmt::format("cannot make a folder {}: {}", name, std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failed;
  fs::remove_all(path_, failed);
}

std::vector<std::string> with_program(std::vector<std::string> words, const fs::path& program) {
  if (words.empty() || words.front() != "bench") return words;
  if (program.empty()) throw Error(Fault::usage, "/proc/self/exe cannot be read: name the program in front of bench");
  words.insert(words.begin(), program.string());
  return words;
}

LaunchEnd launch_bench(const std::vector<std::string>& command, const fs::path& folder, const std::string& name, Seconds deadline,
                       HeldSignals& signals) {
  LaunchEnd launch;
  launch.file = folder / (name + ".jsonl");
  CommandOptions options;
  options.deadline = deadline;
  options.output = folder / (name + ".out");
  options.errors = folder / (name + ".err");
  std::vector<std::string> words = command;
  words.insert(words.end(), {"-o", launch.file});
  const Ended ended = run_command(words, options, signals);
  launch.took = ended.took;
  launch.interrupted = signals.first() != 0;
  launch.code = ended.signal != 0 || ended.overdue ? static_cast<int>(Fault::lost) : ended.code;

  std::error_code absent;
  if (fs::exists(launch.file, absent)) {
    std::ifstream file(launch.file, std::ios::binary);
    each_result(file, launch.file, [&](const Result& result) { launch.results.push_back(result); });
  }
  constexpr std::array complete{0, static_cast<int>(Fault::below_expectation), static_cast<int>(Fault::inconclusive),
                                static_cast<int>(Fault::wrong_data)};
  const bool through = std::find(complete.begin(), complete.end(), launch.code) != complete.end();
  if (through && !launch.results.empty()) return launch;
  launch.failure = how_it_ended(ended, options);
  if (launch.results.empty()) launch.failure += " and wrote no results";
  if (const std::string line = why_it_ended(options.errors); !line.empty()) launch.failure += ": " + line;
  return launch;
}

}  // namespace railgauge
