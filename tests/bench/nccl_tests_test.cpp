// What the options of nccl-tests mean: programs, sizes, groups and points.
#include "bench/nccl_tests/options.hpp"

#include <cmath>
#include <map>
#include <random>

#include "base/error.hpp"
#include "bench/nccl_tests/output.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

const Chooser nothing_measured;
const Choose auto_of = choice_of(nothing_measured, {"shm", 1, ""});

namespace nt = railgauge::nccl_tests;

nt::Options options_of(const char* program, std::uint64_t min, std::uint64_t max, std::uint64_t factor = 2) {
  nt::Options options;
  options.program = nt::find_program(program);
  options.min_bytes = min;
  options.max_bytes = max;
  options.step_factor = factor;
  return options;
}

std::string refusal(const std::string& split, const std::string& mask) {
  try {
    (void)nt::parse_split(split, mask);
  } catch (const Error& error) { return error.what(); }
  return {};
}

}  // namespace

TEST_CASE("a program is found by its name, in whatever folder") {
  CHECK(nt::find_program("all_reduce_perf")->collective == Collective::all_reduce);
  CHECK(nt::find_program("/opt/bin/alltoallv_perf")->collective == Collective::all_to_all_v);
  CHECK(nt::find_program("./sendrecv_perf")->collective == Collective::send_receive);
  for (const char* other : {"", "/", "railgauge", "all_reduce_perf/", "all_reduce", "xall_reduce_perf", "all_reduce_perf2"})
    CHECK(nt::find_program(other) == nullptr);
}

TEST_CASE("sizes are numbers with one binary suffix") {
  CHECK(nt::parse_size("0") == 0U);
  CHECK(nt::parse_size("8") == 8U);
  CHECK(nt::parse_size("32M") == std::uint64_t{32} << 20);
  CHECK(nt::parse_size("1.5g") == std::uint64_t{3} << 29);
  CHECK(nt::parse_size("0.5K") == 512U);
  CHECK(nt::parse_size("1.3") == 1U);
  for (const char* bad : {"", " ", "K", "-8", "8Q", "8KB", "8 K", "0x10", "1e3", "inf", "nan", "99999999999G", "1,5", "8:16"})
    CHECK_FALSE(nt::parse_size(bad));
}

TEST_CASE("garbage is no size, or one that 63 bits hold") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::string_view letters = "0123456789.-+KMGkmgeEx \0\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t length = random() % 24; length > 0; --length) text += letters[random() % letters.size()];
    const auto size = nt::parse_size(text);
    CHECK((!size || *size < std::uint64_t{1} << 63));
  }
}

TEST_CASE("a sweep goes by the factor where it is above one, else by the step") {
  CHECK(nt::sizes_of(options_of("all_reduce_perf", 8, 100)) == std::vector<std::uint64_t>{8, 16, 32, 64});
  CHECK(nt::sizes_of(options_of("all_reduce_perf", 8, 8)) == std::vector<std::uint64_t>{8});
  CHECK(nt::sizes_of(options_of("all_reduce_perf", 0, 64)) == std::vector<std::uint64_t>{0});
  CHECK(nt::sizes_of(options_of("all_reduce_perf", 1, ~std::uint64_t{0}, std::uint64_t{1} << 32)).size() == 2);
  nt::Options options = options_of("all_reduce_perf", 8, 40, 1);
  options.step_bytes = 16;
  CHECK(nt::sizes_of(options) == std::vector<std::uint64_t>{8, 24, 40});
  options.step_bytes = 0;
  CHECK(nt::sizes_of(options) == std::vector<std::uint64_t>{8});
  options.step_bytes = 1;
  options.max_bytes = 1 << 20;
  CHECK_THROWS_AS((void)nt::sizes_of(options), Error);
}

TEST_CASE("shares are whole, equal and multiples of 16 bytes, and what is not divided keeps its elements") {
  for (const CollectiveRow& row : collectives())
    for (const TypeRow& type : types())
      for (const int ranks : {1, 2, 3, 8})
        for (const std::uint64_t bytes : {0, 1, 8, 15, 16, 48, 1000, 4096, 1 << 20}) {
          const std::uint64_t size = nt::rounded(row.collective, bytes, type.type, ranks);
          CHECK(size <= bytes);
          CHECK(size % type.bytes == 0);
          const bool whole = row.collective == Collective::all_reduce || row.collective == Collective::broadcast ||
                             row.collective == Collective::reduce || row.collective == Collective::send_receive;
          if (whole)
            CHECK(bytes - size < type.bytes);
          else if (row.collective != Collective::all_to_all_v && row.collective != Collective::barrier)
            CHECK(size % (static_cast<std::uint64_t>(ranks) * 16) == 0);
        }
}

