// The drawn programs on a real GPU: the driver compiles their PTX, and what they leave in memory is compared with the plain
// evaluation, as translate_test.cpp compares the translator. For ci/gpu.
#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/softgpu/drawn_program.hpp"

namespace softgpu::test {
namespace {

constexpr const char* usage =
    "usage: drawn_on_gpu [PROGRAMS [SEED [SECONDS]]]\nSo many programs drawn at random (3000), as many of one instruction each, "
    "none begun after so many seconds (60).\nEach that differs from the plain evaluation is printed, 20 at most of a core. "
    "Exit code 0: none; 1: some; 4: there is no GPU.\n";
constexpr std::size_t batch = 100, inputs_of_each = 24, most_printed = 20;

struct Options {
  std::uint64_t programs = 3000, seed = 1, seconds = 60;
};
using Clock = std::chrono::steady_clock;
std::uint64_t batches_of(const Options& options) { return (options.programs + batch - 1) / batch; }

// The driver's functions, looked up, so that the program starts where there is no driver.
class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  [[nodiscard]] bool there() const { return library_ != nullptr; }
  template <class Function, class... Arguments>
  CUresult ask(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(fmt::format("the driver has no {}", name));
    return function(arguments...);
  }
  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    if (const CUresult code = ask<Function>(name, arguments...); code != CUDA_SUCCESS)
      throw std::runtime_error(fmt::format("{}: error {}", name, static_cast<int>(code)));
  }

 private:
  void* library_;
};
#define SOFTGPU_CALL(driver, function, name, ...) (driver).call<decltype(&function)>(name, __VA_ARGS__)

