// How the ranks' processes report to the supervisor that started them.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "reports/result.hpp"

namespace railgauge {

// A pipe from several processes to the one that made them, by fork. Reports are lines: results as reports/record/record.hpp
// writes them, why a rank failed as "!<rank> <sentence>", and what else is to be said before the first result as "@<text>". They
// travel in frames that the kernel writes whole or not at all, each with its writer's process, so that neither a rank that is
// killed in the middle of a long line nor one that speaks at the same time spoils what another says.
class RankReport {
 public:
  RankReport();  // throws Error(usage)
  RankReport(const RankReport&) = delete;
  RankReport& operator=(const RankReport&) = delete;
  ~RankReport();
  [[nodiscard]] int descriptor() const { return ends_[0]; }
  // Wait until the supervisor has room for it; throw Error(lost) when it is gone.
  void tell(const Result& result) const;
  void tell(int rank, const std::string& sentence) const;
  void tell(const std::string& text) const;

  struct Reader {
    std::function<void(const Result&)> result;
    std::function<void(const std::string& text)> text;  // may be empty
  };
  // Reads what is there; what a killed rank left unfinished is dropped.
  void take(const Reader& reader);
  // What a rank said about its failure; empty when it said nothing.
  [[nodiscard]] std::string sentence_of(int rank) const;

 private:
  void write_line(std::string line) const;
  void take_line(std::string_view line, const Reader& reader);

  std::array<int, 2> ends_{};
  std::string frames_;                       // read, and not yet a whole frame
  std::map<pid_t, std::string> unfinished_;  // by writer: what is not yet a whole line
  std::map<int, std::string> sentences_;
};

}  // namespace railgauge
