// What is found wrong in a graph, as plain values: the rules of topo/check make them, text, page and picture show them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topo/view.hpp"

namespace railgauge::topo {

enum class Severity : std::uint8_t {
  fault,    // broken or much slower than it should be
  warning,  // works, but probably not as somebody meant
  note,     // worth knowing; no reason to act
};
[[nodiscard]] std::string_view word(Severity) noexcept;  // "fault"

struct Finding {
  std::string rule;  // of rules(); stays the same from version to version
  Severity severity = Severity::note;
  NodePort a, b;      // the two ends of the link, or the node and an empty b
  std::string found;  // "8 lanes"; like `expected`, `why` and `action` without the final dot
  std::string expected;
  std::string why;
  std::string action;
  bool absent = false;            // about a link between a and b that is not there
  std::size_t link = View::none;  // its place in Graph::links, where the ends do not tell it from those beside it
};

// What the rules looked at, and what they could not.
struct Coverage {
  struct Count {
    std::uint64_t count;
    std::string one, many;  // "link", "links"
  };
  struct Gap {
    std::string what, reason;  // "NVLink", "nvidia-smi was not asked"
  };
  std::vector<Count> checked;
  std::vector<Gap> not_checked;
};

struct Diagnosis {
  std::vector<Finding> findings;  // by severity, the most severe first
  Coverage coverage;
};

// "GPU 1 (...) to PCIe switch (sw1)", or the one end that there is.
[[nodiscard]] std::string ends_of(const Finding&);
// "FAULT pcie-width: GPU 1 to ...: the link runs x8; expected x16, which both ends can.", on one line, without a line end.
[[nodiscard]] std::string headline(const Finding&);
// "212 links, 8 GPUs checked: 1 fault, 2 notes; not checked: NVLink (nvidia-smi was not asked).", without a line end.
[[nodiscard]] std::string summary(const Diagnosis&);

}  // namespace railgauge::topo
