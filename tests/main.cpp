// The main function of every test program. Its exit code is 0 or 1: Catch2's own is the number of failures, which would now and
// then be the code of a skipped test (tests/test.hpp). A run in which no test was found has failed.
#include <dlfcn.h>

#include <vector>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) {
  // libpciaccess keeps its list of devices for ever; unloaded with hwloc's plugin, the list would be reported as a leak.
  ::dlopen("libpciaccess.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  std::vector<const char*> words(argv, argv + argc);
  if (CATCH_VERSION_MAJOR == 2) words.insert(words.end(), {"--warn", "NoTests"});  // Catch2 3 always does
  return Catch::Session().run(static_cast<int>(words.size()), words.data()) == 0 ? 0 : 1;
}
