// Cases of one test program, each in a process that is forked from it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace railgauge::test {

class Each {
 public:
  // `list` prints the names of the cases, a line each. Of `parts` lists that take turns in choosing from them, those of list
  // `part`, from 0, are run. Forks a process for every case, one after the other, and returns true in it: its case is spec(). In
  // the process that called, it returns false once all have ended: what those said that failed or were skipped has been printed,
  // and a line with their numbers, which ci/summary reads.
  [[nodiscard]] bool run(const std::function<void()>& list, std::size_t part, std::size_t parts);
  [[nodiscard]] const char* spec() const { return spec_.c_str(); }  // in Catch2's grammar
  [[nodiscard]] int code() const { return code_; }                  // 0: none failed, and there was one

 private:
  std::string spec_;
  int code_ = 1;
};

}  // namespace railgauge::test
