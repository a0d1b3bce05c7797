// Devices and why there are none: the host is always there, and a plugin that cannot be used is one line.
#include "bench/device/registry.hpp"

#include "base/error.hpp"
#include "tests/test.hpp"

namespace railgauge {

using test::ContainsSubstring;

TEST_CASE("the host is there, and a kind without its plugin says so") {
  const std::vector<KnownDevice> known = known_devices({"/nonexistent"});
  REQUIRE(known.size() == 2);
  CHECK(known[0].name == "host");
  CHECK(known[0].reason.empty());
  CHECK(known[1].name == "cuda");
  CHECK(known[1].reason.starts_with("railgauge_cuda.so not found in /nonexistent"));
  CHECK_THROWS_WITH((void)choose_device("cuda", {}, {"/nonexistent"}),
                    ContainsSubstring("--memory cuda is unavailable: " + known[1].reason));
}

TEST_CASE("a plugin that was not built is missing for that reason") {
  CHECK(why_missing("railgauge_cuda.so not found in /a", "") == "railgauge_cuda.so not found in /a");
  CHECK(why_missing("railgauge_cuda.so not found in /a", "nvcc was not found") ==
        "railgauge_cuda.so not found in /a; this build has none: nvcc was not found");
}

TEST_CASE("ranks of a host take the devices that are wanted one after the other") {
  const auto row = [](const char* key) {
    return DeviceRow{.name = "", .summary = "", .model = "", .address = "", .bytes = 0, .key = key};
  };
  const std::vector<DeviceRow> rows{row("GPU-7a11"), row("GPU-7a22"), row("GPU-9b33")};
  for (const auto& [wanted, numbers] : std::vector<std::pair<std::vector<std::string>, std::vector<int>>>{
           {{}, {0, 1, 2, 0}}, {{"2"}, {2, 2, 2, 2}}, {{"1", "GPU-9b"}, {1, 2, 1, 2}}, {{"GPU-7a22"}, {1, 1, 1, 1}}})
    for (std::size_t rank = 0; rank < numbers.size(); ++rank)
      CHECK(number_of(wanted, rows, static_cast<int>(rank)) == numbers[rank]);
  for (const char* bad : {"3", "-1", "GPU-8", "GPU-", "x", "", "1x", "99999999999999"})
    CHECK_THROWS_AS((void)number_of({bad}, rows, 0), Error);
  CHECK_THROWS_WITH((void)number_of({"GPU-7a"}, rows, 0), ContainsSubstring("two GPUs of this host begin so"));
}

}  // namespace railgauge
