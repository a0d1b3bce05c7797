// What a host says of itself before anything is measured: plain records, and their text between hosts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topo/check/check.hpp"

namespace railgauge::topo::preflight {

// What a value says, where the source puts it as a phrase: rules look at this, and people read the phrase.
enum class Condition : std::uint8_t {
  plain,  // there is no phrase: the value is a number, or the word of a fixed set
  off,
  on,
  throttled_by_power,
  throttled_by_heat,  // or by a fault of the power supply
  gpu_error,          // Xid errors after which a GPU may go on
  gpu_broken,         // those after which it must be reset or replaced
  redirects           // data between two devices goes through the processor
};

// One thing that is known of a host, or that could not be read.
struct Fact {
  std::string subject;  // what it is about: "eth0", "mlx5_0/1", "GPU 0000:1b:00.0"; empty for the host itself
  std::string name;     // of fact_rows(): "mtu"
  std::string value;    // as text, with its unit: "9000", "8 MiB"; empty where it could not be read
  std::string unread;   // why it could not: "/sys/class/net/eth0/speed: Permission denied"; empty where it was
  Condition condition = Condition::plain;
  friend bool operator==(const Fact&, const Fact&) = default;
};

// What a fact or a remark is about, where it is wrong: this decides what is blamed.
enum class Area : std::uint8_t {
  setting,  // of the host, or what it is made of
  gpu,
  link,  // an interface or a port has none
  pcie
};

// What a rule of topo::check finds at fault in the host's own topology.
struct Remark {
  std::string rule;     // its name, which stays the same: "pcie-width"
  std::string subject;  // "mlx5_0 to PCIe bridge 0000:3a:00.0"
  Severity severity = Severity::warning;
  std::string found, expected, why, action;
  Area area = Area::setting;
  friend bool operator==(const Remark&, const Remark&) = default;
};

struct HostFacts {
  std::string host;   // as the launcher gives it
  std::string model;  // its maker's name for it, and its processor: hosts of one model should be alike
  std::vector<Fact> facts;
  std::vector<Remark> remarks;
  std::string fingerprint;  // HostPrint::text; empty where the topology could not be read
  friend bool operator==(const HostFacts&, const HostFacts&) = default;
};

enum class About : std::uint8_t { host, gpu, interface, device, port, pcie };

enum class Use : std::uint8_t {
  same,     // hosts of one model should have the same
  moving,   // changes by itself, or belongs to this host alone: only rules look at it
  counter,  // counts errors since the host was booted: grown() compares two readings of it
};

struct FactRow {
  std::string_view name;
  About about;
  Use use;
  Severity severity;        // of a difference
  std::string_view spoken;  // for people: "MTU"
  std::string_view from;    // where it is read
  std::string_view why;     // why a difference or a lack matters; empty where it is not compared
  std::string_view action;
  bool link = false;  // says whether an interface or a port has a link
};
[[nodiscard]] Area area_of(const FactRow& row) noexcept;

// Returns one row for each name, of static storage. Counters of ports and interfaces are "counter NAME" with the kernel's NAME,
// and have one row, "counter". A fact whose name has no row is never compared.
[[nodiscard]] std::span<const FactRow> fact_rows() noexcept;
[[nodiscard]] const FactRow* row_of(std::string_view name) noexcept;  // nullptr where there is none
// Returns what people call a fact: "MTU", "counter symbol_error".
[[nodiscard]] std::string spoken(std::string_view name);

// The name of the fact that tells the kind of an interface which a program made: "tun". It has no row, so that it is not
// compared.
inline constexpr std::string_view software_kind = "software kind";

// Returns the value of a fact, which lives as long as `facts`; nullptr where there is none or it was not read.
[[nodiscard]] const std::string* value_of(const HostFacts& facts, std::string_view subject, std::string_view name);

// Returns one line of JSON for the wire, of the schema "railgauge.preflight/2".
[[nodiscard]] std::string to_json(const HostFacts& facts);
// The inverse. Throws Error(usage), a sentence that begins with `origin` ("n3"), for text that to_json() did not write.
[[nodiscard]] HostFacts from_json(std::string_view text, const std::string& origin);

// Returns text for people, subject by subject; it ends with a newline.
[[nodiscard]] std::string to_text(const HostFacts& facts);

}  // namespace railgauge::topo::preflight
