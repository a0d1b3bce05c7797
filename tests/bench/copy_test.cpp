// Which cells follow from the options, and what a measured cell says.
#include "tests/bench/copy_test_cases.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::WithinAbs;
using namespace railgauge::test::copy_cases;

TEST_CASE("copies in one direction: a matrix for each pair of kinds, engines where there are some") {
  CHECK(texts_of({}) ==
        std::vector<std::string>{
            "kernel_write host: numa0>numa0 numa0>numa1 numa1>numa0 numa1>numa1",
            "kernel_read host: numa0>numa1 numa1>numa0",
            "engine pinned+cuda: numa0>cuda:0 numa0>cuda:1 numa1>cuda:2",
            "engine cuda+pinned: cuda:0>numa0 cuda:1>numa0 cuda:2>numa1",
            "engine_write cuda: cuda:0>cuda:0 cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:0 cuda:1>cuda:1 cuda:1>cuda:2 "
            "cuda:2>cuda:0 cuda:2>cuda:1 cuda:2>cuda:2",
            "engine_read cuda: cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:0 cuda:1>cuda:2 cuda:2>cuda:0 cuda:2>cuda:1",
        });
}

TEST_CASE("copies in both directions: each pair once, none within a place") {
  const auto both = options([](CopyOptions& its) {
    its.algorithms = {"two_way"};
    its.ways = {"kernel"};
  });
  CHECK(texts_of(both) == std::vector<std::string>{"kernel_write host: numa0>numa1", "kernel_read host: numa0>numa1",
                                                   "kernel pinned+cuda: numa0>cuda:0 numa0>cuda:1 numa1>cuda:2",
                                                   "kernel_write cuda: cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:2",
                                                   "kernel_read cuda: cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:2"});
  for (const CopyMatrix& matrix : copy_matrices(both, places_of_a_machine())) CHECK(matrix.both_ways);
}

TEST_CASE("chases: GPUs read memory of the host, all read their own kind, and each cell once") {
  const auto chase = options([](CopyOptions& its) {
    its.algorithms = {"chase"};
    its.bytes = {"1K", "3000"};
  });
  const std::vector<std::string> all{
      "kernel_read host: numa0>numa0 numa0>numa1 numa1>numa0 numa1>numa1",
      "kernel pinned+cuda: numa0>cuda:0 numa0>cuda:1 numa1>cuda:2",
      "kernel_read cuda: cuda:0>cuda:0 cuda:0>cuda:1 cuda:0>cuda:2 cuda:1>cuda:0 cuda:1>cuda:1 cuda:1>cuda:2 "
      "cuda:2>cuda:0 cuda:2>cuda:1 cuda:2>cuda:2"};
  const CopyPlaces found = places_of_a_machine();
  const std::vector<CopyMatrix> matrices = copy_matrices(chase, found);
  REQUIRE(matrices.size() == 2 * all.size());
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    CHECK(cells_of(found, matrices[i]) == all[i / 2]);
    CHECK(matrices[i].bytes == (i % 2 == 0 ? 1024 : 2048));  // a power of two
    CHECK(matrices[i].chase);
    CHECK(matrices[i].reads);
    CHECK(std::string(algorithm_of(matrices[i])) == "chase");
  }
  CHECK(host_bytes_needed(matrices, found) == 4096);  // who reads has no memory
  CHECK(texts_of(options([](CopyOptions& its) {
          its.algorithms = {"chase"};
          its.from = {"numa1"};
          its.to = {"cuda:0"};
        })) == std::vector<std::string>{"kernel pinned+cuda: numa1>cuda:0"});
  // All: what is too small for a chain is copied alone, and engines follow nothing.
  for (const CopyMatrix& matrix : copy_matrices(options([](CopyOptions& its) {
                                                  its.algorithms = {"all"};
                                                  its.bytes = {"2K", "100", "2000"};
                                                }),
                                                found))
    if (matrix.chase) CHECK((matrix.bytes == 2048 || matrix.bytes == 1024));
  for (const CopyMatrix& matrix : copy_matrices(options([](CopyOptions& its) {
                                                  its.algorithms = {"all"};
                                                  its.ways = {"engine"};
                                                }),
                                                found))
    CHECK_FALSE(matrix.chase);
}