TEST_CASE("points come in pairs, out of place and in place, types before ops before roots before sizes") {
  nt::Options options = options_of("reduce_perf", 64, 128);
  options.types = {Type::float32, Type::int8};
  options.ops = {Op::sum, Op::max};
  options.root = -1;
  const std::vector<Point> points = nt::points_of(options, 3, 3, auto_of);
  REQUIRE(points.size() == 2 * 2 * 3 * 2 * 2);
  for (std::size_t i = 0; i < points.size(); i += 2) {
    CHECK_FALSE(points[i].spec.in_place);
    CHECK(points[i + 1].spec.in_place);
    CHECK(points[i].bytes == points[i + 1].bytes);
    CHECK(points[i].spec.shape.root == static_cast<int>(i / 4 % 3));
    CHECK(points[i].spec.op == (i / 12 % 2 == 0 ? Op::sum : Op::max));
    CHECK(points[i].spec.type == (i < 24 ? Type::float32 : Type::int8));
  }
}

TEST_CASE("every program has points for every number of ranks, also of sizes that divide to nothing") {
  for (const char* name : {"all_reduce_perf", "all_gather_perf", "broadcast_perf", "reduce_perf", "reduce_scatter_perf",
                           "alltoall_perf", "alltoallv_perf", "gather_perf", "scatter_perf", "sendrecv_perf", "hypercube_perf"})
    for (int ranks = 1; ranks <= 9; ++ranks) {
      INFO(name << " " << ranks);
      const nt::Options options = options_of(name, 8, 4096, 8);
      const std::vector<Point> points = nt::points_of(options, ranks, ranks, auto_of);
      CHECK(points.size() == 8);
      for (const Point& point : points)
        if (!point.refusal.empty()) CHECK_THAT(point.refusal, ContainsSubstring("power of two"));
    }
}

TEST_CASE("a root that is no rank is refused") {
  nt::Options options = options_of("broadcast_perf", 8, 8);
  options.root = 4;
  CHECK_THROWS_AS((void)nt::points_of(options, 4, 4, auto_of), Error);
}

TEST_CASE("processes are coloured by an operation, in words or signs, decimal, hexadecimal or binary") {
  CHECK_FALSE(nt::parse_split("", ""));
  const std::map<std::string, int> colours{{"AND 0x3", 2},  {"& 3", 2},      {"&3", 2},      {"or 1", 7},
                                           {"|0b1000", 14}, {"MOD 4", 2},    {"%4", 2},      {"div 4", 1},
                                           {"/0x2", 3},     {" MOD  4 ", 2}, {"MOD 0b11", 0}};
  for (const auto& [text, colour] : colours) {
    INFO(text);
    CHECK(nt::parse_split(text, "")(6) == colour);
  }
  CHECK(nt::parse_split("", "0x3")(6) == 2);
  CHECK(nt::parse_split("", "b")(6) == 2);
  CHECK(nt::parse_split("MOD 4", "0x1")(6) == 0);  // the mask wins, as there
  for (const char* bad : {"XOR 1", "MOD", "MOD 0", "/0", "MOD two", "MOD -1", "MOD 4 5", "4", "MOD 99999999999999"})
    CHECK_THAT(refusal(bad, ""), ContainsSubstring("NCCL_TESTS_SPLIT="));
  for (const char* bad : {"zonk", "-1", " ", "0x", "1 2"})
    CHECK_THAT(refusal("", bad), ContainsSubstring("NCCL_TESTS_SPLIT_MASK="));
}

TEST_CASE("an introduction survives its line, and nothing else is one") {
  nt::Introduction introduction;
  introduction.max_bytes = ~std::uint64_t{0};
  introduction.library = "NCCL 2.28.9";
  introduction.devices = {{0, 0, 12, "a\nb", 0, "0000:00:00", "\xff broken"}, {1, 3, 13, "", 1, "0000:00:00", "x"}};
  const std::string line = to_line(introduction);
  CHECK(line.find('\n') == std::string::npos);
  const nt::Introduction read = nt::read_introduction(line);
  CHECK(read.max_bytes == introduction.max_bytes);
  CHECK(read.library == introduction.library);
  REQUIRE(read.devices.size() == 2);
  CHECK(read.devices[0].host == "a\nb");
  CHECK(read.devices[1].group == 3);
  for (std::size_t length = 0; length < line.size(); ++length)
    CHECK_THROWS_AS((void)nt::read_introduction(line.substr(0, length)), Error);
  for (const char* bad : {"null", "[]", "{}", R"({"max_bytes":-1,"devices":[[1]]})", R"({"max_bytes":1,"devices":3})"})
    CHECK_THROWS_AS((void)nt::read_introduction(bad), Error);
}
