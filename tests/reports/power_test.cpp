// What is said of energy and clocks: sums, sentences, and JSON round trips.
#include "reports/power/power.hpp"

#include <stdexcept>
#include <string>

#include "reports/power/power_record.hpp"
#include "reports/record/remark.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

Throttle heat(const char* source, std::optional<Seconds> time, std::optional<std::uint64_t> events = {}) {
  return {"a", source, "heat", true, time, events, false, false};
}
Throttle seen(const char* source, const char* cause, bool before, bool after) {
  return {"a", source, cause, true, {}, {}, before, after};
}

Power held(std::vector<Throttle> throttles) {
  Power power;
  power.span = Seconds(1.2);
  power.tells_throttling = true;
  power.throttles = std::move(throttles);
  return power;
}

Power sample() {
  Power power = held({heat("GPU-7a", Seconds(0.3), 2), {"b", "GPU-9c", "idleness", false, {}, {}, true, false}});
  power.gigabytes = 0.1;
  power.energy = {{"a", "package-0", 1.0 / 3}, {"a", "GPU-7a", 0x1p-40}};
  power.clocks = {{"a", "cores", "core", 800.1, 3400, 3500}, {"b", "GPU-9c", "SM", 345, 1980, {}}};
  power.absent = {{"energy of package-1", "it is gone", {"a", "b"}}};
  return power;
}

}  // namespace

TEST_CASE("joules are summed up, and compared with what was moved") {
  Power power;
  CHECK_FALSE(joules_of(power).has_value());
  CHECK_FALSE(joules_per_gigabyte(power).has_value());
  power.energy = {{"a", "package-0", 1.5}, {"b", "GPU-7a", 2.5}};
  CHECK(joules_of(power) == 4.0);
  CHECK_FALSE(joules_per_gigabyte(power).has_value());  // nothing was moved
  power.gigabytes = 8;
  CHECK(joules_per_gigabyte(power) == 0.5);
}

TEST_CASE("a point is throttled where what is suspect grew or was on, and unknown where nobody tells") {
  CHECK_FALSE(throttled(Power{}).has_value());
  CHECK(throttled(held({})) == false);
  CHECK(throttled(held({{"a", "GPU-7a", "idleness", false, Seconds(1), 1, true, true}})) == false);
  CHECK(throttled(held({heat("core 3", Seconds(0), 0)})) == false);
  CHECK(throttled(held({heat("core 3", {}, 1)})) == true);
  CHECK(throttled(held({heat("GPU-7a", Seconds(1e-9))})) == true);
  CHECK(throttled(held({seen("GPU-7a", "HW slowdown", true, false)})) == true);
  CHECK(throttled(held({seen("GPU-7a", "HW slowdown", false, true)})) == true);
}

TEST_CASE("a remark names who was throttled, by what and for how long") {
  CHECK(remark_of(Power{}).empty());
  CHECK(remark_of(held({heat("core 3", {}, 0)})).empty());
  CHECK(remark_of(held({heat("GPU-7a", Seconds(0.3))})) == "GPU-7a of a: clocks were throttled by heat for 300 ms of 1.20 s");
  CHECK(remark_of(held({heat("core 3", {}, 1)})) == "core 3 of a: clocks were throttled by heat 1 time");
  CHECK(remark_of(held({heat("core 3", {}, 1), heat("core 4", {}, 5), heat("core 5", {}, 0), heat("core 6", {}, 2)})) ==
        "core 4 of a, and 2 more: clocks were throttled by heat 5 times");
  CHECK(remark_of(held({heat("core 3", {}, 9), heat("GPU-7a", Seconds(0.6))})) ==
        "GPU-7a of a, and 1 more: clocks were throttled by heat for 600 ms of 1.20 s");
  CHECK(remark_of(held({seen("GPU-7a", "HW power brake", false, true), seen("GPU-7a", "SW power cap", true, false),
                        seen("GPU-7a", "HW slowdown", true, true)})) ==
        "GPU-7a of a: clocks were throttled by HW power brake when the point ended; "
        "GPU-7a of a: clocks were throttled by SW power cap when the point began; "
        "GPU-7a of a: clocks were throttled by HW slowdown when the point began and when it ended");
  CHECK(remark_of(held({heat("core\x1b[31m", {}, 1)})).find('\x1b') == std::string::npos);
}

TEST_CASE("the remarks of ports and clocks stand side by side") {
  Result result;
  CHECK(remark_of(result).empty());
  result.power = held({heat("core 3", {}, 2)});
  const std::string clocks = "core 3 of a: clocks were throttled by heat 2 times";
  CHECK(remark_of(result) == clocks);
  result.wire = Wire{0, {{"a", "mlx5_0/1", true, 0, 0, {{"symbol_error", 1}}}}};
  CHECK(remark_of(result) == "errors counted meanwhile: mlx5_0/1 of a: symbol_error 1; " + clocks);
  result.power.reset();
  CHECK(remark_of(result) == "errors counted meanwhile: mlx5_0/1 of a: symbol_error 1");
}

TEST_CASE("what is absent is said once, with the nodes on which it is") {
  Power power;
  CHECK(absences_of(power).empty());
  add_absence(power.absent, "a", "energy", "no counter");
  add_absence(power.absent, "b", "energy", "no counter");
  add_absence(power.absent, "b", "energy", "no counter");
  CHECK(absences_of(power) == "energy on a and 1 other: no counter");
  add_absence(power.absent, "c", "energy", "no counter");
  add_absence(power.absent, "c", "clocks", "no file\n");
  CHECK(absences_of(power) == "energy on a and 2 others: no counter; clocks on c: no file ");
  for (int gpu = 0; gpu < 8; ++gpu) add_absence(power.absent, "a", "energy of GPU-" + std::to_string(gpu), "no counter");
  CHECK_THAT(absences_of(power), ContainsSubstring("energy of GPU-5 on a: no counter; and 2 more"));
}

