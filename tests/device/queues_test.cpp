// Queues of lanes, and waiting for their end before memory is freed.
#include "bench/device/queues.hpp"

#include "tests/plan/late_stream.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

TEST_CASE("queues: a device with one has none for lanes") {
  const auto host = make_host_device();
  CHECK(make_lane_queues(*host, 4, Type::float32, Op::sum) == nullptr);
}

TEST_CASE("queues: what comes to its end is waited for, what does not only so long") {
  double time = 0;
  int looks = 0;
  const auto now = [&] { return Seconds(time++); };
  CHECK(comes_to_rest([] { return true; }, now, Seconds(5)));
  CHECK(comes_to_rest([&] { return ++looks == 4; }, now, Seconds(5)));
  CHECK(looks == 4);
  looks = 0;
  CHECK_FALSE(comes_to_rest(
      [&] {
        ++looks;
        return false;
      },
      now, Seconds(5)));
  CHECK(looks == 5);
  looks = 0;
  CHECK(comes_to_rest([&] { return ++looks == 3; }));
  CHECK(looks == 3);
}

TEST_CASE("queues: the late streams of the tests wait for each other where they were told to, and not otherwise") {
  test::LateStreams streams;
  std::string done;
  bool open = false;
  const auto note = [&](char what) {
    return [&done, what] {
      done += what;
      return true;
    };
  };
  (void)streams.at(1);
  streams.at(0)->push([&] { return open; });
  streams.at(1)->push(note('a'));
  streams.fork(1);
  streams.at(1)->push(note('b'));
  streams.join(1);
  streams.at(0)->push(note('c'));
  for (int looks = 0; looks < 10; ++looks) CHECK_FALSE(streams.idle());
  CHECK(done == "a");
  open = true;
  for (int looks = 0; looks < 10; ++looks) (void)streams.idle();
  CHECK(done == "abc");
  CHECK(streams.idle());
}

}  // namespace
}  // namespace railgauge
