// What each source of facts writes its facts to, and reads its files from.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/validate/preflight/facts.hpp"
#include "topo/evidence/apart.hpp"

namespace railgauge::topo::preflight {

struct ReadOptions;

// Hands each fact on at once: what a source has told is kept if it never ends. The teller must outlive it.
class Sheet {
 public:
  Sheet(Teller& teller, std::filesystem::path root) : teller_(teller), root_(std::move(root)) {}

  void doing(std::string_view what) { teller_.doing(what); }
  // An empty value is told as unread: the kernel or the driver gave nothing.
  void add(const std::string& subject, const std::string& name, const std::string& value, Condition condition = Condition::plain);
  void unread(const std::string& subject, const std::string& name, const std::string& reason);
  void remark(const Remark& it);
  void fingerprint(const std::string& text);

  [[nodiscard]] std::filesystem::path path(std::string_view below) const { return root_ / below; }  // "sys/class/net"
  // Adds the first line of a file below the root as a fact, or the reason why it cannot be read.
  void line(const std::string& subject, const std::string& name, const std::filesystem::path& file);
  // Returns a whole file; where it cannot be read, returns nothing and adds the fact as unread.
  std::optional<std::string> whole(const std::string& subject, const std::string& name, const std::filesystem::path& file);

 private:
  Teller& teller_;
  std::filesystem::path root_;
};

// Returns "64 MiB", "1.5 GiB", "17 bytes": in the largest unit of which there is at least one.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
[[nodiscard]] std::optional<std::uint64_t> bytes_of(std::string_view text);  // the inverse; inexact where the text was rounded

// Returns what follows "NAME:" at the beginning of a line, without the blanks before it; empty where there is no such line.
[[nodiscard]] std::string after(std::string_view text, std::string_view name);

// The sources. Each adds the facts that it can read, and throws nothing but std::exception.
void read_machine(const ReadOptions&, Sheet&);     // machine.cpp
void read_limits(const ReadOptions&, Sheet&);      // limits.cpp
void read_memory(const ReadOptions&, Sheet&);      // memory.cpp
void read_kernel(const ReadOptions&, Sheet&);      // kernel.cpp
void read_modules(const ReadOptions&, Sheet&);     // modules.cpp
void read_gpus(const ReadOptions&, Sheet&);        // gpus.cpp
void read_kernel_log(const ReadOptions&, Sheet&);  // kernel_log.cpp
void read_interfaces(const ReadOptions&, Sheet&);  // interfaces.cpp
void read_ports(const ReadOptions&, Sheet&);       // ports.cpp
void read_pcie(const ReadOptions&, Sheet&);        // pcie.cpp
void read_topology(const ReadOptions&, Sheet&);    // topology.cpp

}  // namespace railgauge::topo::preflight
