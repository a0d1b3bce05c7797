// Sizes, times and fractions: what is read, what is refused with which sentence, and what is written.
#include "base/units.hpp"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// The sentence of the Error(usage) that `call` throws; fails when it throws none.
template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  FAIL("accepted");
  return {};
}

}  // namespace

TEST_CASE("sizes are read") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("007") == 7);
  CHECK(parse_bytes("1B") == 1);
  CHECK(parse_bytes("4K") == 4096);
  CHECK(parse_bytes("4k") == 4096);
  CHECK(parse_bytes("4KiB") == 4096);
  CHECK(parse_bytes("4kb") == 4096);
  CHECK(parse_bytes("1.5M") == 1572864);
  CHECK(parse_bytes("1.50000000000000000000000000000000000000000M") == 1572864);
  CHECK(parse_bytes("0.5K") == 512);
  CHECK(parse_bytes("1.0") == 1);
  CHECK(parse_bytes("2G") == 2147483648U);
  CHECK(parse_bytes("3T") == 3298534883328U);
  CHECK(parse_bytes("1.5 MiB") == 1572864);
  CHECK(parse_bytes("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(parse_bytes("16777215T") == 16777215ULL << 40);
  CHECK(parse_bytes("0.0009765625K") == 1);
  CHECK(parse_bytes("0.000000000000909494701772928237915039062500T") == 1);
}

TEST_CASE("texts that are no size are refused and quoted") {
  const std::vector<std::string> texts = {"",        " ",    "K",        "-1",   "-4K",   "+4",   "0x10",   "1e3",
                                          "1e400",   "inf",  "nan",      "4Q",   "4KK",   "4 K ", "4  K",   "1.",
                                          ".5K",     "1..5", "1.2.3K",   "1,5M", "4iB",   "4KB2", "\u0663", "\uff14K",
                                          "4\u212a", "4K\n", "\xff\xfe", "four", "1_000", "4'K",  "--"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK_THAT(refusal([&] { return parse_bytes(text); }), ContainsSubstring("is not a size"));
  }
  CHECK_THAT(refusal([] { return parse_bytes("4Q"); }), ContainsSubstring("'4Q'"));
  CHECK_THAT(refusal([] { return parse_bytes("\xff"); }), ContainsSubstring("'\\xff'"));
  CHECK_THAT(refusal([] { return parse_bytes(std::string_view("4\0K", 3)); }), ContainsSubstring("'4\\x00K'"));
}

TEST_CASE("sizes beyond 64 bits and parts of a byte are refused") {
  for (const std::string& text :
       {std::string("18446744073709551616"), std::string("16777216T"), std::string("18014398509481984K"), std::string(500, '9'),
        std::string("1") + std::string(4000, '0') + "T"}) {
    CAPTURE(text);
    const std::string sentence = refusal([&] { return parse_bytes(text); });
    CHECK_THAT(sentence, ContainsSubstring("beyond 64 bits"));
    CHECK(sentence.size() < 200);
  }
  for (const std::string text :
       {"1.5", "0.1K", "1.0001M", "0.00000000000000000000000001T", "0.33333333333333333333333333333333K"}) {
    CAPTURE(text);
    CHECK_THAT(refusal([&] { return parse_bytes(text); }), ContainsSubstring("not a whole number of bytes"));
  }
}

TEST_CASE("sizes are written exactly and read back") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1) == "1 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1 KiB");
  CHECK(format_bytes(1025) == "1025 B");
  CHECK(format_bytes(1536) == "1.5 KiB");
  CHECK(format_bytes(1572864) == "1.5 MiB");
  CHECK(format_bytes(1024 * 1025) == "1025 KiB");
  CHECK(format_bytes(100 * 1024) == "100 KiB");
  CHECK(format_bytes(std::uint64_t{5} << 40) == "5 TiB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615 B");
  constexpr unsigned seed = 4711;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t bytes = (random() >> (random() % 64)) << (random() % 40);
    REQUIRE(parse_bytes(format_bytes(bytes)) == bytes);
  }
}

