// Faults of a graph: each rule says what it found, what it expected, why that matters and what to do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

enum class Severity : std::uint8_t {
  fault,    // broken or much slower than it should be
  warning,  // works, but probably not as somebody meant
  note,     // worth knowing; no reason to act
};

struct Finding {
  std::string rule;  // of rules(); stays the same from version to version
  Severity severity = Severity::note;
  NodePort a, b;      // the two ends of the link, or the node and an empty b
  std::string found;  // "8 lanes"; like `expected`, `why` and `action` without the final dot
  std::string expected;
  std::string why;
  std::string action;
};

struct CheckOptions {
  // The NICs that carry traffic between GPUs: patterns with * and ?, separated by commas, of device names ("mlx5_*"), interfaces
  // or PCI addresses. Empty: the rules guess (topo/roles.hpp).
  std::string nics;
  const Graph* design = nullptr;  // the intended cabling, not owned; nullptr: no comparison
};

struct RuleRow {
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const RuleRow> rules() noexcept;  // static storage
[[nodiscard]] std::string_view word(Severity) noexcept;   // "fault"

// Findings by severity, the most severe first, then in the order of rules() and of the graph. Equal graphs give equal findings.
// Throws Error(not_comparable) when the design has no node in common with the graph.
[[nodiscard]] std::vector<Finding> check(const Graph&, const CheckOptions& = {});

// For people: three lines for each finding, at most `most` findings of each rule, then a line of counts. Ends with a newline.
[[nodiscard]] std::string to_text(const std::vector<Finding>&, std::size_t most = 8);
[[nodiscard]] std::string to_json(const std::vector<Finding>&);  // all findings; ends with a newline

}  // namespace railgauge::topo
