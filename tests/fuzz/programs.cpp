// The reader and the proof of foreign algorithms under libFuzzer: whatever the bytes, a judgement or one sentence.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "bench/schedule/proof/report.hpp"
#include "bench/schedule/read/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railgauge;
  try {
    JudgedFile file;
    file.path = "input";
    file.program = read_algorithm_text(std::string(reinterpret_cast<const char*>(data), size), file.path);
    file.proof = prove(file.program);
    if (to_text(file).empty() || to_json({&file, 1}).empty()) std::abort();
    const CountedFile counted{file.path, file.program, count(file.program)};
    if (to_text(counted).empty() || to_json({&counted, 1}).empty()) std::abort();
  } catch (const Error& error) {
    const std::string said = error.what();
    if (error.fault() == Fault::usage && !said.empty() && said.find('\n') == std::string::npos) return 0;
    std::fprintf(stderr, "no sentence: %s\n", said.c_str());
    std::abort();
  }
  return 0;
}
