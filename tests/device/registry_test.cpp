// Devices and why there are none: the host is always there, and a plugin that cannot be used is one line.
#include "bench/device/registry.hpp"

#include "tests/test.hpp"

namespace railgauge {

TEST_CASE("the host is there, and a kind without its plugin says so") {
  const std::vector<KnownDevice> known = known_devices({"/nonexistent"});
  REQUIRE(known.size() == 2);
  CHECK(known[0].name == "host");
  CHECK(known[0].reason.empty());
  CHECK(known[1].name == "cuda");
  CHECK(known[1].reason == "railgauge_cuda.so not found in /nonexistent");
}

}  // namespace railgauge
