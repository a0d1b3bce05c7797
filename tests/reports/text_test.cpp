// What a terminal or a line-oriented reader could trip over never gets through.
#include "base/output/text.hpp"
#include "tests/test.hpp"

using railgauge::printable;

TEST_CASE("plain text and valid UTF-8 stay as they are") {
  CHECK(printable("") == "");
  CHECK(printable("rank 3: 12 µs, 5 €, 𝛑") == "rank 3: 12 µs, 5 €, 𝛑");
}

TEST_CASE("control characters become spaces") {
  CHECK(printable("a\nb\tc\x1b[31md\x7f") == "a b c [31md ");
  CHECK(printable(std::string_view("a\0b", 3)) == "a b");
  CHECK(printable("\xc2\x9b") == " ");  // C1: CSI in one character
}

TEST_CASE("what is no UTF-8 becomes U+FFFD") {
  const std::string replaced = "\xef\xbf\xbd";
  CHECK(printable("\xff") == replaced);
  CHECK(printable("\xc3(") == replaced + "(");
  CHECK(printable("\xc0\xaf") == replaced + replaced);                 // overlong
  CHECK(printable("\xed\xa0\x80") == replaced + replaced + replaced);  // surrogate
  CHECK(printable("\xf4\x90\x80\x80") == replaced + replaced + replaced + replaced);
  CHECK(printable("end \xe2\x82") == "end " + replaced + replaced);
}
