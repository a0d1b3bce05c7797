// Copies within the host, the data that they are checked with, and what the kernel says of NUMA nodes.
#include "bench/device/copies.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/device/chase.hpp"
#include "bench/device/copy_pattern.hpp"
#include "bench/device/host/numa.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

// A folder of small files, gone with the object.
class Tree {
 public:
  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "railgauge-numa-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void node(const std::string& name, const std::string& cores, const std::string& kilobytes) const {
    const std::filesystem::path folder = root_ / "sys/devices/system/node" / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "cpulist") << cores << "\n";
    std::ofstream(folder / "meminfo") << name << " MemTotal:       " << kilobytes << " kB\n" << name << " MemFree:  1 kB\n";
  }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

// Both ends of an order on one node of the host.
class Ends {
 public:
  Ends(std::size_t bytes, bool both_ways, int node)
      : from_(host::allocate_on(node, end_bytes(bytes, both_ways))), to_(host::allocate_on(node, end_bytes(bytes, both_ways))) {
    order.from = {.device = -1, .node = node, .host = whole(from_)};
    order.to = {.device = -1, .node = node, .host = whole(to_)};
    order.both_ways = both_ways;
    order.bytes = bytes;
    order.copies = 2;
  }
  CopyOrder order;

 private:
  static Bytes whole(const Memory& memory) { return {memory.region().address, memory.region().bytes}; }
  Memory from_, to_;
};

void run(CopyJob& job) {
  job.start();
  for (std::uint64_t asked = 0; !job.test(); ++asked) REQUIRE(asked < 1'000'000'000);
}

}  // namespace

TEST_CASE("of a spoilt target every byte is wrong, of a filled one none, of any size") {
  for (const std::size_t bytes : {1, 7, 8, 9, 63, 4096, 100'003}) {
    std::vector<std::byte> memory(bytes + 1, std::byte{0xee});
    const Bytes target = Bytes(memory).first(bytes);
    copy_pattern::fill(target, 1, copy_pattern::spoilt);
    const auto mistake = copy_pattern::compare(target, 1);
    REQUIRE(mistake);
    CHECK(mistake->wrong == bytes);
    CHECK(mistake->byte == 0);
    copy_pattern::fill(target, 1, copy_pattern::right);
    CHECK_FALSE(copy_pattern::compare(target, 1));
    CHECK(copy_pattern::compare(target, 2));  // data of the other direction
    CHECK(memory.back() == std::byte{0xee});
  }
}

TEST_CASE("each wrong byte is counted, and the first is named with what it should be") {
  std::vector<std::byte> memory(1000);
  copy_pattern::fill(memory, 1, copy_pattern::right);
  const std::byte before = memory[421];
  memory[421] ^= std::byte{4};
  memory[422] ^= std::byte{1};
  memory[999] ^= std::byte{0x80};
  const auto mistake = copy_pattern::compare(memory, 1);
  REQUIRE(mistake);
  CHECK(mistake->byte == 421);
  CHECK(mistake->expected == before);
  CHECK(mistake->got == (before ^ std::byte{4}));
  CHECK(mistake->wrong == 3);
  CHECK(copy_pattern::byte_of(1, 421) == before);
}

TEST_CASE("the host copies all bytes, and a byte that changes afterwards is found") {
  const int node = host::numa_nodes().front().number;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{3} << 20}) {
    Ends ends(bytes, false, node);
    const MadeCopy made = host_copies().make(ends.order);
    CHECK_FALSE(made.staged);
    made.job->restore();
    const auto before = made.job->check();
    REQUIRE(before);
    CHECK(before->wrong == bytes);
    run(*made.job);
    CHECK_FALSE(made.job->check());
    CHECK_FALSE(made.job->device_time());
    ends.order.to.host[bytes / 2] ^= std::byte{1};
    const auto after = made.job->check();
    REQUIRE(after);
    CHECK(after->byte == bytes / 2);
    CHECK(after->wrong == 1);
    CHECK_FALSE(after->back);
  }
}

TEST_CASE("both directions at once, on two cores, and the direction that is wrong is told") {
  const host::NumaNode node = host::numa_nodes().front();
  const std::size_t bytes = 1'000'003;
  Ends ends(bytes, true, node.number);
  if (node.cores.size() < 2) {
    CHECK_THROWS_WITH((void)host_copies().make(ends.order), ContainsSubstring("one core") && ContainsSubstring("need two"));
    return;
  }
  const MadeCopy made = host_copies().make(ends.order);
  for (int turn = 0; turn < 5; ++turn) {
    made.job->restore();
    CHECK(made.job->check());
    run(*made.job);
    CHECK_FALSE(made.job->check());
  }
  ends.order.from.host[copy_stride(bytes) + 7] ^= std::byte{1};  // what came back
  const auto mistake = made.job->check();
  REQUIRE(mistake);
  CHECK(mistake->back);
  CHECK(mistake->byte == 7);
}

