// Draws whose turn it is.
#include "tests/softgpu/engine/engine.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
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

void tell(const std::string& sentence, std::uint64_t seed) {
  std::fprintf(stderr, "softgpu: %s (seed %llu)\n", sentence.c_str(), static_cast<unsigned long long>(seed));
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
  std::optional<Failure> failure;
  try {
    turn = op->work->advance(op->stream->actor, draw_);
  } catch (Failure& its) { failure = std::move(its); }
  if (failure) fail(gpu, *failure);
  if (!tell_findings(gpu) && failure) tell(failure->sentence, config_.seed);
  look_for_deadlock(turn);
  if (gpu.failure() || turn != Turn::over) return;
  std::erase(running_, op);
  gpu.end(op);
  ended_something_ = true;
  shared_.changed.notify_all();
}

// The same at the same places is told once, and fails whichever GPU does it again.
bool Engine::tell_findings(Gpu& gpu) {
  const std::vector<Finding>& all = machine_.findings.all();
  const Finding* first = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == told_.size()) {
      tell(sentence(all[i]), config_.seed);
      told_.push_back(0);
    }
    if (std::exchange(told_[i], all[i].times) != all[i].times && first == nullptr) first = &all[i];
  }
  if (first != nullptr && config_.strict) fail(gpu, {code_of(first->kind), sentence(*first)});
  return first != nullptr;
}

void Engine::fail(Gpu& gpu, Failure failure) {
  gpu.fail(std::move(failure));
  std::erase_if(running_, [&](const SharedOp& one) { return &one->stream->gpu() == &gpu; });
  shared_.changed.notify_all();
}

// When all that runs is a kernel that waits, or waits for one, for a long time. All GPUs whose kernels are among them fail.
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
  std::vector<Gpu*> stuck;
  for (const SharedOp& op : running_)
    if (op->work && op->work->give_up()) stuck.push_back(&op->stream->gpu());
  if (stuck.empty()) return;
  (void)tell_findings(*stuck.front());
  if (!config_.strict) return;
  for (Gpu* const gpu : stuck) fail(*gpu, *stuck.front()->failure());
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
