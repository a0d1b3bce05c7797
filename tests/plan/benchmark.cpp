// What the executor costs a round over a transport that does nothing, beside a bare indirect call. Reported, not asserted.
#include <benchmark/benchmark.h>

#include "bench/plan/plan.hpp"
#include "tests/plan/null_transport.hpp"

namespace railgauge {
namespace {

constexpr std::size_t rounds = 1000;

class NoCompute final : public Compute {
 public:
  void copy(ConstBytes, Bytes) override {}
  void reduce(std::span<const ConstBytes>, std::span<const Bytes>, const Scale&) override {}
  [[nodiscard]] void* stream() const override { return nullptr; }
  [[nodiscard]] std::uint64_t mark() override { return 0; }
  [[nodiscard]] bool reached(std::uint64_t) override { return true; }
};

void executor(benchmark::State& state) {
  NoCompute compute;
  std::vector<PlannedLane> lanes(1);
  lanes[0].exchange = std::make_unique<test::NullExchange>();
  if (state.range(0) != 0) {
    for (std::size_t r = 0; r < rounds; ++r) {
      lanes[0].works.push_back({true, {ConstBytes{}}, {Bytes{}}, {}, 1});
      lanes[0].ends.push_back(r + 1);
    }
  } else {
    lanes[0].ends.assign(rounds, 0);
  }
  Plan plan(std::move(lanes), compute, Order::host);
  Runnable* runnable = &plan;
  benchmark::DoNotOptimize(runnable);
  for (auto _ : state) {
    runnable->start();
    while (!runnable->test()) {}
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rounds));
}

void indirect_call(benchmark::State& state) {
  test::NullExchange null;
  Exchange* exchange = &null;
  benchmark::DoNotOptimize(exchange);
  for (auto _ : state)
    for (std::size_t r = 0; r < rounds; ++r) exchange->post(r);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rounds));
}

BENCHMARK(indirect_call);
BENCHMARK(executor)->Arg(0)->ArgName("locals")->Name("executor_transfers_only");
BENCHMARK(executor)->Arg(1)->ArgName("locals")->Name("executor_with_a_local");

}  // namespace
}  // namespace railgauge

BENCHMARK_MAIN();
