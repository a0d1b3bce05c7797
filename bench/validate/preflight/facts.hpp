// What a host says of itself before anything is measured: plain records, and their text between hosts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topo/check/check.hpp"

namespace railgauge::topo::preflight {

// One thing that is known of a host, or that could not be read.
struct Fact {
  std::string subject;  // what it is about: "eth0", "mlx5_0/1", "GPU 0000:1b:00.0"; empty for the host itself
  std::string name;     // of fact_rows(): "mtu"
  std::string value;    // as text, with its unit: "9000", "8 MiB"; empty where it could not be read
  std::string unread;   // why it could not: "/sys/class/net/eth0/speed: Permission denied"; empty where it was
  friend bool operator==(const Fact&, const Fact&) = default;
};

// What a rule of topo::check finds at fault in the host's own topology.
struct Remark {
  std::string rule;     // "pcie-width"
  std::string subject;  // "mlx5_0 to PCIe bridge 0000:3a:00.0"
  Severity severity = Severity::warning;
  std::string found, expected, why, action;
  friend bool operator==(const Remark&, const Remark&) = default;
};

struct HostFacts {
  std::string host;   // as the launcher says it
  std::string model;  // its maker's name for it and its processor: what hosts that should be alike have in common
  std::vector<Fact> facts;
  std::vector<Remark> remarks;
  std::string fingerprint;  // HostPrint::text; empty where the topology could not be read
  friend bool operator==(const HostFacts&, const HostFacts&) = default;
};

enum class About : std::uint8_t { host, gpu, interface, device, port, pcie };

enum class Use : std::uint8_t {
  same,     // hosts of one model should have the same
  moving,   // changes by itself, or belongs to this host alone: rules may look at it, nobody compares it
  counter,  // counts errors since the host began: nobody compares it, and grown() says what came on top
};

struct FactRow {
  std::string_view name;
  About about;
  Use use;
  Severity severity;        // of a difference
  std::string_view spoken;  // for people: "MTU"
  std::string_view from;    // where it is read
  std::string_view why;     // that a difference matters, or a lack; empty where nobody compares it
  std::string_view action;
};

// Of subjects as above: those of GPUs begin so.
[[nodiscard]] inline bool is_of_gpu(std::string_view subject) noexcept { return subject.starts_with("GPU"); }

// One row for each name; static storage. Counters of ports and interfaces are "counter NAME", with the kernel's NAME: all are the
// row "counter". A name without a row is nobody's, and is never compared.
[[nodiscard]] std::span<const FactRow> fact_rows() noexcept;
[[nodiscard]] const FactRow* row_of(std::string_view name) noexcept;  // nullptr where there is none
// What people call a fact: "MTU", "counter symbol_error".
[[nodiscard]] std::string spoken(std::string_view name);

// Of an interface that a program made, its kind: "tun". Without a row, so that nobody compares it.
inline constexpr std::string_view software_kind = "software kind";

// The value of a fact; nothing where it is not there or was not read.
[[nodiscard]] const std::string* value_of(const HostFacts& facts, std::string_view subject, std::string_view name);

// For the wire: JSON, "railgauge.preflight/1", in one line.
[[nodiscard]] std::string to_json(const HostFacts& facts);
// Throws Error(usage) with one sentence that begins with `origin` ("n3") for whatever to_json() did not write.
[[nodiscard]] HostFacts from_json(std::string_view text, const std::string& origin);

// For people, subject by subject; ends with a newline.
[[nodiscard]] std::string to_text(const HostFacts& facts);

}  // namespace railgauge::topo::preflight
