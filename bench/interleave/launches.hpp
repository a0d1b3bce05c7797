// Launches of railgauge bench by railgauge itself, one after the other: each is a process of its own whose results are read when
// it has ended.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/subprocess.hpp"
#include "base/units.hpp"
#include "reports/result.hpp"

namespace railgauge {

// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();  // throws Error(usage)
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What one launch gave.
struct LaunchEnd {
  std::string file;             // of its results, JSON Lines; need not be there where it failed
  std::vector<Result> results;  // those that it finished, also where it failed afterwards
  int code = 0;                 // its exit code; Fault::lost where it has none
  std::string failure;          // how it failed, as the end of a sentence that begins with the launch; empty: it did not
  bool interrupted = false;     // this process was asked to end meanwhile
  Seconds took{};
};

// The words of a command that can be started: where it begins with "bench", `program`, this one's file, is put before them.
[[nodiscard]] std::vector<std::string> with_program(std::vector<std::string> words, const std::filesystem::path& program);

// Results go to NAME.jsonl in `folder`, which must not be there yet; what the launch says goes to NAME.out and NAME.err. Exit
// codes 0, 1, 4 and 6 are those of a launch that came through: its results say what was wrong. Throws Error(usage) when it
// cannot be started, and for results that are none.
[[nodiscard]] LaunchEnd launch_bench(const std::vector<std::string>& command, const std::filesystem::path& folder,
                                     const std::string& name, Seconds deadline, HeldSignals& signals);

}  // namespace railgauge
