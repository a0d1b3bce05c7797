// Host memory: how it is allocated, how it is refused, and what the files of the system say about caches and limits.
#include "bench/device/host/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "bench/device/host/available.hpp"
#include "bench/device/host/caches.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

// A folder of small files, gone with the object.
class Tree {
 public:
  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "railgauge-device-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::string refusal(std::size_t bytes, const std::function<std::size_t()>& available) {
  try {
    const Memory memory = host::allocate(bytes, Sharing::own, available);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("memory is page aligned, zeroed and writable") {
  const auto device = make_host_device();
  CHECK(device->name() == "host");
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, 2 * mebibyte, 5 * mebibyte + 3}) {
    const Memory memory = device->allocate(bytes, Sharing::own);
    const Region& region = memory.region();
    CHECK(region.bytes == bytes);
    CHECK(region.kind == MemoryKind::host);
    CHECK(reinterpret_cast<std::uintptr_t>(region.address) % page == 0);
    CHECK(std::all_of(region.address, region.address + bytes, [](std::byte byte) { return byte == std::byte{0}; }));
    std::fill_n(region.address, bytes, std::byte{1});
  }
}

TEST_CASE("shared memory is what its descriptor names") {
  const auto device = make_host_device();
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, 5 * mebibyte + 3}) {
    const Memory memory = device->allocate(bytes, Sharing::processes);
    const Region& region = memory.region();
    REQUIRE(region.fd >= 0);
    CHECK(std::all_of(region.address, region.address + bytes, [](std::byte byte) { return byte == std::byte{0}; }));
    region.address[bytes - 1] = std::byte{7};
    std::byte last{};
    CHECK(pread(region.fd, &last, 1, static_cast<off_t>(region.fd_offset + bytes - 1)) == 1);
    CHECK(last == std::byte{7});
    CHECK((reinterpret_cast<std::uintptr_t>(region.address) - region.fd_offset) % (bytes < 2 * mebibyte ? 4096 : 2 * mebibyte) ==
          0);
  }
  CHECK(device->allocate(100, Sharing::own).region().fd == -1);
}

TEST_CASE("more memory than there is is refused with both sizes") {
  CHECK_THAT(refusal(std::size_t{1} << 50, [] { return 300 * mebibyte; }),
             ContainsSubstring("1024 TiB") && ContainsSubstring("300 MiB"));
  CHECK_THAT(refusal(unlimited, [] { return 300 * mebibyte; }), ContainsSubstring("300 MiB"));
  CHECK_THAT(refusal(280 * mebibyte, [] { return 300 * mebibyte; }),
             ContainsSubstring("280 MiB"));  // something is left for others
  CHECK_THROWS_AS(make_host_device()->allocate(std::size_t{1} << 55, Sharing::own), Error);
}

TEST_CASE("memory that others take meanwhile is noticed before it is touched") {
  int asked = 0;
  const auto shrinking = [&asked] { return ++asked < 3 ? 1000 * mebibyte : 70 * mebibyte; };
  CHECK_THAT(refusal(256 * mebibyte, shrinking), ContainsSubstring("256 MiB") && ContainsSubstring("70 MiB"));
  CHECK(asked == 3);
}

TEST_CASE("available memory is the least of the machine's and of every limit above the process") {
  const Tree tree;
  CHECK(host::available_memory(tree.root()) == unlimited);
  tree.write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    8000 kB\n");
  CHECK(host::available_memory(tree.root()) == 8000 * 1024);

  tree.write("proc/self/cgroup", "0::/job/step\n");
  tree.write("sys/fs/cgroup/job/step/memory.max", "max\n");
  CHECK(host::available_memory(tree.root()) == 8000 * 1024);
  tree.write("sys/fs/cgroup/job/memory.max", "5000\n");
  tree.write("sys/fs/cgroup/job/memory.current", "3000\n");
  CHECK(host::available_memory(tree.root()) == 2000);
  tree.write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 1000\n");
  CHECK(host::available_memory(tree.root()) == 3000);

  tree.write("proc/self/cgroup", "9:cpu:/other\n4:memory:/slurm/job\n");
  CHECK(host::available_memory(tree.root()) == 8000 * 1024);
  tree.write("sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "700\n");
  tree.write("sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes", "900\n");
  CHECK(host::available_memory(tree.root()) == 0);
  CHECK(host::available_memory() > 0);
}

TEST_CASE("the last-level cache is shared by its CPUs") {
  const Tree tree;
  tree.write("cache/index0/level", "1\n");
  tree.write("cache/index0/type", "Data\n");
  tree.write("cache/index0/size", "48K\n");
  tree.write("cache/index0/shared_cpu_list", "0\n");
  CHECK(host::last_level_share(tree.root()) == 48 * 1024);
  tree.write("cache/index1/level", "3\n");
  tree.write("cache/index1/type", "Unified\n");
  tree.write("cache/index1/size", "32M\n");
  tree.write("cache/index1/shared_cpu_list", "0-5,64,66-66\n");
  CHECK(host::last_level_share(tree.root()) == 4 * mebibyte);
  CHECK(host::last_level_share() > 0);
  CHECK(host::last_level_share(tree.root() / "absent") > 0);
}

}  // namespace railgauge
