// Results that the tests of the writers print, and a folder that lasts as long as a test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/result.hpp"

namespace railgauge::test {

// One of each status, several collectives, text with traps (control characters, broken UTF-8, quotes, commas, escape sequences),
// and numbers that are not finite.
[[nodiscard]] std::vector<Result> sample_results();

// Matrices of copies between two NUMA nodes and four GPUs: to GPUs (one slow), between them (one skipped, one staged, one not
// converged, each within itself too) and in both directions.
[[nodiscard]] std::vector<Result> copy_results();

class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::vector<std::string> names() const;  // of all files in it, hidden ones too, sorted

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::string& path);

// Compares with tests/reports/golden/<name>; on a difference the actual text is left beside the tests and how to compare is
// printed.
[[nodiscard]] bool matches_golden(const std::string& name, const std::string& actual);

}  // namespace railgauge::test
