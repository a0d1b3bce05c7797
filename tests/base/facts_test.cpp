// What --version tells of a build, and which file a process takes for its program.
#include "base/build_facts.hpp"
#include "base/program.hpp"
#include "base/version.hpp"
#include "tests/test.hpp"

namespace railgauge {

using test::ContainsSubstring;

TEST_CASE("the version's text has the commit, the compiler and each library") {
  const BuildFacts facts{"v0.1.0-5-gabc", "GNU 12.2.0", "RelWithDebInfo", {{"fmt", "9.1.0", ""}, {"NCCL", "-", "nccl"}}};
  const std::string text = version_text(facts, {});
  CHECK(text.rfind("railgauge " + std::string(version()) + "\n", 0) == 0);
  for (const char* words :
       {"commit      v0.1.0-5-gabc", "compiler    GNU 12.2.0", "build type  RelWithDebInfo", "fmt   9.1.0", "NCCL  not built"})
    CHECK_THAT(text, ContainsSubstring(words));
  CHECK(text.back() != '\n');
}

TEST_CASE("sources without git have an unknown commit") {
  CHECK_THAT(version_text({"unknown", "GNU 12.2.0", "", {}}, {}),
             ContainsSubstring("unknown commit") && ContainsSubstring("build type  none"));
}

TEST_CASE("a plugin that cannot be loaded is said, and is no error") {
  CHECK_THAT(version_text({"x", "y", "z", {{"UCX", "1.13.1", "ucx"}}}, {"/missing"}),
             ContainsSubstring("UCX  1.13.1  (unavailable: railgauge_ucx.so not found in /missing"));
}

TEST_CASE("the starter of a bundle says which program this is") {
  const auto with = [](const char* value) {
    return program_file([value](std::string_view name) {
      return name == program_variable && value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    });
  };
  CHECK(with("/opt/railgauge/bin/railgauge") == "/opt/railgauge/bin/railgauge");
  CHECK(with(nullptr) == std::filesystem::read_symlink("/proc/self/exe"));
  CHECK(with("") == std::filesystem::read_symlink("/proc/self/exe"));
}

}  // namespace railgauge
