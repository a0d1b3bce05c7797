// JUnit XML as Jenkins, GitLab and the actions of GitHub read it. Texts may hold anything: what XML cannot carry is replaced.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge::junit {

enum class Result : std::uint8_t { passed, failure, error, skipped };

struct Case {
  std::string group;  // its classname: words with dots between them
  std::string name;
  Seconds took{};
  Result result = Result::passed;
  std::string message;  // why it did not pass
  std::string type;     // of failures and errors
  std::string output;   // none where it is empty
};

struct Suite {
  std::string name, host;  // host may be empty
  Seconds took{};
  std::vector<Case> cases;
};

// The whole file; counts are those of the cases.
[[nodiscard]] std::string text_of(const std::string& name, Seconds took, const std::vector<Suite>& suites);

}  // namespace railgauge::junit
