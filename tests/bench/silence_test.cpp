// A run that shows nothing says once what it is doing, and one that has shown something says nothing.
#include "bench/run/silence.hpp"

#include <future>

#include "tests/test.hpp"

namespace railgauge {

TEST_CASE("silence: after its patience it is said what the run is doing") {
  std::promise<std::string> said;
  std::future<std::string> sentence = said.get_future();
  Silence silence(Seconds(0), "connecting 300 ranks over shm", [&](const std::string& text) { said.set_value(text); });
  REQUIRE(sentence.wait_for(Seconds(60)) == std::future_status::ready);
  CHECK(sentence.get() == "still connecting 300 ranks over shm, after 0 s without a result");
  silence.doing("measuring");  // a second sentence would break the promise
}

TEST_CASE("silence: nothing is said once there is a result") {
  bool said = false;
  {
    Silence silence(Seconds(3600), "connecting", [&](const std::string&) { said = true; });
    silence.heard();
  }
  {
    const Silence silence(Seconds(3600), "connecting", [&](const std::string&) { said = true; });
  }
  CHECK_FALSE(said);
}

}  // namespace railgauge
