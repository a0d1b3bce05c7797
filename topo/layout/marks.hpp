// Which nodes and links of a graph findings are about, so that they stand apart in its picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "topo/finding.hpp"
#include "topo/view.hpp"

namespace railgauge::topo::layout {

// Refers to both, which must outlive it. Notes are listed, but mark nothing.
class Marks {
 public:
  Marks(const View& view, const std::vector<Finding>& findings);

  // Whether a fault or warning is about this link, or about this node, one of its ports, or a link of theirs.
  [[nodiscard]] bool link(std::size_t place) const { return links_.contains(place); }
  [[nodiscard]] bool node(std::size_t place) const { return nodes_.contains(place); }
  // Whether one is about this node by itself, and not about a link.
  [[nodiscard]] bool alone(std::size_t place) const { return alone_.contains(place); }
  // Those about the node or what it holds, the most severe first, notes among them.
  [[nodiscard]] std::span<const Finding* const> of(std::size_t node) const;

  struct Absent {
    std::size_t a, b;  // nodes
    const Finding* finding;
  };
  [[nodiscard]] const std::vector<Absent>& absent() const { return absent_; }  // links that are missing
  [[nodiscard]] const View& view() const { return view_; }

 private:
  void mark(const Finding& finding);

  const View& view_;
  std::set<std::size_t> links_, nodes_, alone_;
  std::map<std::size_t, std::vector<const Finding*>> of_;
  std::vector<Absent> absent_;
};

}  // namespace railgauge::topo::layout