// Programs in one module, each run with each of its inputs by one thread. What differs, as text for each program.
class Runner {
 public:
  Runner() {
    SOFTGPU_CALL(driver_, cuInit, "cuInit", 0U);
    CUdevice device = 0;
    SOFTGPU_CALL(driver_, cuDeviceGet, "cuDeviceGet", &device, 0);
    CUcontext context = nullptr;
    SOFTGPU_CALL(driver_, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", &context, device);
    SOFTGPU_CALL(driver_, cuCtxSetCurrent, "cuCtxSetCurrent", context);
    SOFTGPU_CALL(driver_, cuMemAlloc, "cuMemAlloc_v2", &memory_, batch * inputs_of_each * sizeof(Words));
  }

  std::vector<std::string> differences(std::mt19937_64& random, const std::vector<DrawnProgram>& programs) {
    std::string ptx = ".version 7.8\n.target sm_90\n.address_size 64\n\n";
    for (const DrawnProgram& program : programs) ptx += program.ptx();
    CUmodule module = nullptr;
    SOFTGPU_CALL(driver_, cuModuleLoadData, "cuModuleLoadData", &module, static_cast<const void*>(ptx.c_str()));
    std::vector<Registers> inputs;
    std::vector<Words> words;
    for (std::size_t i = 0; i < programs.size() * inputs_of_each; ++i) {
      inputs.push_back(DrawnProgram::inputs(random));
      words.push_back(words_of(inputs.back()));
    }
    const std::size_t bytes = words.size() * sizeof(Words);
    SOFTGPU_CALL(driver_, cuMemcpyHtoD, "cuMemcpyHtoD_v2", memory_, static_cast<const void*>(words.data()), bytes);
    for (std::size_t i = 0; i < words.size(); ++i) {
      CUfunction function = nullptr;
      const std::string name = fmt::format("drawn_{}", i / inputs_of_each);
      SOFTGPU_CALL(driver_, cuModuleGetFunction, "cuModuleGetFunction", &function, module, name.c_str());
      CUdeviceptr address = memory_ + i * sizeof(Words);
      void* arguments[] = {&address};
      SOFTGPU_CALL(driver_, cuLaunchKernel, "cuLaunchKernel", function, 1U, 1U, 1U, 1U, 1U, 1U, 0U, CUstream{nullptr},
                   static_cast<void**>(arguments), static_cast<void**>(nullptr));
    }
    std::vector<Words> after(words.size());
    SOFTGPU_CALL(driver_, cuMemcpyDtoH, "cuMemcpyDtoH_v2", static_cast<void*>(after.data()), memory_, bytes);
    SOFTGPU_CALL(driver_, cuModuleUnload, "cuModuleUnload", module);
    std::vector<std::string> texts(programs.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string& text = texts[i / inputs_of_each];
      if (!text.empty()) continue;
      const DrawnProgram& program = programs[i / inputs_of_each];
      bool open = false;
      const std::string what = difference(after[i], program.run(inputs[i], &open), words[i]);
      if (open) ++open_;
      if (open || what.empty()) continue;
      text = program.code() + what + "from";
      for (const std::uint64_t word : words[i]) text += fmt::format(" {:#x}", word);
      text += "\n";
    }
    return texts;
  }

  // Runs whose result the ISA leaves open, and which were not compared.
  [[nodiscard]] std::uint64_t open() const { return open_; }

 private:
  Driver driver_;
  CUdeviceptr memory_ = 0;
  std::uint64_t open_ = 0;
};

// What a process has done, for the one that began it.
struct Progress {
  std::uint64_t next = 0;  // batch; the one before is being run
  std::uint64_t programs = 0, differ = 0, open = 0;
};

// Every `step`th batch from progress.next on: first programs of one instruction, then longer ones.
void run_batches(const Options& options, std::uint64_t step, Clock::time_point until, Progress& progress) {
  const std::uint64_t batches = batches_of(options);
  Runner runner;
  while (progress.next < 2 * batches && Clock::now() < until) {
    const std::uint64_t i = progress.next;
    progress.next += step;
    std::mt19937_64 random(options.seed * 1'000'003 + i);
    std::vector<DrawnProgram> programs;
    for (std::size_t k = 0; k < batch; ++k)
      programs.emplace_back(random, fmt::format("drawn_{}", k), i < batches ? 1 : 12 + random() % 24);
    const std::uint64_t open_before = runner.open();
    std::string differences;
    for (const std::string& text : runner.differences(random, programs)) {
      ++progress.programs;
      if (text.empty()) continue;
      if (++progress.differ <= most_printed) differences += "differs:\n" + text;
    }
    progress.open += runner.open() - open_before;
    std::fwrite(differences.data(), 1, differences.size(), stdout);  // at once: other processes print too
    std::fflush(stdout);
  }
}

pid_t begin(const Options& options, std::uint64_t step, Clock::time_point until, Progress& progress) {
  const pid_t child = fork();
  if (child != 0) return child;
  int code = 0;
  try {
    run_batches(options, step, until, progress);
  } catch (const std::exception& error) {
    fmt::print("drawn_on_gpu: {}\n", error.what());
    code = 1;
  }
  std::fflush(stdout);
  _exit(code);
}

// A process for each core: the driver compiles under one lock in each. Its compiler is ptxas, which some programs crash (13.0: a
// conversion to two float8 that becomes one half of a word); a new process then goes on behind the batch.
int run(const Options& options) {
  if (!Driver().there()) {
    fmt::print("skipped: libcuda.so.1 cannot be loaded\n");
    return 4;
  }
  const std::uint64_t workers = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
  const auto until = Clock::now() + std::chrono::seconds(options.seconds);
  void* const shared = mmap(nullptr, workers * sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("mmap failed");
  const std::span<Progress> all(static_cast<Progress*>(shared), workers);
  std::vector<pid_t> children;
  for (std::uint64_t worker = 0; worker < workers; ++worker) {
    all[worker].next = worker;
    children.push_back(begin(options, workers, until, all[worker]));
  }
  bool failed = false;
  std::uint64_t crashed = 0;
  int status = 0;
  for (pid_t ended = 0; (ended = wait(&status)) > 0;) {
    const auto worker = static_cast<std::size_t>(std::find(children.begin(), children.end(), ended) - children.begin());
    if (WIFSIGNALED(status)) {
      ++crashed;
      children[worker] = begin(options, workers, until, all[worker]);
    } else {
      failed = failed || WEXITSTATUS(status) != 0;
    }
  }
  Progress sum;
  for (const Progress& each : all) {
    sum.programs += each.programs;
    sum.differ += each.differ;
    sum.open += each.open;
  }
  if (crashed > 0) fmt::print("{} batches of {} programs crashed the driver's compiler and were left out\n", crashed, batch);
  fmt::print(
      "{} of {} programs with {} inputs each differ from the plain evaluation, seed {}; of {} runs the ISA leaves the bits of a "
      "NaN open\n",
      sum.differ, sum.programs, inputs_of_each, options.seed, sum.open);
  constexpr std::uint64_t few = 20;  // of all batches one may crash
  return failed || sum.differ > 0 || crashed * batch * few > sum.programs ? 1 : 0;
}

}  // namespace
}  // namespace softgpu::test

int main(int count, char** words) {
  softgpu::test::Options options;
  std::uint64_t* const values[] = {&options.programs, &options.seed, &options.seconds};
  for (int i = 1; i < count; ++i) {
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(words[i], &end, 10);
    if (i > 3 || *end != '\0' || value == 0) {
      std::fputs(softgpu::test::usage, stderr);
      return 2;
    }
    *values[i - 1] = value;
  }
  try {
    return softgpu::test::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "drawn_on_gpu: %s\n", error.what());
    return 1;
  }
}
