// Faults of a graph: each rule says what it found, what it expected, why that matters and what to do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topo/finding.hpp"
#include "topo/graph.hpp"
#include "topo/ratios.hpp"

namespace railgauge::topo {

struct CheckOptions {
  // The NICs that carry traffic between GPUs: patterns with * and ?, separated by commas, of device names ("mlx5_*"), interfaces
  // or PCI addresses. Empty: the rules guess (topo/roles.hpp).
  std::string nics;
  const Graph* design = nullptr;     // the intended cabling, not owned; nullptr: no comparison
  const Ratios* measured = nullptr;  // what was measured of links, not owned; nullptr: nothing
};

struct RuleRow {
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const RuleRow> rules() noexcept;  // static storage

// Findings by severity, the most severe first, then in the order of rules() and of the graph, with what was looked at. Equal
// graphs give equal findings. Throws Error(not_comparable) when the design has no node in common with the graph.
[[nodiscard]] Diagnosis diagnose(const Graph&, const CheckOptions& = {});
[[nodiscard]] std::vector<Finding> check(const Graph&, const CheckOptions& = {});  // its findings alone

// For people: three lines for each finding, at most `most` findings of each rule, then summary(). Ends with a newline.
[[nodiscard]] std::string to_text(const Diagnosis&, std::size_t most = 8);
[[nodiscard]] std::string to_json(const Diagnosis&);  // all findings; ends with a newline

}  // namespace railgauge::topo
