// What is said of traffic: other ports than planned, and errors.
#include "reports/power/wire.hpp"

#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr std::uint64_t mega = 1'000'000;

PortTraffic port(const char* name, bool planned, std::uint64_t sent) { return {"a", name, planned, sent, 0, {}}; }

}  // namespace

TEST_CASE("bytes that left by the planned ports need no remark") {
  const Wire wire{100 * mega, {port("mlx5_0/1", true, 106 * mega), port("eth0", false, 300 * mega)}};
  CHECK(bytes_sent(wire) == std::optional(106 * mega));
  CHECK(errors_counted(wire) == 0);
  CHECK(remark_of(wire).empty());
}

TEST_CASE("bytes that took another port are named with it") {
  const Wire wire{100 * mega, {port("mlx5_0/1", true, mega), port("mlx5_1/1", false, 105 * mega), port("eth0", false, 2 * mega)}};
  CHECK(remark_of(wire) ==
        "bytes took other ports than planned: of 100 MB that were asked for, the planned ports sent 1 MB; mlx5_1/1 of a sent 105 "
        "MB");
  const Wire npos{100 * mega, {port("mlx5_0/1", true, mega)}};
  CHECK_THAT(remark_of(npos), ContainsSubstring("no other port sent as many"));
}

TEST_CASE("all ports count where none was planned, and little traffic proves nothing") {
  const Wire unplanned{100 * mega, {port("eth0", false, 60 * mega), port("eth1", false, 50 * mega)}};
  CHECK(bytes_sent(unplanned) == std::optional(110 * mega));
  CHECK(remark_of(unplanned).empty());
  const Wire little{mega, {port("mlx5_0/1", true, 10), port("eth0", false, 2 * mega)}};
  CHECK(remark_of(little).empty());
}

TEST_CASE("a planned port that counts no bytes proves nothing") {
  Wire wire{100 * mega, {port("mlx5_0/1", true, 0), port("eth0", false, 200 * mega)}};
  CHECK_FALSE(remark_of(wire).empty());
  wire.ports[0].sent.reset();
  CHECK_FALSE(bytes_sent(wire).has_value());
  CHECK(remark_of(wire).empty());
}

TEST_CASE("errors are named with their port") {
  Wire wire{100 * mega, {port("mlx5_0/1", true, 106 * mega), port("mlx5_1/1", true, 0)}};
  wire.ports[0].errors = {{"out_of_sequence", 3}, {"packet_seq_err", 2}};
  wire.ports[1].errors = {{"link_\x1b[31mdowned", 1}};
  CHECK(errors_counted(wire) == 6);
  const std::string remark = remark_of(wire);
  CHECK(remark.starts_with("errors counted meanwhile: mlx5_0/1 of a: out_of_sequence 3, packet_seq_err 2; mlx5_1/1 of a: "));
  CHECK(remark.find('\x1b') == std::string::npos);
}
