// What the environment variables of nccl-tests mean, and which are refused.
#include "bench/nccl_tests/environment.hpp"

#include "base/error.hpp"
#include "bench/nccl_tests/rank_summary.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

namespace nt = railgauge::nccl_tests;

nt::Options read(const char* program, const nt::Variables& variables) {
  nt::Options options;
  options.program = nt::find_program(program);
  nt::read_variables(variables, options);
  return options;
}

}  // namespace

TEST_CASE("a mean bandwidth that must be reached, and -1 for none") {
  CHECK_FALSE(read("all_reduce_perf", {}).least_bandwidth);
  CHECK(read("all_reduce_perf", {{"NCCL_TESTS_MIN_BW", "3.5"}}).least_bandwidth == 3.5);
  CHECK_FALSE(read("all_reduce_perf", {{"NCCL_TESTS_MIN_BW", "-1"}}).least_bandwidth);
  for (const char* bad : {"fast", "1x", "nan", "inf"})
    CHECK_THROWS_AS((void)read("all_reduce_perf", {{"NCCL_TESTS_MIN_BW", bad}}), Error);
}

TEST_CASE("patterns of alltoallv are refused by alltoallv_perf, and read by no other program") {
  for (const char* name :
       {"NCCL_TESTS_ALLTOALLV_SPREAD", "NCCL_TESTS_ALLTOALLV_MATRIX_FILE", "NCCL_TESTS_ALLTOALLV_MATRIX_SCALE"}) {
    CHECK_THROWS_AS((void)read("alltoallv_perf", {{name, "0.5"}}), nt::NotImplemented);
    CHECK_NOTHROW((void)read("alltoallv_perf", {{name, ""}}));
    CHECK_NOTHROW((void)read("alltoall_perf", {{name, "0.5"}}));
  }
  CHECK(read("alltoallv_perf", {{"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", "1"}}).rank_summary);
  CHECK_FALSE(read("alltoallv_perf", {{"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", "0"}}).rank_summary);
  CHECK_FALSE(read("all_reduce_perf", {{"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", "1"}}).rank_summary);
}

TEST_CASE("the first GPU of a process is followed by as many as it has ranks") {
  CHECK(nt::devices_of({}, 2).empty());
  CHECK(nt::devices_of({{"NCCL_TESTS_DEVICE", "-1"}}, 2).empty());
  CHECK(nt::devices_of({{"NCCL_TESTS_DEVICE", "2"}}, 3) == std::vector<std::string>{"2", "3", "4"});
  for (const char* bad : {"first", "1x", "-2", "99999999999"})
    CHECK_THROWS_AS((void)nt::devices_of({{"NCCL_TESTS_DEVICE", bad}}, 1), Error);
}

TEST_CASE("variables without a meaning are named") {
  CHECK(nt::without_meaning({{"NCCL_ALGO", "Ring"}, {"NCCL_TESTS_SPLIT", "MOD 2"}}, false).empty());
  CHECK(nt::without_meaning({{"NCCL_TESTS_DEVICE", "1"}}, true).empty());
  REQUIRE(nt::without_meaning({{"NCCL_TESTS_DEVICE", "1"}}, false).size() == 1);
  const auto notes = nt::without_meaning({{"NCCL_TESTS_SPILT", "MOD 2"}}, true);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes.front(), ContainsSubstring("NCCL_TESTS_SPILT"));
}

TEST_CASE("a summary has what each rank sends and receives") {
  Result result;
  result.point.collective = "all_to_all_v";
  result.point.type = "float32";
  result.point.ranks = 1;
  result.point.count = 250;
  result.point.bytes = 1000;
  result.summary.median = Seconds(1e-6);
  CHECK(nt::rank_summary(result) ==
        "# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: mode=fixed nranks=1 total_bytes=1000 time_usec=1.00\n"
        "#   rank=0 send_bytes=1000 recv_bytes=1000 alg_bw=1.00 bus_bw=0.00\n");
}
