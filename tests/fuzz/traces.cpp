// The readers of traces under libFuzzer: whatever the bytes, a workload whose ranks agree and that can be made smaller and
// written, or one sentence. With RAILGAUGE_FUZZ_SOURCE=trace-steps those of what `workload -o` writes: steps and timelines.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "bench/workload/agree.hpp"
#include "bench/workload/read/read.hpp"
#include "bench/workload/report/read_steps.hpp"
#include "bench/workload/subset.hpp"
#include "bench/workload/write/chakra.hpp"

namespace {

using namespace railgauge;

// One sentence on the user's account, or it is a fault of the program's.
template <class Step>
void try_to(const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    const std::string said = error.what();
    if (error.fault() == Fault::usage && !said.empty() && said.find('\n') == std::string::npos) return;
    std::fprintf(stderr, "no sentence: %s\n", said.c_str());
    std::abort();
  }
}

// Two ranks that compute and then reduce, as the timeline of the corpus has them.
Workload small_step() {
  Workload workload;
  workload.ranks = 2;
  workload.groups.push_back({"all", "", {0, 1}});
  WorkNode compute, call, marker;
  compute.work = WorkKind::compute;
  compute.name = "compute";
  call.work = WorkKind::collective;
  call.name = "call";
  call.after = {0};
  marker.work = WorkKind::marker;
  marker.name = "end";
  marker.after = {1};
  workload.nodes.assign(2, {compute, call, marker});
  return workload;
}

void read_steps(std::string_view text) {
  static const Workload workload = small_step();
  try_to([&] { (void)read_step_records(text, "input.jsonl"); });
  try_to([&] { (void)read_timeline(workload, text, "input.json"); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const source = std::getenv("RAILGAUGE_FUZZ_SOURCE");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (source != nullptr && std::string_view(source) == "trace-steps") {
    read_steps(text);
    return 0;
  }
  try_to([&] {
    const Workload workload = read_workload_bytes(text, "input");
    expect_agreement(workload);
    if (workload.ranks > 64) return;
    try_to([&] { expect_agreement(subset(workload, (workload.ranks + 1) / 2)); });
    try_to([&] { expect_agreement(filled(workload)); });
    try_to([&] { (void)write_chakra(workload, [](const std::string&, std::string_view) {}); });
  });
  return 0;
}
