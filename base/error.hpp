// The one exception of railgauge: what kind of fault it is, and a sentence that a person can act on.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace railgauge {

// Each fault has an exit code (docs/exit-codes.md); the numbers are the codes.
enum class Fault : std::uint8_t {
  below_expectation = 1,  // measured less than expected, or regressed
  usage = 2,              // the command line, the launch or the set-up is wrong
  not_comparable = 3,     // two things that must not be compared
  inconclusive = 4,       // not converged, or no verdict
  lost = 5,               // interrupted, or a rank was lost; what was finished is kept
  wrong_data = 6,         // a sum was wrong
};

// Thrown where the cause is first known. `what()` is one sentence in one line: sentences quote files of strangers, and what would
// steer a terminal or begin a line of its own becomes a blank.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& sentence) : std::runtime_error(in_one_line(sentence)), fault_(fault) {}
  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 private:
  static std::string in_one_line(std::string sentence) {
    for (char& c : sentence)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return sentence;
  }

  Fault fault_;
};

// Another rank ended, and the call needs that rank.
class RankLost : public Error {
 public:
  RankLost(int rank, const std::string& sentence) : Error(Fault::lost, sentence), rank_(rank) {}
  [[nodiscard]] int rank() const noexcept { return rank_; }  // by its number in the run

 private:
  int rank_;
};

// The exit code of two things that happened in one run: 6, 2, 5, 1, 3, 4 in that order of weight; 0 when neither did.
// `a` and `b` are 0 or the number of a Fault.
[[nodiscard]] constexpr int more_severe(int a, int b) noexcept {
  constexpr auto weight = [](int code) {
    constexpr int order[] = {0, 4, 3, 1, 5, 2, 6};
    for (int i = 0; i < 7; ++i)
      if (order[i] == code) return i;
    return 5;  // an unknown code weighs as much as a fault of set-up
  };
  return weight(a) >= weight(b) ? a : b;
}

}  // namespace railgauge
