// Repeats a reduction and a copy for a while.
#include "bench/validate/tasks/alone.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>

#include "base/statistics/median.hpp"

namespace railgauge::validate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t bytes = std::size_t{64} << 20;  // far beyond the caches of a core
constexpr std::size_t least_repeats = 5;

double median_rate(Compute& compute, std::size_t moved, Seconds seconds, const std::function<void()>& work) {
  work();  // pages, clocks and caches are warm then
  fence(compute);
  std::vector<double> rates;
  const auto begin = Clock::now();
  while (rates.size() < least_repeats || Seconds(Clock::now() - begin) < seconds) {
    const auto start = Clock::now();
    work();
    fence(compute);
    rates.push_back(static_cast<double>(moved) / Seconds(Clock::now() - start).count() * 1e-9);
  }
  return median(rates);
}

}  // namespace

OwnFigures measure_alone(const ChosenDevice& chosen, int rank_of_host, Seconds seconds) {
  const std::unique_ptr<Device> device = open_device(chosen, rank_of_host);
  const std::unique_ptr<Compute> compute = device->compute(Type::float32, Op::sum);
  std::vector<Memory> memory;
  for (int i = 0; i < 3; ++i) memory.push_back(device->allocate(bytes, Sharing::own));
  const auto at = [&](std::size_t i) { return Bytes(memory[i].region().address, bytes); };
  const HostComponent component = chosen.table == nullptr ? HostComponent::host : HostComponent::gpu;
  const std::array<ConstBytes, 2> sources{at(0), at(1)};
  const std::array<Bytes, 1> targets{at(2)};
  OwnFigures found;
  found.figures.push_back({"reduction, float32, 2 x 64 MiB",
                           component,
                           median_rate(*compute, 3 * bytes, seconds, [&] { compute->reduce(sources, targets, {}); }),
                           {}});
  found.figures.push_back({"copy within its memory, 64 MiB",
                           component,
                           median_rate(*compute, 2 * bytes, seconds, [&] { compute->copy(at(0), at(2)); }),
                           {}});
  return found;
}

}  // namespace railgauge::validate
