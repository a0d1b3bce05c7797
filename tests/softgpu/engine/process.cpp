// The state of a process, and waits in it.
#include "tests/softgpu/engine/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "tests/softgpu/engine/world_segment.hpp"

namespace softgpu {
namespace {

// Mapped before there are children, so that they have it in common.
std::byte* const segment_of_run = world_segment();

std::atomic<Process*> begun{nullptr};
std::atomic<pid_t> begun_in{0};
std::mutex beginning;

// CUDA_VISIBLE_DEVICES: numbers; the first that is none ends the list.
std::vector<int> visible(unsigned gpus) {
  std::vector<int> all;
  const char* const chosen = std::getenv("CUDA_VISIBLE_DEVICES");
  if (chosen == nullptr) {
    for (unsigned gpu = 0; gpu < gpus; ++gpu) all.push_back(static_cast<int>(gpu));
    return all;
  }
  const char* at = chosen;
  while (*at != '\0') {
    char* end = nullptr;
    const long number = std::strtol(at, &end, 10);
    if (end == at || number < 0 || number >= static_cast<long>(gpus)) break;
    all.push_back(static_cast<int>(number));
    at = *end == ',' ? end + 1 : end;
    if (*end != ',') break;
  }
  return all;
}

// Each allocation of a GPU is an open file.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Process* Process::get() {
  const std::scoped_lock lock(beginning);
  if (begun == nullptr) {
    begun_in = getpid();
    begun = new Process;  // never ends: streams are used until the process is gone
  }
  return begun_in == getpid() ? begun.load() : nullptr;
}

Process::Process()
    : config(config_of_environment()),
      machine(segment_of_run),
      addresses(machine, config.seed + static_cast<unsigned>(getpid())),
      draw_(config.seed * 3001),
      host_(machine.world),
      hosts_(machine.world, *reinterpret_cast<Hosts::Directory*>(segment_of_run + World::bytes)) {
  allow_many_files();
  int number = 0;
  for (const int physical : visible(config.gpus)) gpus.push_back(std::make_unique<Gpu>(number++, physical, config, machine));
  engine_ = std::make_unique<Engine>(config, shared, machine, gpus);
  std::atexit([] {
    if (begun_in == getpid()) begun.load()->engine_.reset();
  });
}

Stream* Process::find_stream(Gpu& current, cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &current.legacy();
  const auto* const stream = reinterpret_cast<const Stream*>(handle);
  for (const auto& gpu : gpus)
    if (gpu->owns(stream)) return const_cast<Stream*>(stream);
  return nullptr;
}

Event* Process::find_event(cudaEvent_t handle) {
  const auto found = events.find(reinterpret_cast<Event*>(handle));
  return found == events.end() ? nullptr : found->second.get();
}

cudaError_t Process::put(Lock& lock, Stream& stream, Make make, Lateness lateness, std::vector<SharedOp> after) {
  if (stream.capture) {
    if (stream.capture->invalid) return cudaErrorStreamCaptureInvalidated;
    stream.capture->add(stream, std::move(make));
    return cudaSuccess;
  }
  Gpu& gpu = stream.gpu();
  shared.changed.wait(lock, [&] { return !gpu.is_full(stream) || gpu.failure(); });
  gpu.put(stream, make(), std::move(after), host().release(), lateness);
  shared.changed.notify_all();
  return gpu.failure() ? gpu.failure()->code : cudaSuccess;
}

cudaError_t Process::perform(Lock& lock, Stream& stream, Make make) {
  if (const cudaError_t code = put(lock, stream, std::move(make)); code != cudaSuccess) return code;
  return await(lock, stream.gpu(), stream.last);
}

cudaError_t Process::await(Lock& lock, Gpu& gpu, const SharedOp& op) {
  const SharedOp kept = op;
  if (kept) {
    shared.changed.wait(lock, [&] { return kept->done || gpu.failure(); });
    saw(*kept);
  }
  return gpu.failure() ? gpu.failure()->code : cudaSuccess;
}

void Process::saw(const Op& op) {
  seen_ = std::max(seen_, op.ended);
  host_.acquire(op.left);
  hosts_.tell(host_);
}

bool Process::sees(const SharedOp& op) {
  constexpr unsigned most = 4;
  if (!op) return true;
  if (!op->done) return false;
  if (config.late && op->ended > seen_ && op->overlooked < most && draw_.one_in(2)) {
    ++op->overlooked;
    return false;
  }
  saw(*op);
  return true;
}

cudaError_t Process::drain(Lock& lock, Gpu& gpu) {
  cudaError_t code = gpu.failure() ? gpu.failure()->code : cudaSuccess;
  for (const SharedOp& op : gpu.in_flight()) code = await(lock, gpu, op);
  return code;
}

cudaError_t Process::load(Lock& lock, Gpu& gpu, const Kernel& kernel) {
  if (!loaded.emplace(&kernel, gpu.number()).second) return cudaSuccess;
  return config.late ? drain(lock, gpu) : cudaSuccess;
}

bool Process::is_forbidden_by_capture() {
  bool forbidden = false;
  for (const auto& capture : captures) {
    const bool mine = capture->thread == std::this_thread::get_id();
    if (capture->mode == cudaStreamCaptureModeGlobal || (mine && capture->mode == cudaStreamCaptureModeThreadLocal))
      forbidden = capture->invalid = true;
  }
  return forbidden;
}

Actor& Process::host() {
  hosts_.hear(host_);
  return host_;
}

Current& current() noexcept {
  thread_local Current its;
  return its;
}

}  // namespace softgpu
