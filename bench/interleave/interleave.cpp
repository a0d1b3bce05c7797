// Launch after launch of two commands.
#include "bench/interleave/interleave.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "bench/interleave/launches.hpp"
#include "reports/compare/purpose.hpp"

namespace railgauge {

namespace fs = std::filesystem;

namespace {

// Made where it is missing.
void expect_empty(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(Fault::usage, fmt::format("-o {}: {}", folder, failed.message()));
  if (!fs::is_empty(folder, failed) || failed)
    throw Error(Fault::usage, fmt::format("-o {}: {}: name a folder that is empty or not there yet", folder,
                                          failed ? failed.message() : "it is not empty"));
}

struct Of {
  const char* name;
  const std::vector<std::string>& command;
  std::vector<LaunchEnd> launches;    // those that have results
  std::vector<std::string> failures;  // sentences
  int begun = 0;
};

class Progress {
 public:
  Progress(bool shown, int all) : shown_(shown), all_(all) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(int number, const char* side) {
    if (!shown_) return;
    std::fprintf(stderr, "\r\033[Klaunch %d of %d: %s", number, all_, side);
    dirty_ = true;
  }
  void say(const std::string& sentence) {
    clear();
    std::fprintf(stderr, "railgauge: %s\n", sentence.c_str());
  }

 private:
  void clear() {
    if (std::exchange(dirty_, false)) std::fputs("\r\033[K", stderr);
  }
  bool shown_, dirty_ = false;
  int all_;
};

std::vector<compare::LaunchResults> results_of(const Of& side) {
  std::vector<compare::LaunchResults> all;
  for (const LaunchEnd& launch : side.launches) all.push_back({launch.file, launch.results});
  return all;
}

compare::Side side_of(const Of& side, const compare::Allowed& allowed) {
  compare::Side made(allowed);
  for (const LaunchEnd& launch : side.launches)
    for (const Result& result : launch.results) made.add(launch.file, result);
  return made;
}

// A launch that failed is a gap in what was asked for: it may be that the new one fails now and then.
void take_failures(compare::Comparison& comparison, const std::array<Of, 2>& sides) {
  for (const Of& side : sides)
    if (!side.failures.empty())
      comparison.notes.push_back(fmt::format("{} of {} launches of {} failed, first this one: {}", side.failures.size(),
                                             side.begun, side.name, side.failures.front()));
  const bool good = comparison.verdict == compare::Verdict::same || comparison.verdict == compare::Verdict::better;
  if (!good || sides[1].failures.empty()) return;
  comparison.verdict = compare::Verdict::inconclusive;
  comparison.because = fmt::format("{} of {} launches of new failed; of the others, {}", sides[1].failures.size(), sides[1].begun,
                                   comparison.because);
}

}  // namespace

Interleaved interleave(const InterleaveOptions& options) {
  std::optional<TemporaryFolder> temporary;
  if (options.folder.empty())
    temporary.emplace();
  else
    expect_empty(options.folder);
  const fs::path folder = temporary ? temporary->path() : fs::path(options.folder);
  HeldSignals signals;
  std::array<Of, 2> sides{Of{"base", options.base, {}, {}, 0}, Of{"new", options.next, {}, {}, 0}};
  const int all = 2 * options.launches;
  Interleaved result;
  {
    Progress progress(options.interactive, all);
    const auto interrupted = [&](const char* when, int launch) {
      return fmt::format("interrupted by signal {} ({}) {} launch {} of {}", signals.first(), ::strsignal(signals.first()), when,
                         launch, all);
    };
    for (int i = 0; i < all; ++i) {
      if (signals.first() != 0) {
        result.interrupted = interrupted("before", i + 1);
        break;
      }
      Of& side = sides[is_of_base(i) ? 0 : 1];
      progress.show(i + 1, side.name);
      const std::string name = fmt::format("{}-{}", side.name, ++side.begun);
      LaunchEnd launch = launch_bench(side.command, folder, name, options.deadline, signals);
      if (launch.interrupted) {
        result.interrupted = interrupted("in", i + 1);
        --side.begun;
        break;  // half a launch is none
      }
      if (!launch.failure.empty()) {
        if (side.begun == 1 && launch.results.empty())
          throw Error(Fault::usage, fmt::format("the first launch of {} {}", side.name, launch.failure));
        side.failures.push_back(fmt::format("launch {} {}", name, launch.failure));
        progress.say(side.failures.back());
      }
      if (!launch.results.empty()) side.launches.push_back(std::move(launch));
    }
  }
  const std::string kept =
      options.folder.empty() ? std::string() : fmt::format("the results of each launch are in {}", folder.string());
  for (const Of& side : sides)
    if (side.launches.empty())
      throw Error(Fault::lost,
                  fmt::format("{}, before {} was measured{}{}", result.interrupted, side.name, kept.empty() ? "" : "; ", kept));

  std::vector<std::string> names = options.allow;
  const auto base = results_of(sides[0]), next = results_of(sides[1]);
  for (std::string& name : compare::differing_on_purpose(base, next)) names.push_back(std::move(name));
  compare::Options how = options.how;
  how.allowed = compare::Allowed(names);
  result.comparison = compare::compare(side_of(sides[0], how.allowed), side_of(sides[1], how.allowed), how);
  take_failures(result.comparison, sides);
  if (!kept.empty()) result.comparison.notes.push_back(kept);
  if (!result.interrupted.empty()) result.comparison.notes.push_back(result.interrupted);
  return result;
}

}  // namespace railgauge
