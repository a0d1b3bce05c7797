// What energy, clocks and throttling say about a point, and about a run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/result.hpp"

namespace railgauge {

// Of all sources; empty where none counts.
[[nodiscard]] std::optional<double> joules_of(const Power& power);
// Empty where none counts, and where nothing was moved.
[[nodiscard]] std::optional<double> joules_per_gigabyte(const Power& power);

// Whether something that is no purpose held clocks down; empty where no source tells.
[[nodiscard]] std::optional<bool> throttled(const Power& power);

// A sentence where throttled(), which names who, why and how long; else empty.
[[nodiscard]] std::string remark_of(const Power& power);

// "energy of the processors on node1 and 3 others: no package of RAPL in /sys/class/powercap; ...", the first eight of them;
// empty where all is read.
[[nodiscard]] std::string absences_of(const Power& power);

// Adds what one node cannot read to a list that has each thing once.
void add_absence(std::vector<Absence>& absences, const std::string& node, const std::string& what, const std::string& reason);

// Of all results of a run, in sentences.
class PowerSum {
 public:
  void add(const Result& result);
  // The joules of all results, how many of them were throttled, and what was not read: each where there is something to say, in
  // one sentence. Where nothing at all could be read, as in most virtual machines, nothing is said: the results have the reasons.
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  std::size_t results_ = 0, throttled_ = 0;
  bool read_ = false;  // something, of some result
  std::optional<double> joules_;
  std::vector<Absence> absent_;
};

}  // namespace railgauge
