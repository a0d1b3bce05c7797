// Runs that tests of histories are made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/history/history.hpp"
#include "tests/reports/compare/results.hpp"
#include "tests/reports/results.hpp"

namespace railgauge::test {

inline history::Access making() {
  history::Access access;
  access.make = true;
  access.wait = Seconds(5);
  access.now = 1'700'000'000;
  return access;
}
inline history::Access reading() {
  history::Access access = making();
  access.make = false;
  return access;
}

// A run of three sizes; `seconds` are those of the first.
inline std::vector<history::Entry> make_run(const std::string& name, double seconds, compare::Draws& draws) {
  std::vector<history::Entry> entries;
  for (const auto& [bytes, factor] : {std::pair{8, 1.0}, {4096, 2.0}, {1048576, 300.0}})
    entries.push_back(history::entry_of(launch_result(name, static_cast<std::uint64_t>(bytes), factor * seconds, draws)));
  return entries;
}

}  // namespace railgauge::test