TEST_CASE("a chain leads through every stretch of a memory once, and back") {
  static_assert(chain::bytes_within(1023) == 0 && chain::bytes_within(1024) == 1024 && chain::bytes_within(3000) == 2048);
  static_assert(chain::factor % 4 == 1 && chain::addend % 2 == 1);
  for (std::uint64_t bytes = chain::least; bytes <= std::uint64_t{1} << 22; bytes *= 4) {
    std::vector<bool> seen(bytes / chain::stretch);
    std::uint64_t at = 0, steps = 0;
    do {
      REQUIRE(at % chain::stretch == 0);
      REQUIRE(at < bytes);
      REQUIRE_FALSE(seen[at / chain::stretch]);
      seen[at / chain::stretch] = true;
      at = chain::next(at, bytes);
      ++steps;
      if (steps < 100 || steps % 1009 == 0) REQUIRE(chain::after(0, steps, bytes) == at);
    } while (at != 0);
    CHECK(steps == bytes / chain::stretch);
    CHECK(chain::after(512, 12'345'678'901, bytes) == chain::after(chain::after(512, 345'678'901, bytes), 12'000'000'000, bytes));
  }
}

TEST_CASE("in a long chain hardly a step goes to a neighbour") {
  constexpr std::uint64_t bytes = 16 << 20;
  std::uint64_t near = 0, at = 0;
  for (int step = 0; step < 10'000; ++step) {
    const std::uint64_t to = chain::next(at, bytes);
    if ((to > at ? to - at : at - to) < 65'536) ++near;
    at = to;
  }
  CHECK(near < 200);  // by chance 80
}

TEST_CASE("the host follows pointers, on from where it ended, and a pointer that leads elsewhere is found") {
  const int node = host::numa_nodes().front().number;
  for (const std::size_t bytes : {std::size_t{1024}, std::size_t{8192}, std::size_t{1} << 22}) {
    const Memory memory = host::allocate_on(node, bytes);
    ChaseOrder order{.memory = {.device = -1, .node = node, .host = Bytes(memory.region().address, bytes)},
                     .reader = {.device = -1, .node = node, .host = {}},
                     .bytes = bytes,
                     .steps = 101};
    const std::unique_ptr<ChaseJob> job = host_chase(order);
    for (int turn = 0; turn < 3; ++turn) {
      for (int start = 0; start <= turn; ++start) {
        job->start();
        REQUIRE(job->test());
      }
      CHECK_FALSE(job->check());
      CHECK_FALSE(job->device_time());
    }
    // All lead to themselves: the walk stands still.
    for (std::uint64_t at = 0; at < bytes; at += chain::stretch) std::memcpy(order.memory.host.data() + at, &at, sizeof at);
    job->start();
    const auto mistake = job->check();
    REQUIRE(mistake);
    CHECK(mistake->got == chain::after(0, 6 * 101, bytes));
    CHECK(mistake->expected == chain::after(0, 7 * 101, bytes));
    CHECK_FALSE(job->check());
    order.reader.node = 1234;
    CHECK_THROWS_WITH((void)host_chase(order), ContainsSubstring("no memory on a NUMA node 1234"));
  }
}

TEST_CASE("a node that is not there cannot copy, and the thread is where it was afterwards") {
  const int node = host::numa_nodes().front().number;
  Ends ends(64, false, node);
  cpu_set_t before, after;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  {
    const MadeCopy made = host_copies().make(ends.order);
    REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_COUNT(&after) == 1);
  }
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&before, &after));
  ends.order.from.node = 1234;
  CHECK_THROWS_WITH((void)host_copies().make(ends.order), ContainsSubstring("no memory on a NUMA node 1234"));
}

TEST_CASE("nodes have the cores that this process may use, and those without memory do not count") {
  const Tree tree;
  const std::vector<host::NumaNode> whole = host::numa_nodes(tree.root());
  REQUIRE(whole.size() == 1);
  CHECK(whole.front().number == 0);
  CHECK(whole.front().bytes == 0);
  REQUIRE_FALSE(whole.front().cores.empty());
  const int mine = whole.front().cores.front();
  tree.node("node10", std::to_string(mine) + "-" + std::to_string(mine) + ",1000-1001", "2048");
  tree.node("node2", "1022-1023", "1024");
  tree.node("node3", "0-3", "0");
  tree.node("nodes", "0-3", "4");
  const std::vector<host::NumaNode> nodes = host::numa_nodes(tree.root());
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].number == 2);
  CHECK(nodes[0].bytes == 1024 * 1024);
  CHECK(nodes[1].number == 10);
  CHECK(nodes[1].cores.front() == mine);
}

TEST_CASE("memory on a node is zeroed and as large as was asked for, and too much of it is refused") {
  const host::NumaNode node = host::numa_nodes().front();
  const Memory memory = host::allocate_on(node.number, 100'000);
  CHECK(memory.region().bytes == 100'000);
  CHECK(
      std::all_of(memory.region().address, memory.region().address + 100'000, [](std::byte one) { return one == std::byte{0}; }));
  CHECK_THROWS_AS(host::allocate_on(node.number, std::size_t{1} << 55), Error);
}

TEST_CASE("the memories of the host are its nodes") {
  const std::vector<CopyMemory> memories = host_copies().memories();
  const std::vector<host::NumaNode> nodes = host::numa_nodes();
  REQUIRE(memories.size() == nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    CHECK(memories[i].name == "numa" + std::to_string(nodes[i].number));
    CHECK(memories[i].node == nodes[i].number);
    CHECK(memories[i].cache_bytes > 0);
  }
}

}  // namespace railgauge
