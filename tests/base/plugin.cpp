// A plugin that cannot be loaded is a reason, never a crash: absent, truncated, of another kind, without its library.
#include "base/plugin.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/wheels.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* symbol = "railgauge_test_answer";

// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "railgauge-plugin-XXXXXX") {
    std::string name = path_.string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }

 private:
  fs::path path_;
};

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  REQUIRE(!content.empty());
  return content;
}

}  // namespace

TEST_CASE("a good plugin is loaded from the first folder that has it") {
  const Folder empty, folder;
  fs::copy_file(RAILGAUGE_TEST_PLUGIN_GOOD, folder.path() / "railgauge_good.so");
  const Plugin plugin = load_plugin("good", symbol, {empty.path() / "absent", empty.path(), folder.path()});
  CAPTURE(plugin.reason);
  REQUIRE(plugin.symbol != nullptr);
  CHECK(plugin.reason.empty());
  CHECK(plugin.name == "good");
  CHECK(plugin.path == folder.path() / "railgauge_good.so");
  CHECK(reinterpret_cast<int (*)()>(plugin.symbol)() == 42);
}

TEST_CASE("a missing file says where it was looked for") {
  const Folder folder;
  const Plugin plugin = load_plugin("good", symbol, {folder.path(), "/absent"});
  CHECK(plugin.symbol == nullptr);
  CHECK(plugin.path.empty());
  CHECK(plugin.reason == "railgauge_good.so not found in " + folder.path().string() + ", /absent");
  CHECK_THAT(load_plugin("good", symbol, {}).reason, ContainsSubstring("not found in any folder"));
}

TEST_CASE("a missing library is named") {
  const Folder folder;
  fs::copy_file(RAILGAUGE_TEST_PLUGIN_NEEDY, folder.path() / "railgauge_needy.so");
  const Plugin plugin = load_plugin("needy", symbol, {folder.path()});
  CHECK(plugin.symbol == nullptr);
  CHECK_THAT(plugin.reason, ContainsSubstring("librailgauge_absent.so: cannot open shared object file"));
}

TEST_CASE("a missing symbol is named") {
  const Folder folder;
  fs::copy_file(RAILGAUGE_TEST_PLUGIN_GOOD, folder.path() / "railgauge_good.so");
  const Plugin plugin = load_plugin("good", "railgauge_no_such_symbol", {folder.path()});
  CHECK(plugin.symbol == nullptr);
  CHECK_THAT(plugin.reason, ContainsSubstring("railgauge_no_such_symbol"));
}

TEST_CASE("a plugin truncated at any length is refused before it is loaded") {
  const Folder folder;
  const std::string whole = content_of(RAILGAUGE_TEST_PLUGIN_GOOD);
  std::vector<std::size_t> lengths = {0, 1, 3, 4, 15, 16, 17, 63, 64, 65, whole.size() - 1, whole.size() - 2, whole.size() - 63};
  for (std::size_t length = 100; length < whole.size(); length += std::max<std::size_t>(whole.size() / 400, 1))
    lengths.push_back(length);
  for (const std::size_t length : lengths) {
    CAPTURE(length, whole.size());
    const std::string name = "cut" + std::to_string(length);
    folder.write("railgauge_" + name + ".so", whole.substr(0, length));
    const Plugin plugin = load_plugin(name, symbol, {folder.path()});
    CHECK(plugin.symbol == nullptr);
    CHECK_THAT(plugin.reason, ContainsSubstring(length < 64 ? "too short" : "truncated"));
  }
}

TEST_CASE("files that are no plugin are refused") {
  const Folder folder;
  const std::string whole = content_of(RAILGAUGE_TEST_PLUGIN_GOOD);
  folder.write("railgauge_text.so", std::string(4096, 'x'));
  CHECK_THAT(load_plugin("text", symbol, {folder.path()}).reason, ContainsSubstring("not a shared object"));
  std::string other = whole;
  other[4] = '\x01';  // EI_CLASS: 32 bit
  folder.write("railgauge_other.so", other);
  CHECK_THAT(load_plugin("other", symbol, {folder.path()}).reason, ContainsSubstring("not a shared object for this machine"));
  std::string foreign = whole;
  foreign[18] = '\x08';  // e_machine: MIPS
  folder.write("railgauge_foreign.so", foreign);
  CHECK(!load_plugin("foreign", symbol, {folder.path()}).reason.empty());
  fs::create_directory(folder.path() / "railgauge_folder.so");
  CHECK_THAT(load_plugin("folder", symbol, {folder.path()}).reason, ContainsSubstring("not a file"));
  REQUIRE(mkfifo((folder.path() / "railgauge_pipe.so").c_str(), 0600) == 0);
  CHECK_THAT(load_plugin("pipe", symbol, {folder.path()}).reason, ContainsSubstring("not a file"));
}

