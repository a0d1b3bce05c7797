// What each source of facts writes on, and what it reads from.
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

// Hands each fact on at once, so that what a source has said stays when it does not end.
class Sheet {
 public:
  Sheet(Teller& teller, std::filesystem::path root) : teller_(teller), root_(std::move(root)) {}

  void doing(std::string_view what) { teller_.doing(what); }
  // `value` empty: the kernel or driver gave nothing, which is said.
  void add(const std::string& subject, const std::string& name, const std::string& value);
  void unread(const std::string& subject, const std::string& name, const std::string& reason);
  void remark(const Remark& it);
  void fingerprint(const std::string& text);

  [[nodiscard]] std::filesystem::path path(std::string_view below) const { return root_ / below; }  // "sys/class/net"
  // The first line of a file below the root as a fact, or why it cannot be read.
  void line(const std::string& subject, const std::string& name, const std::filesystem::path& file);
  // All of a file; nothing, and the fact is unread, where it cannot be read.
  std::optional<std::string> whole(const std::string& subject, const std::string& name, const std::filesystem::path& file);

 private:
  Teller& teller_;
  std::filesystem::path root_;
};

// "64 MiB", "1.5 GiB", "17 bytes": in the largest unit that keeps at least one whole.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
[[nodiscard]] std::optional<std::uint64_t> bytes_of(std::string_view text);  // of bytes_text(); about, where it was rounded

// What follows "NAME:" at the beginning of a line, without blanks around it; empty where there is no such line.
[[nodiscard]] std::string after(std::string_view text, std::string_view name);

// The sources. Each says what it can and throws nothing that is no std::exception.
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
