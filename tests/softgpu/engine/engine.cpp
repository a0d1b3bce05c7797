// Draws whose turn it is.
#include "tests/softgpu/engine/engine.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace softgpu {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

constexpr microseconds poll{20};                 // between two looks at what another process, or the host, is to change
constexpr unsigned most_yields = 2;              // to callers that ask without end
constexpr std::uint64_t turns_of_weights = 512;  // until streams get other weights

cudaError_t code_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::bounds:
    case Finding::Kind::freed:
    case Finding::Kind::unknown_address:
    case Finding::Kind::read_only:
      return cudaErrorIllegalAddress;
    case Finding::Kind::misaligned:
      return cudaErrorMisalignedAddress;
    case Finding::Kind::deadlock:
      return cudaErrorLaunchTimeout;
    case Finding::Kind::race:
    case Finding::Kind::uninitialised:
      break;
  }
  return cudaErrorLaunchFailure;
}

}  // namespace

Engine::Engine(const Config& config, Shared& shared, Machine& machine, std::vector<std::unique_ptr<Gpu>>& gpus)
    : config_(config), shared_(shared), machine_(machine), gpus_(gpus), draw_(config.seed * 1009) {
  thread_ = std::thread([this] { run(); });
}

Engine::~Engine() {
  {
    const Lock lock = lock_of(shared_);
    ending_ = true;
    shared_.changed.notify_all();
  }
  thread_.join();
}

void Engine::run() {
  Lock lock(shared_.mutex);
  while (!ending_) {
    bool left = false;
    for (const auto& gpu : gpus_) left = gpu->begin_what_can(running_, draw_) || left;
    if (running_.empty())
      rest(lock, left);
    else
      take_turn(choose());
    make_way(lock);
  }
}

// For those who want the lock, and for those who wait for something that is over now.
void Engine::make_way(Lock& lock) {
  lock.unlock();
  if (std::exchange(ended_something_, false)) sched_yield();
  for (unsigned times = 0; times < most_yields && shared_.callers.load() != 0; ++times) sched_yield();
  if (waiting_ != 0 && waiting_ % (4 * running_.size() + 4) == 0) std::this_thread::sleep_for(poll);
  lock.lock();
}

// By the weights of the streams, which change now and then: at times one hardly moves beside the others.
std::size_t Engine::choose() {
  if (turns_++ % turns_of_weights == 0)
    for (const auto& gpu : gpus_) gpu->weigh(draw_);
  std::uint64_t all = 0;
  for (const SharedOp& op : running_) all += op->stream->weight;
  std::uint64_t drawn = draw_.below(all);
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (drawn < running_[i]->stream->weight) return i;
    drawn -= running_[i]->stream->weight;
  }
  return 0;
}

void Engine::take_turn(std::size_t chosen) {
  const SharedOp op = running_[chosen];
  Gpu& gpu = op->stream->gpu();
  Turn turn = Turn::over;
  try {
    turn = op->work->advance(op->stream->actor, draw_);
  } catch (Failure& failure) {
    if (machine_.findings.all().size() == told_)
      std::fprintf(stderr, "softgpu: %s (seed %llu)\n", failure.sentence.c_str(), static_cast<unsigned long long>(config_.seed));
    gpu.fail(std::move(failure));
  }
  look_for_deadlock(turn);
  tell_findings(gpu);
  if (gpu.failure()) {
    std::erase_if(running_, [&](const SharedOp& one) { return &one->stream->gpu() == &gpu; });
    shared_.changed.notify_all();
    return;
  }
  if (turn != Turn::over) return;
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(chosen));
  gpu.end(op);
  ended_something_ = true;
  shared_.changed.notify_all();
}

void Engine::tell_findings(Gpu& gpu) {
  const std::vector<Finding>& all = machine_.findings.all();
  if (all.size() == told_) return;
  const cudaError_t code = code_of(all[told_].kind);
  for (; told_ < all.size(); ++told_)
    std::fprintf(stderr, "softgpu: %s (seed %llu)\n", sentence(all[told_]).c_str(),
                 static_cast<unsigned long long>(config_.seed));
  if (config_.strict) gpu.fail({code, sentence(all[told_ - 1])});
}

// When all that runs is a kernel that waits, or waits for one, for a long time.
void Engine::look_for_deadlock(Turn turn) {
  if (turn != Turn::waiting) {
    waiting_ = 0;
    waiting_since_ = {};
    return;
  }
  ++waiting_;
  const Op::Time now = steady_clock::now();
  if (waiting_since_ == Op::Time{}) waiting_since_ = now;
  if (now - waiting_since_ < std::chrono::seconds(config_.patience)) return;
  for (const SharedOp& op : running_)
    if (op->work) op->work->give_up();
}

// Nothing runs: until something is put in, or time or memory may have moved on.
void Engine::rest(Lock& lock, bool any_left) {
  waiting_since_ = {};
  if (any_left)
    shared_.changed.wait_for(lock, poll);
  else
    shared_.changed.wait(lock);
}

}  // namespace softgpu