TEST_CASE("a broken plugin in an earlier folder is not passed over in silence") {
  const Folder first, second;
  first.write("railgauge_good.so", "cut");
  fs::copy_file(RAILGAUGE_TEST_PLUGIN_GOOD, second.path() / "railgauge_good.so");
  const Plugin plugin = load_plugin("good", symbol, {first.path(), second.path()});
  CHECK(plugin.symbol == nullptr);
  CHECK_THAT(plugin.reason, ContainsSubstring(first.path().string()));
}

TEST_CASE("plugin folders come from the path, then from beside the executable") {
  const std::vector<fs::path> folders = plugin_folders(":/a::/b/c:");
  REQUIRE(folders.size() == 3);
  CHECK(folders[0] == "/a");
  CHECK(folders[1] == "/b/c");
  CHECK(folders[2] == fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "railgauge");
  CHECK(plugin_folders("").size() == 1);
}

// The last one: the library stays loaded.
TEST_CASE("a library of a Python wheel is found where the loader does not look") {
  const Folder folder, environment;
  const fs::path packages = environment.path() / "lib/python3.12/site-packages/nvidia/some/lib";
  fs::create_directories(packages);
  fs::copy_file(RAILGAUGE_TEST_LIBRARY, packages / fs::path(RAILGAUGE_TEST_LIBRARY).filename());
  fs::copy_file(RAILGAUGE_TEST_PLUGIN_NEEDY, folder.path() / "railgauge_needy.so");
  REQUIRE(setenv("VIRTUAL_ENV", environment.path().c_str(), 1) == 0);
  const fs::path library = packages / fs::path(RAILGAUGE_TEST_LIBRARY).filename();
  fs::rename(library, folder.path() / "whole");
  std::ofstream(library) << "no library";
  CHECK_THAT(load_plugin("needy", symbol, {folder.path()}).reason, ContainsSubstring(library.string()));
  fs::rename(folder.path() / "whole", library);
  const Plugin plugin = load_plugin("needy", symbol, {folder.path()});
  unsetenv("VIRTUAL_ENV");
  CHECK(plugin.reason.empty());
  CHECK(plugin.symbol != nullptr);
}

TEST_CASE("wheels: each place where pip puts packages is looked at, those of an active environment first") {
  const Folder active, conda, user, on_path;
  const auto put = [](const Folder& folder, const char* packages) {
    const fs::path where = folder.path() / packages / "nvidia/nccl/lib";
    fs::create_directories(where);
    std::ofstream(where / "librailgauge_wheel.so.2") << "a library";
    return where / "librailgauge_wheel.so.2";
  };
  const auto find = [&] {
    return find_in_wheels("librailgauge_wheel.so.2", [&](std::string_view name) -> std::optional<std::string> {
      if (name == "VIRTUAL_ENV") return active.path().string();
      if (name == "CONDA_PREFIX") return conda.path().string();
      if (name == "HOME") return user.path().string();
      if (name == "PATH") return "/absent:" + (on_path.path() / "bin").string();
      return std::nullopt;
    });
  };
  CHECK(find().empty());
  fs::create_directories(user.path() / ".local");
  const fs::path of_user = put(user, ".local/lib/python3.11/site-packages");
  CHECK(find() == of_user);
  const fs::path of_path = put(on_path, "lib/python3.13/dist-packages");
  CHECK(find() == of_user);  // there is no python3 yet
  fs::create_directories(on_path.path() / "bin");
  const Folder environment;
  fs::create_directories(environment.path() / "bin");
  std::ofstream(environment.path() / "bin/python3") << "#!/bin/sh";
  fs::create_symlink(environment.path() / "bin/python3", on_path.path() / "bin/python3");
  CHECK(find() == of_path);
  const fs::path aside = on_path.path() / "aside";
  fs::rename(on_path.path() / "lib", aside);
  CHECK(find() == of_user);
  const fs::path of_environment = put(environment, "lib/python3.12/site-packages");
  CHECK(find() == of_environment);
  fs::rename(aside, on_path.path() / "lib");
  const fs::path of_conda = put(conda, "lib/python3.9/site-packages");
  CHECK(find() == of_conda);
  const fs::path of_active = put(active, "lib/python3.10/site-packages");
  CHECK(find() == of_active);
}
