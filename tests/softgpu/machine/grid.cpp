#include "tests/softgpu/machine/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "tests/softgpu/machine/block.hpp"

namespace softgpu {

struct Grid::Running {
  Actor& actor;
  std::vector<std::uint64_t> parameters;
  Knowledge before;
  GridContext context;
  World::Resident resources;
  std::uint32_t blocks, next_block = 0, turns = 0;
  std::vector<std::unique_ptr<Block>> resident;
  bool ended = false, full = false;

  Running(Device& device, Actor& by, const Launch& launch, Random& random)
      : actor(by),
        parameters((launch.parameters.size() + 7) / 8 + 2),
        before(by.knowledge()),
        context{device,
                *launch.kernel,
                Checker(device.memory()),
                Stacks::of_process(),
                {copied(launch)},
                random,
                launch.grid,
                launch.block,
                launch.dynamic_shared,
                first_site_of(*launch.kernel),
                launch.checked,
                false,
                by.begin(),
                by.id(),
                before},
        resources(device.resources(*launch.kernel, threads_of(launch.block), launch.dynamic_shared)),
        blocks(threads_of(launch.grid)) {}

  [[nodiscard]] static std::uint32_t threads_of(const Extent& extent) { return extent[0] * extent[1] * extent[2]; }

  Allocation copied(const Launch& launch) {
    // At a multiple of 16, so that what is aligned in the layout is so.
    auto* const to = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(parameters.data()) + 15) / 16 * 16);
    std::memcpy(to, launch.parameters.data(), launch.parameters.size());
    Allocation allocation;
    allocation.base = reinterpret_cast<std::uintptr_t>(to);
    allocation.bytes = std::max<std::size_t>(launch.parameters.size(), 1);
    allocation.label = "the parameters";
    allocation.tracked = false;
    allocation.read_only = true;
    return allocation;
  }

  // Blocks that have come to be resident begin.
  void admit() {
    while (next_block < blocks) {
      const auto first = static_cast<std::uint32_t>(context.random() % context.device.limits().multiprocessors);
      const std::uint32_t multiprocessor = context.device.admit(resources, first);
      full = multiprocessor == context.device.limits().multiprocessors;
      if (full) return;
      resident.push_back(std::make_unique<Block>(context, next_block++, multiprocessor));
      context.moved();
    }
  }

  void leave(std::size_t index) {
    context.learned.join(resident[index]->known());
    context.learned.prune(context.device.world());
    context.device.leave(resident[index]->multiprocessor(), resources);
    resident[index] = std::move(resident.back());
    resident.pop_back();
    full = false;
  }

  void finish() {
    while (!resident.empty()) leave(resident.size() - 1);
    actor.end();
    actor.acquire(context.learned);
    ended = true;
  }

  // One thread, its warp, or all of the block that can run, from a place drawn by chance on.
  void run(Block& block) {
    constexpr std::uint32_t warp = 32;
    const std::uint32_t threads = threads_of(context.block);
    const std::uint64_t drawn = context.random();
    std::uint32_t first = block.ready_thread(drawn / 4 % block.ready()), count = 1;
    if (drawn % 4 == 1) {
      first = first / warp * warp;
      count = std::min(warp, threads - first);
    } else if (drawn % 4 > 1) {
      count = threads;
    }
    for (std::uint32_t i = 0; i < count && !context.faulted; ++i) block.run((first + i) % threads);
  }
};

Grid::Grid(Device& device, Actor& actor, const Launch& launch, Random& random) {
  const std::uint32_t threads = Running::threads_of(launch.block);
  const Kernel* const kernel = launch.kernel;
  if (kernel == nullptr) throw std::invalid_argument("no kernel of that name");
  if (launch.parameters.size() != kernel->parameter_bytes)
    throw std::invalid_argument(
        fmt::format("{} bytes of parameters, and {} takes {}", launch.parameters.size(), kernel->name, kernel->parameter_bytes));
  if (threads == 0 || threads > 1024 || Running::threads_of(launch.grid) == 0 ||
      (kernel->most_threads != 0 && threads > kernel->most_threads) ||
      device.blocks_of_multiprocessor(*kernel, threads, launch.dynamic_shared) == 0)
    throw std::invalid_argument(fmt::format("no GPU takes a grid of {} blocks of {} threads of {}",
                                            Running::threads_of(launch.grid), threads, kernel->name));
  running_ = std::make_unique<Running>(device, actor, launch, random);
}

Grid::~Grid() {
  if (!running_->ended) running_->finish();
}

State Grid::advance() {
  Running& running = *running_;
  if (running.ended) return State::ended;
  constexpr std::uint32_t between_tries = 64;
  if (!running.full || ++running.turns % between_tries == 0) running.admit();
  std::size_t candidates = 0;
  for (const auto& block : running.resident) candidates += block->ready() != 0;
  if (candidates == 0) {
    ++running.context.idle_turns;  // all wait at barriers, or none is resident
  } else {
    std::size_t chosen = running.context.random() % running.resident.size();
    while (running.resident[chosen]->ready() == 0) chosen = (chosen + 1) % running.resident.size();
    running.run(*running.resident[chosen]);
    if (running.context.faulted)
      running.finish();
    else if (running.resident[chosen]->ended())
      running.leave(chosen);
  }
  if (running.resident.empty() && running.next_block == running.blocks && !running.ended) running.finish();
  return state();
}

State Grid::state() const { return running_->ended ? State::ended : State::running; }
const GridCounts& Grid::counts() const { return running_->context.counts; }
bool Grid::faulted() const { return running_->context.faulted; }

bool Grid::stuck() const {
  if (running_->ended) return false;
  std::uint64_t ready = 0;
  for (const auto& block : running_->resident) ready += block->ready();
  constexpr std::uint64_t turns_of_each = 32, at_least = 1000;
  return running_->context.idle_turns > at_least + turns_of_each * ready;
}

std::string Grid::waiting() const {
  constexpr std::size_t most = 8;
  const Running& running = *running_;
  std::string text = fmt::format("{}, {} of {} blocks have ended, {} are resident, {} never were", running.context.kernel.name,
                                 running.next_block - running.resident.size(), running.blocks, running.resident.size(),
                                 running.blocks - running.next_block);
  for (std::size_t i = 0; i < std::min(most, running.resident.size()); ++i) text += "; " + running.resident[i]->waiting();
  if (running.resident.size() > most) text += "; and others";
  return text;
}

void Grid::give_up() {
  if (running_->ended) return;
  Finding finding;
  finding.kind = Finding::Kind::deadlock;
  finding.access.kernel = running_->context.kernel.name;
  finding.waiting = waiting();
  running_->context.device.memory().findings().add(std::move(finding));
  running_->finish();
}

}  // namespace softgpu
