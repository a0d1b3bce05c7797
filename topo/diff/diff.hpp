// The differences between two graphs: a machine before and after, two machines, or a whole fabric at two times.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topo/graph.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

struct DiffOptions {
  // Reports also values that change by themselves: counters, LIDs, and the speed of PCIe links that only GPUs use, which idle
  // GPUs lower.
  bool passing = false;
};

struct Change {
  std::string attribute;  // "uuid", "active width"
  std::string from, to;   // empty where the value is unknown
};

struct NodeOnce {  // a node that only one graph has
  NodePort node;
  Kind kind = Kind::device;
  bool part = false;  // its parent is in the same list too
};
struct NodeChanged {
  NodePort node;  // as the second graph has it
  std::vector<Change> changes;
};
struct LinkOnce {
  NodePort a, b;
  LinkKind kind = LinkKind::internal;
  bool part = false;  // one of its nodes is in only that graph too
};
struct LinkChanged {
  NodePort a, b;
  LinkKind kind = LinkKind::internal;
  std::vector<Change> changes;
};
// A cable with one end in place, `end`, whose other end went from one port to another. PCIe: a device under another bridge.
struct LinkMoved {
  NodePort end, from, to;
  LinkKind kind = LinkKind::internal;
};
struct LinksSwapped {  // two cables that changed places: each moved to the port that the other left
  LinkMoved first, second;
};

// Lists are in the order of the first graph; nodes and links that appeared are in the order of the second.
struct Difference {
  std::vector<NodeOnce> nodes_vanished, nodes_appeared;
  std::vector<NodeChanged> nodes_changed;
  std::vector<LinkOnce> links_vanished, links_appeared;
  std::vector<LinkChanged> links_changed;
  std::vector<LinkMoved> links_moved;
  std::vector<LinksSwapped> links_swapped;
  std::string caution;  // a sentence when the graphs were made from different sources; else empty

  [[nodiscard]] std::size_t count() const;  // differences, without those marked `part`
};

// Matches nodes by UUID or GUID, else by key, else by a name that is unique for its kind below the same parent (a NIC that was
// replaced). Matches links by their nodes and ports. Takes nearly linear time. Throws Error(not_comparable) when the graphs have
// no node in common.
[[nodiscard]] Difference diff(const Graph& from, const Graph& to, const DiffOptions& = {});

// Gives for each node of `from` the place of the same node in `to`, or View::none.
[[nodiscard]] std::vector<std::size_t> match(const View& from, const View& to);

// For people: at most `most` lines for each kind of difference, then a line of counts. Ends with a newline.
[[nodiscard]] std::string to_text(const Difference&, std::size_t most = 12);
[[nodiscard]] std::string to_json(const Difference&);  // all differences; ends with a newline

}  // namespace railgauge::topo
