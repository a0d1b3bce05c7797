// Which transports there are, and why one is not.
#include "transports/registry/registry.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

// A folder of plugins of its own that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "railgauge-registry-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

const KnownTransport& row(const std::vector<KnownTransport>& known, const std::string& name) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownTransport& each) { return each.name == name; });
  REQUIRE(found != known.end());
  return *found;
}

std::string refusal(const std::vector<KnownTransport>& known, const std::string& name) {
  try {
    (void)find_transport(known, name);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  FAIL("found");
  return {};
}

}  // namespace

TEST_CASE("shm and memory are built in") {
  const std::vector<KnownTransport> known = known_transports({});
  for (const char* const name : {"shm", "memory"}) {
    const KnownTransport& found = find_transport(known, name);
    CHECK(found.reason.empty());
    REQUIRE(found.table != nullptr);
    CHECK(found.table->abi == plugin_abi);
    CHECK(found.table->open({})->name() == name);
  }
}

TEST_CASE("a plugin that is absent has its reason and its summary") {
  const Folder folder;
  const std::vector<KnownTransport> known = known_transports({folder.path});
  const KnownTransport ucx = row(known, "ucx");
  CHECK(ucx.table == nullptr);
  CHECK(!ucx.summary.empty());
  CHECK_THAT(ucx.reason, ContainsSubstring("railgauge_ucx.so not found in " + folder.path.string()));
  CHECK_THAT(refusal(known, "ucx"), ContainsSubstring("the transport ucx is unavailable: railgauge_ucx.so not found"));
  CHECK_THAT(refusal(known, "smoke_signals"), ContainsSubstring("no transport 'smoke_signals'; there are shm, memory, ucx"));
}

TEST_CASE("why a transport is unavailable, and a part of one, and an unknown name is refused") {
  const Folder folder;
  const std::vector<KnownTransport> known = known_transports({folder.path});
  CHECK(why_unavailable(known, "shm").empty());
  CHECK_THAT(why_unavailable(known, "ucx"), ContainsSubstring("the transport ucx is unavailable: railgauge_ucx.so not found"));
  CHECK_THAT(why_unavailable(known, "shm+verbs"), ContainsSubstring("the transport verbs is unavailable: "));
  CHECK_THROWS_AS(why_unavailable(known, "shm+pigeons"), Error);
  CHECK_THROWS_AS(why_unavailable(known, "ucx+pigeons"), Error);
}

TEST_CASE("the operations of a transport are known where it is unavailable, and are those that it has") {
  const Folder folder;
  const KnownTransport absent = row(known_transports({folder.path}), "verbs");
  CHECK(std::any_of(absent.operations.begin(), absent.operations.end(), [](const auto& each) { return each.name == "write"; }));
}

TEST_CASE("plugins with another table are refused") {
  const struct {
    const char* file;
    const char* reason;
  } plugins[] = {{RAILGAUGE_TEST_PLUGIN_OTHER_ABI, "was built for another version of railgauge (table 999, expected "},
                 {RAILGAUGE_TEST_PLUGIN_NO_TABLE, "was built for another version of railgauge (table 0, expected "},
                 {RAILGAUGE_TEST_PLUGIN_OTHER_NAME, "is not the transport ucx"}};
  for (const auto& plugin : plugins) {
    CAPTURE(plugin.file);
    const Folder folder;
    fs::copy_file(plugin.file, folder.path / "railgauge_ucx.so");
    const std::vector<KnownTransport> known = known_transports({folder.path});
    CHECK(row(known, "ucx").table == nullptr);
    CHECK_THAT(row(known, "ucx").reason, ContainsSubstring(plugin.reason));
  }
}

TEST_CASE("a truncated plugin leaves the other transports in order") {
  const Folder folder;
  fs::copy_file(RAILGAUGE_TEST_PLUGIN_OTHER_NAME, folder.path / "railgauge_ucx.so");
  fs::resize_file(folder.path / "railgauge_ucx.so", fs::file_size(folder.path / "railgauge_ucx.so") / 2);
  const std::vector<KnownTransport> known = known_transports({folder.path});
  CHECK_THAT(row(known, "ucx").reason, ContainsSubstring("truncated"));
  CHECK(find_transport(known, "memory").table != nullptr);
}
