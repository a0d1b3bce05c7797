// Of all results of a run: how far the starts of a sample lay apart, who was last and who was slowest. One sentence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/result.hpp"

namespace railgauge {

class Starts {
 public:
  void add(const Result& result);
  // Empty where no result had starts on synchronised clocks.
  [[nodiscard]] std::string sentence() const;

 private:
  std::uint64_t samples_ = 0, timed_ = 0, late_ = 0;
  bool window_ = false;
  Seconds skew_{}, clock_error_{};  // the largest of the results
  std::vector<std::uint64_t> last_, slowest_;
};

}  // namespace railgauge
