// Which of two exit codes weighs more.
#include "base/error.hpp"

#include <string>

#include "tests/test.hpp"

using namespace railgauge;

TEST_CASE("exit codes weigh 6, 2, 5, 1, 3, 4, 0") {
  constexpr int order[] = {6, 2, 5, 1, 3, 4, 0};
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      CAPTURE(i, j);
      CHECK(more_severe(order[i], order[j]) == order[i < j ? i : j]);
    }
  CHECK(more_severe(6, 77) == 6);
  CHECK(more_severe(77, 4) == 77);
}

TEST_CASE("a sentence is one line, whatever it quotes") {
  CHECK(std::string(Error(Fault::usage, "a file says \"x\n\x1b[31m\r\x7f\"").what()) == "a file says \"x  [31m  \"");
}
