// Judges hosts by what they say of themselves: compares them with their equals, and applies rules. The functions are pure:
// neither the order of the hosts nor the clock nor the machine matters.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/validate/preflight/facts.hpp"

namespace railgauge::topo::preflight {

struct Difference {
  std::string host;             // empty where hosts differ and no majority is right: then nobody is faulty
  std::string subject, name;    // "eth0", "MTU"; the subject is empty for the host itself
  std::string found, expected;  // "1500", "9000 (7 of 8 hosts)"
  Severity severity = Severity::note;
  std::string why, action;
  Area area = Area::setting;
  friend bool operator==(const Difference&, const Difference&) = default;
};

// What could not be read: one entry for all hosts with the same reason.
struct Unread {
  std::string name, reason;  // "firmware of interfaces"; a name that differs from subject to subject stands as * in the reason
  std::vector<std::string> hosts;
  friend bool operator==(const Unread&, const Unread&) = default;
};

struct Judgement {
  std::vector<std::string> models;      // of each host, in the order given: hosts of one model are compared with each other
  std::vector<Difference> differences;  // the worst first, then by name, subject and host
  std::vector<Unread> unread;           // by name
};

// Hosts are compared with those of their model alone: the maker's name, the processor and the model of its GPUs; a host that
// tells of no GPU counts among those of its maker and processor that do, where these are no fewer. A value is right that more
// than half of at least three hosts have. Where there is none, one difference says who has what, and names no host.
[[nodiscard]] Judgement judge(std::span<const HostFacts> hosts);

// Returns what is wrong with one host by itself.
[[nodiscard]] std::vector<Difference> rules(const HostFacts& facts);

// Returns text for people: a line or two for each difference, then what is unread, or "Nothing found." It ends with a newline.
[[nodiscard]] std::string to_text(const Judgement& judgement);

// Returns the model of each host by which judge() compares.
[[nodiscard]] std::vector<std::string> models_of(std::span<const HostFacts> hosts);

// Returns the numbers of the hosts of each model, the smallest name first; models are in the order of their names.
[[nodiscard]] std::vector<std::vector<std::size_t>> classes_of(std::span<const HostFacts> hosts,
                                                               std::span<const std::string> models);

}  // namespace railgauge::topo::preflight
