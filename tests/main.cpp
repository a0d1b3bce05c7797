// The main function of every test program. Its exit code is 0 or 1: Catch2's own is the number of failures, which would now and
// then be the code of a skipped test (tests/test.hpp). A run in which no test was found has failed.
//   test_NAME --each K/N [WORDS OF CATCH2...]: of the cases that Catch2 chooses by these words every Nth, from the Kth, each in a
// process of its own that is forked: what a sanitizer does at each start, a third of a second for a large program, is done once.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/each.hpp"

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

namespace {

int run(const std::vector<const char*>& words) { return Catch::Session().run(static_cast<int>(words.size()), words.data()); }

}  // namespace

int main(int argc, char** argv) {
  // libpciaccess keeps its list of devices for ever; unloaded with hwloc's plugin, the list would be reported as a leak.
  ::dlopen("libpciaccess.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  std::vector<const char*> words(argv, argv + argc);
  railgauge::test::Each each;
  if (argc > 1 && std::strcmp(argv[1], "--each") == 0) {
    unsigned part = 0, parts = 0;
    if (argc < 3 || std::sscanf(argv[2], "%u/%u", &part, &parts) != 2 || part < 1 || part > parts) {
      std::fprintf(stderr, "--each takes a part and how many there are, as in 1/2\n");
      return 1;
    }
    words.erase(words.begin() + 1, words.begin() + 3);
    std::vector<const char*> listing = words;
    if (CATCH_VERSION_MAJOR == 2)
      listing.push_back("--list-test-names-only");
    else
      listing.insert(listing.end(), {"--list-tests", "--verbosity", "quiet"});
    if (!each.run([&] { run(listing); }, part - 1, parts)) return each.code();
    words = {argv[0], each.spec()};
  }
  if (CATCH_VERSION_MAJOR == 2) words.insert(words.end(), {"--warn", "NoTests"});  // Catch2 3 always does
  return run(words) == 0 ? 0 : 1;
}