TEST_CASE("a run's sums name joules, throttled results and what was not read") {
  PowerSum sum;
  sum.add(Result{});
  CHECK(sum.sentences().empty());
  Result result;
  result.power = Power{};
  sum.add(result);
  CHECK(sum.sentences().empty());
  result.power = sample();
  sum.add(result);
  sum.add(result);
  CHECK(sum.sentences() == std::vector<std::string>{"energy: 0.6667 J in all",
                                                    "clocks were throttled in 2 of 3 results: all samples there are suspect",
                                                    "not read: energy of package-1 on a and 1 other: it is gone"});
}

TEST_CASE("what was not read is one line, and none where nothing was") {
  const auto said = [](Power power, const std::vector<Absence>& absent) {
    power.absent = absent;
    Result result;
    result.power = std::move(power);
    PowerSum sum;
    sum.add(result);
    return sum.sentences();
  };
  using Lines = std::vector<std::string>;
  std::vector<Absence> absent{{"energy of the processors", "no package of RAPL", {"a"}}};
  CHECK(said({}, absent).empty());
  CHECK(said(held({}), absent) == Lines{"not read: energy of the processors on a: no package of RAPL"});
  absent.push_back({"throttling of the cores", "no file", {"a"}});
  absent.push_back({"throttling of the cores", "another reason", {"b"}});
  CHECK(said({}, absent).empty());
  const std::string why = "; why: power_absent of the results (docs/power.md)";
  CHECK(said(held({}), absent) == Lines{"not read: energy of the processors, throttling of the cores" + why});
  Power clocks;
  clocks.clocks = {{"a", "cores", "core", 800, 3400, 3500}};
  for (const char* const what : {"one", "two\n", "three"}) absent.push_back({what, "no file", {"a"}});
  CHECK(said(clocks, absent) == Lines{"not read: energy of the processors, throttling of the cores, one, two  and 1 more" + why});
  Power energy;
  energy.energy = {{"a", "package-0", 2}};
  CHECK(said(energy, {{"clocks of the cores", "no file", {"a"}}}) ==
        Lines{"energy: 2 J in all", "not read: clocks of the cores on a: no file"});
}

TEST_CASE("a power record comes back as it was") {
  const Power wrote = sample();
  const Power read = power_of(nlohmann::json::parse(power_record(wrote).dump()));
  CHECK(read.span == wrote.span);
  CHECK(read.gigabytes == wrote.gigabytes);
  CHECK(read.tells_throttling);
  REQUIRE(read.energy.size() == 2);
  CHECK(read.energy[0].node == "a");
  CHECK(read.energy[0].source == "package-0");
  CHECK(read.energy[0].joules == 1.0 / 3);
  CHECK(read.energy[1].joules == 0x1p-40);
  REQUIRE(read.clocks.size() == 2);
  CHECK(read.clocks[0].source == "cores");
  CHECK(read.clocks[0].clock == "core");
  CHECK(read.clocks[0].least == 800.1);
  CHECK(read.clocks[0].most == 3400);
  CHECK(read.clocks[0].limit == 3500.0);
  CHECK(read.clocks[1].node == "b");
  CHECK_FALSE(read.clocks[1].limit.has_value());
  REQUIRE(read.throttles.size() == 2);
  CHECK(read.throttles[0].source == "GPU-7a");
  CHECK(read.throttles[0].cause == "heat");
  CHECK(read.throttles[0].suspect);
  CHECK(read.throttles[0].time == Seconds(0.3));
  CHECK(read.throttles[0].events == 2U);
  CHECK_FALSE(read.throttles[0].before);
  CHECK_FALSE(read.throttles[1].suspect);
  CHECK_FALSE(read.throttles[1].time.has_value());
  CHECK_FALSE(read.throttles[1].events.has_value());
  CHECK(read.throttles[1].before);
  CHECK_FALSE(read.throttles[1].after);
  REQUIRE(read.absent.size() == 1);
  CHECK(read.absent[0].what == "energy of package-1");
  CHECK(read.absent[0].reason == "it is gone");
  CHECK(read.absent[0].nodes == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a power record of another shape is refused") {
  const auto good = nlohmann::json::parse(power_record(sample()).dump());
  const auto refused = [&](const char* pointer, const nlohmann::json& value) {
    INFO(pointer << " " << value.dump());
    auto record = good;
    record[nlohmann::json::json_pointer(pointer)] = value;
    try {
      (void)power_of(record);
      return false;
    } catch (const nlohmann::json::exception&) { return true; } catch (const std::invalid_argument&) {
      return true;
    }
  };
  CHECK_FALSE(refused("/span", 3));
  for (const char* key : {"/span", "/gigabytes", "/energy/0/joules", "/clocks/0/least", "/throttles/0/time",
                          "/throttles/0/events", "/tells_throttling", "/throttles/0/suspect", "/absent/0/what"})
    CHECK(refused(key, nlohmann::json::array()));
  for (const char* key : {"/span", "/gigabytes", "/energy/0/joules", "/clocks/0/most", "/clocks/0/limit", "/throttles/0/time"})
    CHECK(refused(key, "text"));
  for (const char* key : {"/energy", "/clocks", "/throttles", "/absent", "/absent/0/nodes"}) CHECK(refused(key, "text"));
  CHECK(refused("/throttles/0/events", -1));
  CHECK(refused("/throttles/0/events", 1.5));
  CHECK(refused("/energy/0", 1));
}
