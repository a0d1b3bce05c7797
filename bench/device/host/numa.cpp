// Reads /sys/devices/system/node, and asks the kernel by its system calls: libnuma would be a dependency for three of them.
#include "bench/device/host/numa.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "bench/device/host/available.hpp"
#include "bench/device/host/memory.hpp"

namespace railgauge::host {
namespace {

constexpr const char* nodes_folder = "sys/devices/system/node";

// The number that `text` starts with, which is cut off; -1 when there is none.
int take_number(std::string_view& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "0-3,8" is 0, 1, 2, 3 and 8.
std::vector<int> parse_list(std::string_view text) {
  std::vector<int> numbers;
  while (!text.empty()) {
    const int first = take_number(text);
    int last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    for (int number = first; number >= 0 && number <= std::min(last, CPU_SETSIZE - 1); ++number) numbers.push_back(number);
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return numbers;
}

cpu_set_t allowed() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)
    throw Error(Fault::usage, fmt::format("sched_getaffinity: {}", std::strerror(errno)));
  return cores;
}

// A line "Node 0 MemFree:  123 kB" of a node's meminfo, in bytes; 0 where there is none.
std::uint64_t bytes_of(const std::filesystem::path& folder, std::string_view field) {
  std::ifstream file(folder / "meminfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(field);
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(line).substr(at + field.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    std::uint64_t kibibytes = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), kibibytes);
    return kibibytes << 10U;
  }
  return 0;
}

// What the node can give: free, or holding pages of files that nobody has used lately.
std::size_t free_on(int node) {
  const auto folder = std::filesystem::path("/") / nodes_folder / fmt::format("node{}", node);
  return bytes_of(folder, "MemFree:") + bytes_of(folder, "Inactive(file):");
}

// Where new pages of this thread come from, as long as the object lives.
class Policy {
 public:
  explicit Policy(int node) {
    if (syscall(SYS_get_mempolicy, &mode_, before_.data(), bits + 1, nullptr, 0UL) != 0) {
      refuse("get_mempolicy", node);
      return;
    }
    std::array<unsigned long, words> mask{};
    const auto number = static_cast<std::size_t>(node);
    mask.at(number / word_bits) = 1UL << (number % word_bits);
    if (syscall(SYS_set_mempolicy, MPOL_BIND, mask.data(), bits + 1) != 0) refuse("set_mempolicy", node);
  }
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  ~Policy() {
    if (!refused_) syscall(SYS_set_mempolicy, mode_, mode_ == MPOL_DEFAULT ? nullptr : before_.data(), bits + 1);
  }
  // The kernel lets this process choose no node, as in most containers.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  static constexpr std::size_t bits = 1024, word_bits = 8 * sizeof(unsigned long), words = bits / word_bits;

  void refuse(const char* call, int node) {
    if (errno != EPERM && errno != ENOSYS)
      throw Error(Fault::usage, fmt::format("{} for memory on numa{}: {}", call, node, std::strerror(errno)));
    refused_ = true;
  }

  int mode_ = MPOL_DEFAULT;
  std::array<unsigned long, words> before_{};
  bool refused_ = false;
};

}  // namespace

std::vector<NumaNode> numa_nodes(const std::filesystem::path& root) {
  const cpu_set_t cores = allowed();
  const std::filesystem::path folder = root / nodes_folder;
  std::vector<NumaNode> nodes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("node")) continue;
    std::string_view digits = std::string_view(name).substr(4);
    const int number = take_number(digits);
    if (number < 0 || !digits.empty()) continue;
    NumaNode node{.number = number, .bytes = bytes_of(entry.path(), "MemTotal:"), .cores = {}};
    if (node.bytes == 0) continue;
    std::ifstream list(entry.path() / "cpulist");
    std::string line;
    std::getline(list, line);
    for (const int core : parse_list(line))
      if (CPU_ISSET(core, &cores)) node.cores.push_back(core);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const NumaNode& a, const NumaNode& b) { return a.number < b.number; });
  if (!nodes.empty()) return nodes;
  NumaNode whole;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) whole.cores.push_back(core);
  return {whole};
}

int core_on(int node, int taken) {
  for (const NumaNode& one : numa_nodes()) {
    if (one.number != node) continue;
    for (const int core : one.cores)
      if (core != taken) return core;
    if (one.cores.empty())
      throw Error(Fault::usage,
                  fmt::format("numa{} has no core that this process may run on, and a core of it is to copy or to read", node));
    throw Error(Fault::usage,
                fmt::format("numa{} has one core that this process may run on, and copies in both directions need two", node));
  }
  throw Error(Fault::usage, fmt::format("there is no memory on a NUMA node {}", node));
}

Memory allocate_on(int node, std::size_t bytes) {
  const std::vector<NumaNode> nodes = numa_nodes();
  if (nodes.size() < 2) return allocate(bytes, Sharing::own, [] { return available_memory(); });
  const Policy policy(node);
  // Then pages come from the node of the core that touches them first.
  std::optional<OnCore> toucher;
  if (policy.refused()) {
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const NumaNode& one) { return one.number == node; });
    if (found == nodes.end() || found->cores.empty())
      throw Error(Fault::usage, fmt::format("memory on numa{}: this process may neither choose a node (a container needs the "
                                            "capability SYS_NICE for it) nor run on a core of that one",
                                            node));
    toucher.emplace(found->cores.front());
  }
  return allocate(bytes, Sharing::own, [node] { return std::min(available_memory(), free_on(node)); });
}

OnCore::OnCore(int core) : before_(allowed()) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    throw Error(Fault::usage, fmt::format("sched_setaffinity to core {}: {}", core, std::strerror(errno)));
}

OnCore::~OnCore() { sched_setaffinity(0, sizeof before_, &before_); }

}  // namespace railgauge::host