TEST_CASE("random texts never crash the parsers") {
  constexpr unsigned seed = 20;
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr std::string_view letters = "0123456789..KMGTkmgtiBbshun%eE+-x \t\xc3\xa9\0";
  for (int i = 0; i < usual_or_thorough(4000, 20000); ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    CAPTURE(text);
    try {
      (void)parse_bytes(text);
    } catch (const Error& error) { REQUIRE(error.fault() == Fault::usage); }
    try {
      const Seconds time = parse_seconds(text);
      REQUIRE((time.count() >= 0 && time.count() <= 1e9));
    } catch (const Error& error) { REQUIRE(error.fault() == Fault::usage); }
    try {
      const double share = parse_fraction(text);
      REQUIRE((share > 0 && share <= 1));
    } catch (const Error& error) { REQUIRE(error.fault() == Fault::usage); }
  }
}

TEST_CASE("times are read") {
  CHECK(parse_seconds("10s").count() == 10);
  CHECK(parse_seconds("10").count() == 10);
  CHECK_THAT(parse_seconds("250ms").count(), WithinAbs(0.25, 1e-15));
  CHECK_THAT(parse_seconds("3us").count(), WithinAbs(3e-6, 1e-18));
  CHECK_THAT(parse_seconds("50ns").count(), WithinAbs(5e-8, 1e-20));
  CHECK(parse_seconds("2m").count() == 120);
  CHECK(parse_seconds("1.5h").count() == 5400);
  CHECK(parse_seconds("0").count() == 0);
  for (const std::string text :
       {"", "s", "-1s", "+1s", "1e3", "1e400", "0x10s", "inf", "nan", "1 s", "1min", "1S", "1.s", "\u0661s", "5sec"}) {
    CAPTURE(text);
    CHECK_THAT(refusal([&] { return parse_seconds(text); }), ContainsSubstring("is not a time"));
  }
  for (const std::string& text : {std::string("1000000001s"), std::string("99999999999999999999h"), std::string(400, '9')}) {
    CAPTURE(text);
    CHECK_THAT(refusal([&] { return parse_seconds(text); }), ContainsSubstring("is too long"));
  }
}

TEST_CASE("fractions are read") {
  CHECK_THAT(parse_fraction("1%"), WithinAbs(0.01, 1e-15));
  CHECK_THAT(parse_fraction("0.01"), WithinAbs(0.01, 1e-15));
  CHECK(parse_fraction("1") == 1);
  CHECK(parse_fraction("100%") == 1);
  for (const std::string text :
       {"", "%", "0", "0%", "1.1", "101%", "-1%", "1e-2", "1e400", "0x1", "1 %", "1%%", "nan", "\uff11%"}) {
    CAPTURE(text);
    CHECK_THAT(refusal([&] { return parse_fraction(text); }), ContainsSubstring("is not a fraction"));
  }
}

TEST_CASE("times are written with three digits") {
  CHECK(format_seconds(Seconds(0)) == "0 ns");
  CHECK(format_seconds(Seconds(240e-9)) == "240 ns");
  CHECK(format_seconds(Seconds(24e-9)) == "24.0 ns");
  CHECK(format_seconds(Seconds(0.5e-9)) == "0.50 ns");
  CHECK(format_seconds(Seconds(999.4e-9)) == "999 ns");
  CHECK(format_seconds(Seconds(999.6e-9)) == "1.00 us");
  CHECK(format_seconds(Seconds(1.234e-6)) == "1.23 us");
  CHECK(format_seconds(Seconds(9.996e-6)) == "10.0 us");
  CHECK(format_seconds(Seconds(99.96e-6)) == "100 us");
  CHECK(format_seconds(Seconds(4.56e-3)) == "4.56 ms");
  CHECK(format_seconds(Seconds(7.89)) == "7.89 s");
  CHECK(format_seconds(Seconds(123456)) == "123456 s");
  CHECK(format_seconds(Seconds(-4.56e-3)) == "-4.56 ms");
}

TEST_CASE("numbers have no exponent, whatever their size") {
  CHECK(significant(63, 3) == "63");
  CHECK(significant(15.754, 3) == "15.8");
  CHECK(significant(0.25, 3) == "0.25");
  CHECK(significant(36288, 3) == "36288");
  CHECK(significant(99.96, 3) == "100");
  CHECK(significant(-0.001234, 3) == "-0.00123");
  CHECK(significant(0, 3) == "0");
  CHECK(significant(1e15, 3) == "1000000000000000");
}