TEST_CASE("places that are named are all that there is, also far from a GPU") {
  CHECK(texts_of(options([](CopyOptions& its) { its.from = {"numa1"}; })) ==
        std::vector<std::string>{"kernel_write host: numa1>numa0 numa1>numa1", "kernel_read host: numa1>numa0",
                                 "engine pinned+cuda: numa1>cuda:0 numa1>cuda:1 numa1>cuda:2"});
  CHECK(texts_of(options([](CopyOptions& its) {
          its.from = {"cuda:0"};
          its.to = {"cuda:2", "numa0"};
        })) == std::vector<std::string>{"engine cuda+pinned: cuda:0>numa0", "engine_write cuda: cuda:0>cuda:2",
                                        "engine_read cuda: cuda:0>cuda:2"});
  CHECK(texts_of(options([](CopyOptions& its) {
          its.gpus = {2};
          its.ways = {"engine"};
        })) == std::vector<std::string>{"engine pinned+cuda: numa1>cuda:2", "engine cuda+pinned: cuda:2>numa1",
                                        "engine_write cuda: cuda:2>cuda:2"});
  // In both directions, a pair counts whichever of its ends was named first.
  CHECK(texts_of(options([](CopyOptions& its) {
          its.from = {"cuda:2"};
          its.to = {"cuda:0", "numa1"};
          its.algorithms = {"two_way"};
        })) == std::vector<std::string>{"engine pinned+cuda: numa1>cuda:2", "engine_write cuda: cuda:0>cuda:2",
                                        "engine_read cuda: cuda:0>cuda:2"});
}

TEST_CASE("a GPU whose node is not known is near to all") {
  CopyPlaces found = places_of_a_machine();
  for (CopyPlace& one : found.places)
    if (!one.host()) one.memory.node = -1;
  CHECK(texts_of(options([](CopyOptions& its) { its.to = {"cuda:1"}; }), found).front() ==
        "engine pinned+cuda: numa0>cuda:1 numa1>cuda:1");
}

TEST_CASE("each size and mover is a matrix, and the largest says what the host must have") {
  const auto many = options([](CopyOptions& its) {
    its.to = {"cuda:0"};
    its.from = {"numa0"};
    its.ways = its.algorithms = {"all"};
    its.bytes = {"1", "8192:16K"};
  });
  const CopyPlaces found = places_of_a_machine();
  const std::vector<CopyMatrix> matrices = copy_matrices(many, found);
  REQUIRE(matrices.size() == 2 * 2 * 3 + 2);  // a chase has one mover, and none through a byte
  std::set<std::string> different;
  for (const CopyMatrix& matrix : matrices)
    different.insert(cells_of(found, matrix) + std::to_string(matrix.bytes) + algorithm_of(matrix));
  CHECK(different.size() == matrices.size());
  CHECK(host_bytes_needed(matrices, found) == 2 * 16384);
  CHECK(host_bytes_needed(copy_matrices(options([](CopyOptions& its) { its.bytes = {"1"}; }), found), found) == 2 * 4096);
}

TEST_CASE("what cannot be copied is refused with what there is") {
  const auto refusal = [](void (*change)(CopyOptions&), const CopyPlaces& found) -> std::string {
    try {
      (void)copy_matrices(options(change), found);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      return error.what();
    }
    return "no error";
  };
  CopyPlaces host_only;
  host_only.places.push_back(places_of_a_machine().places.front());
  host_only.missing = {"cuda is unavailable: no driver"};
  const CopyPlaces all = places_of_a_machine();
  CHECK(refusal([](CopyOptions& its) { its.from = {"cuda:0"}; }, host_only) ==
        "--from cuda:0: there is no such place here, only numa0; cuda is unavailable: no driver");
  CHECK_THAT(refusal([](CopyOptions& its) { its.to = {"numa7"}; }, all), ContainsSubstring("--to numa7: there is no such place"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.gpus = {3}; }, all), ContainsSubstring("--gpu 3: there is no such GPU"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.ways = {"engine"}; }, host_only),
             ContainsSubstring("--way engine: only GPUs have copy engines") && ContainsSubstring("no driver"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.ways = {"horse"}; }, all),
             ContainsSubstring("--way horse is unknown: choose from engine, kernel, all"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.algorithms = {"both"}; }, all),
             ContainsSubstring("--algorithm both is unknown: choose from one_way, two_way, chase, all"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.algorithms = {"two_way"}; }, host_only),
             ContainsSubstring("two_way copies between two places"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.bytes = {"0"}; }, all), ContainsSubstring("at least 1 byte"));
  CHECK(refusal([](CopyOptions& its) { its.algorithms = {"chase"}, its.bytes = {"4K", "1023"}; }, all) ==
        "--bytes 1023: --algorithm chase goes through at least 1 KiB");
  CHECK_THAT(refusal([](CopyOptions& its) { its.algorithms = {"chase"}, its.ways = {"engine"}; }, all),
             ContainsSubstring("chase is done by kernels"));
  CHECK_THAT(refusal([](CopyOptions& its) { its.gpus = {0}, its.from = {"cuda:1"}; }, all), ContainsSubstring("nothing to copy"));
}
