// The main function of every test program. Its exit code is 0 or 1: Catch2's own is the number of failures, which would now and
// then be the code of a skipped test (tests/test.hpp).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) { return Catch::Session().run(argc, argv) == 0 ? 0 : 1; }
