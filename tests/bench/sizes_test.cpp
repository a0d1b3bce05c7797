// How lists and ranges of sizes are read.
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/select/sweep.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

using Listed = std::vector<std::uint64_t>;
constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

// Empty when the sizes are accepted; every refusal is a fault of usage.
std::string refusal(const std::vector<std::string>& items, double factor = 2) {
  try {
    (void)parse_sizes(items, factor);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("sizes are single, ranges or both") {
  CHECK(parse_sizes({"8"}, 2) == Listed{8});
  CHECK(parse_sizes({"1K", "3"}, 2) == Listed{1024, 3});
  CHECK(parse_sizes({"8:64"}, 2) == Listed{8, 16, 32, 64});
  CHECK(parse_sizes({"8:63"}, 2) == Listed{8, 16, 32});
  CHECK(parse_sizes({"0", "1:4"}, 2) == Listed{0, 1, 2, 4});
  CHECK(parse_sizes({"8:64M"}, 2).size() == 24);
  CHECK(parse_sizes({}, 2).empty());
}

TEST_CASE("a range of one size is that size") {
  CHECK(parse_sizes({"0:0"}, 2) == Listed{0});
  CHECK(parse_sizes({"7:7"}, 1.5) == Listed{7});
}

TEST_CASE("the factor may be a fraction") {
  CHECK(parse_sizes({"1:1000"}, 10) == Listed{1, 10, 100, 1000});
  CHECK(parse_sizes({"4:16"}, 1.5) == Listed{4, 6, 9, 13});
  CHECK(parse_sizes({"1:4"}, 1.25) == Listed{1, 2, 3, 4});  // 1, 1.25, 1.56, 1.95, 2.4, 3.05, 3.8, 4.8: each size once
  for (const double factor :
       {1.0, 0.5, 0.0, -2.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    CHECK_THAT(refusal({"1:4"}, factor), ContainsSubstring("--factor"));
}

TEST_CASE("a size that is given twice is measured once") {
  CHECK(parse_sizes({"8", "8", "4:16", "16:32", "1K", "1024"}, 2) == Listed{8, 4, 16, 32, 1024});
}

TEST_CASE("sizes near 64 bits are exact or refused") {
  const std::string last = std::to_string(largest);
  CHECK(parse_sizes({last}, 2) == Listed{largest});
  CHECK(parse_sizes({last + ":" + last}, 2) == Listed{largest});
  CHECK(parse_sizes({"9007199254740993:9007199254740993"}, 2) == Listed{9007199254740993});  // no double
  const Listed all = parse_sizes({"1:" + last}, 2);
  REQUIRE(all.size() == 64);
  CHECK(all.back() == std::uint64_t{1} << 63);
  CHECK(parse_sizes({std::to_string(largest - 1) + ":" + last}, 2) == Listed{largest - 1});
  CHECK(parse_sizes({"8:" + last}, 1e300) == Listed{8});
  CHECK_FALSE(refusal({"18446744073709551616"}).empty());
  CHECK_FALSE(refusal({"1:18446744073709551616"}).empty());
  CHECK_FALSE(refusal({"1:99999999999999T"}).empty());
}

TEST_CASE("too many sizes are refused, soon") {
  CHECK_THAT(refusal({"1:1000000000000"}, 1.0001), ContainsSubstring("10000"));
  CHECK_THAT(refusal({"8:9"}, 1 + std::numeric_limits<double>::epsilon()), ContainsSubstring("10000"));
  Listed sizes;
  std::vector<std::string> items;
  for (std::uint64_t size = 0; size < 10'000; ++size) items.push_back(std::to_string(size));
  CHECK(parse_sizes(items, 2).size() == 10'000);
  items.emplace_back("10000");
  CHECK_THAT(refusal(items), ContainsSubstring("10000"));
}

TEST_CASE("ranges that cannot be are refused with the item") {
  CHECK_THAT(refusal({"4", "64:8"}), ContainsSubstring("64:8"));
  CHECK_THAT(refusal({"0:8"}), ContainsSubstring("0:8"));
}

TEST_CASE("what is no size is refused") {
  for (const char* item : {"",    " ",    ":",    "8:",  ":8",  "8:16:32", "-1",   "-8:8", "8:-1", "x",  "8x",
                           "1.3", "0x10", "1e3K", "nan", "inf", "8,16",    "8 16", "K",    "1KK",  "1.5"}) {
    INFO("item '" << item << "'");
    CHECK_FALSE(refusal({item}).empty());
  }
}
