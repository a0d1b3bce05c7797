// The main function of every test program. Its exit code is 0 or 1: Catch2's own is the number of failures, which would now and
// then be the code of a skipped test (tests/test.hpp).
#include <dlfcn.h>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) {
  // libpciaccess keeps its list of devices for ever; unloaded with hwloc's plugin, the list would be reported as a leak.
  ::dlopen("libpciaccess.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return Catch::Session().run(argc, argv) == 0 ? 0 : 1;
}
