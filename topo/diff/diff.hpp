// What differs between two graphs: of a machine before and after, of two machines, or of a whole fabric.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topo/graph.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

struct DiffOptions {
  // Also what changes by itself: counters, LIDs, and the speed of PCIe links that only GPUs use, which sleep when idle.
  bool passing = false;
};

struct Change {
  std::string attribute;  // "uuid", "active width"
  std::string from, to;   // empty where it is not known
};

struct NodeOnce {  // a node that only one graph has
  End node;
  Kind kind = Kind::device;
  bool part = false;  // what holds it is only there too, and stands in the same list
};
struct NodeChanged {
  End node;  // as the second graph has it
  std::vector<Change> changes;
};
struct LinkOnce {
  End a, b;
  LinkKind kind = LinkKind::internal;
  bool part = false;  // one of its ends is only there too
};
struct LinkChanged {
  End a, b;
  LinkKind kind = LinkKind::internal;
  std::vector<Change> changes;
};
// The same port, and another one at the other end of its cable. Of PCIe: the same device under another bridge.
struct LinkMoved {
  End end, from, to;
  LinkKind kind = LinkKind::internal;
};
struct LinksSwapped {  // two moves, each to where the other came from: two cables that changed places
  LinkMoved first, second;
};

// In the order of the first graph, and of the second for what appeared.
struct Difference {
  std::vector<NodeOnce> nodes_vanished, nodes_appeared;
  std::vector<NodeChanged> nodes_changed;
  std::vector<LinkOnce> links_vanished, links_appeared;
  std::vector<LinkChanged> links_changed;
  std::vector<LinkMoved> links_moved;
  std::vector<LinksSwapped> links_swapped;
  std::string caution;  // a sentence where the two were made from different sources; else empty

  [[nodiscard]] std::size_t count() const;  // of what differs, without parts
};

// Nodes are the same when their UUID or GUID is, else when their key is, else when they have one name, alone among their kind, in
// what is the same: a NIC that was replaced. Links by their ends and ports. Near linear in the size of both. Throws
// Error(not_comparable) when the graphs have no node in common. Where one is a cable plan (plan.hpp) only what it tells is
// compared: hosts, switches and cables by their names and ports, and rates.
[[nodiscard]] Difference diff(const Graph& from, const Graph& to, const DiffOptions& = {});

// For each node of `from` its place in `to`, or View::none.
[[nodiscard]] std::vector<std::size_t> match(const View& from, const View& to);

// For people: at most `most` lines of each kind of difference, then a line of counts. Ends with a newline.
[[nodiscard]] std::string to_text(const Difference&, std::size_t most = 12);
[[nodiscard]] std::string to_json(const Difference&);  // everything; ends with a newline

}  // namespace railgauge::topo
