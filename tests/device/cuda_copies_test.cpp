// Copies of GPUs in every direction and by every mover, with data that is checked. Skipped, with the reason, where there is no
// GPU.
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "bench/device/chase.hpp"
#include "bench/device/cuda/copies.hpp"
#include "bench/device/cuda/device.hpp"
#include "bench/device/host/numa.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

void need_gpus(std::size_t count) {
  if (const std::string reason = cuda::missing_devices(); !reason.empty()) test::skip("no GPU: " + reason);
  if (cuda::copies().memories().size() < count) test::skip("one GPU: copies between GPUs need two");
}

struct Ends {
  Memory from, to;
  CopyOrder order;
};

// Device -1 is the host.
Ends ends_of(int from, int to, std::size_t bytes, bool both_ways) {
  const int node = host::numa_nodes().front().number;
  const std::size_t all = end_bytes(bytes, both_ways);
  Ends ends{host::allocate_on(node, all), host::allocate_on(node, all), {}};
  const auto end = [&](int device, const Memory& memory) {
    return device < 0 ? CopyEnd{.device = -1, .node = node, .host = Bytes(memory.region().address, all)}
                      : CopyEnd{.device = device, .node = -1, .host = {}};
  };
  ends.order.from = end(from, ends.from);
  ends.order.to = end(to, ends.to);
  ends.order.both_ways = both_ways;
  ends.order.bytes = bytes;
  ends.order.copies = 3;
  return ends;
}

void check(int from, int to) {
  for (const CopyMover mover : cuda::copies().movers)
    for (const bool both_ways : {false, true})
      for (const bool reads : {false, true})
        for (const std::size_t bytes :
             {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{65'537}, std::size_t{9} << 20}) {
          if (both_ways && from == to) continue;
          Ends ends = ends_of(from, to, bytes, both_ways);
          ends.order.mover = mover;
          ends.order.reads = reads;
          INFO(from << " to " << to << ", kernel " << (mover == CopyMover::kernel) << ", both directions " << both_ways
                    << ", reads " << reads << ", " << bytes << " bytes");
          MadeCopy made;
          try {
            made = cuda::copies().make(ends.order);
          } catch (const Error& error) {
            CHECK_THAT(error.what(), test::ContainsSubstring("cannot reach each other's memory"));
            continue;
          }
          made.job->restore();
          const auto before = made.job->check();
          REQUIRE(before);
          CHECK(before->wrong == bytes);
          CHECK(before->byte == 0);
          CHECK(before->got != before->expected);
          for (int turn = 0; turn < 3; ++turn) {
            made.job->start();
            for (std::uint64_t asked = 0; !made.job->test(); ++asked) REQUIRE(asked < 1'000'000'000);
            REQUIRE(made.job->device_time());
            CHECK(made.job->device_time()->count() >= 0);
          }
          CHECK_FALSE(made.job->check());
        }
}

}  // namespace

// Device `reader` in memory of `owner`; -1 is the host.
void follow(int owner, int reader) {
  for (const std::size_t bytes : {std::size_t{1024}, std::size_t{8192}, std::size_t{8} << 20}) {
    const int node = host::numa_nodes().front().number;
    const Memory memory = host::allocate_on(node, bytes);
    const ChaseOrder order{.memory = owner < 0 ? CopyEnd{.device = -1, .node = node, .host = {memory.region().address, bytes}}
                                               : CopyEnd{.device = owner, .node = -1, .host = {}},
                           .reader = {.device = reader, .node = -1, .host = {}},
                           .bytes = bytes,
                           .steps = 1001};
    INFO("cuda:" << reader << " in memory of " << owner << ", " << bytes << " bytes");
    std::unique_ptr<ChaseJob> job;
    try {
      job = cuda::copies().chase(order);
    } catch (const Error& error) {
      CHECK_THAT(error.what(), test::ContainsSubstring("cannot reach the memory"));
      continue;
    }
    CHECK_FALSE(job->check());  // it stands where it begins
    for (int turn = 0; turn < 3; ++turn) {
      for (int start = 0; start <= turn; ++start) {
        job->start();
        for (std::uint64_t asked = 0; !job->test(); ++asked) REQUIRE(asked < 1'000'000'000);
        REQUIRE(job->device_time());
        CHECK(job->device_time()->count() > 0);
      }
      CHECK_FALSE(job->check());
    }
    if (owner >= 0) continue;
    // All lead to themselves: the walk stands still, and that is no right end.
    for (std::uint64_t at = 0; at < bytes; at += chain::stretch) std::memcpy(memory.region().address + at, &at, sizeof at);
    job->start();
    for (std::uint64_t asked = 0; !job->test(); ++asked) REQUIRE(asked < 1'000'000'000);
    const auto mistake = job->check();
    REQUIRE(mistake);
    CHECK(mistake->got == chain::after(0, 6 * 1001, bytes));
    CHECK(mistake->expected == chain::after(0, 7 * 1001, bytes));
  }
}

TEST_CASE("GPU: pointers in memory of the host and in its own", "[sanitizer]") {
  need_gpus(1);
  follow(-1, 0);
  follow(0, 0);
}

TEST_CASE("GPU: pointers in another GPU's memory", "[two]") {
  need_gpus(2);
  follow(0, 1);
  follow(1, 0);
}

TEST_CASE("GPU: copies from and to the host", "[sanitizer][long]") {
  need_gpus(1);
  check(-1, 0);
  check(0, -1);
}

TEST_CASE("GPU: copies within a GPU", "[sanitizer]") {
  need_gpus(1);
  check(0, 0);
}

TEST_CASE("GPU: copies between two GPUs", "[two][long]") {
  need_gpus(2);
  check(0, 1);
  check(1, 0);
}

TEST_CASE("GPU: a copy that does not fit is refused with the size") {
  need_gpus(1);
  const CopyOrder order{
      .from = {.device = 0, .node = -1, .host = {}}, .to = {.device = 0, .node = -1, .host = {}}, .bytes = std::size_t{1} << 50};
  CHECK_THROWS_WITH((void)cuda::copies().make(order), test::ContainsSubstring("cudaMalloc of 1024 TiB on cuda:0"));
}

}  // namespace railgauge
