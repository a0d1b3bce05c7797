// railgauge: dispatch by the program's name, map a fault to an exit code.
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/invocation.hpp"
#include "bench/commands/nccl_tests.hpp"
#include "bench/commands/program.hpp"

int main(int argc, char** argv) try {
  railgauge::Invocation invocation = railgauge::read_invocation(argc, argv);
  if (railgauge::is_nccl_tests(argv[0])) return railgauge::run_nccl_tests(argc, argv, invocation);
  return railgauge::run_program(argc, argv, invocation);
} catch (const railgauge::Error& error) {
  std::fprintf(stderr, "railgauge: %s\n", error.what());
  return static_cast<int>(error.fault());
} catch (const std::bad_alloc&) {
  std::fprintf(stderr, "railgauge: there is not enough memory\n");
  return static_cast<int>(railgauge::Fault::usage);
} catch (const std::exception& error) {
  const railgauge::Error sentence(railgauge::Fault::usage,
                                  std::string("this is a fault of railgauge, please report it: ") + error.what());
  std::fprintf(stderr, "railgauge: %s\n", sentence.what());
  return static_cast<int>(sentence.fault());
}
