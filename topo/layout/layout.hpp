// Where things stand in a picture: plain values, in pixels, y downwards. Says what a thing is and never how it looks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct Point {
  double x = 0, y = 0;
};

struct Fact {
  std::string name, value;
};

// Nodes that a box stands for without drawing them, by where they are: found by search.
struct Members {
  std::string place;  // "unit 7, leaf3"; empty when the box says all
  std::vector<std::string> names;
};

enum class Role : std::uint8_t {
  frame,   // holds other boxes; its lines stand along its upper edge
  bar,     // one flat line of text: what stands below it hangs on it
  card,    // a device: a title and lines below it
  folded,  // counts of what is not drawn
  note,    // text alone
};

struct Box {
  std::string id;  // a node's key, or a name of its own; unique in the picture
  Role role = Role::card;
  Kind kind = Kind::device;
  Point at;  // upper left corner
  double width = 0, height = 0;
  std::vector<std::string> lines;  // the first is the title; each fits the width
  std::string badge;               // a word at the upper right: "rail 3"
  std::uint64_t count = 1;         // alike nodes that it stands for
  bool warning = false;
  std::vector<Fact> facts;
  std::vector<Members> members;
};

struct Edge {
  std::string a, b;  // ids of boxes
  LinkKind kind = LinkKind::internal;
  std::vector<Point> bends;  // two or more: from a to b
  std::vector<std::string> label;
  Point label_at;  // left end of the first line's base line, or its middle
  bool label_centred = false;
  double weight = 1;    // 1 thin to 6 wide: grows with the bandwidth
  bool curved = false;  // bends are the control points of a Bezier curve (four) and not corners
  bool warning = false;
  bool low = false;  // a saving state, which ends when there is traffic
  std::vector<Fact> facts;
  std::vector<std::uint32_t> links;  // places in Graph::links
};

struct Cell {
  std::string text;
  bool warning = false;
  bool same = false;  // nothing to see: a node with itself, no link where none is expected
};

struct Table {
  std::string id;  // a word for addresses: "exceptions"
  std::string title;
  std::string note;  // how to read it
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // the first cell is the head of its row
  bool matrix = false;                  // cells are short numbers
};

struct Picture {
  std::string title, subtitle;
  std::vector<std::string> notes;  // sentences below the title: what was recognised, what is left out
  double width = 0, height = 0;
  std::vector<Box> boxes;  // a frame before what it holds
  std::vector<Edge> edges;
  std::vector<Table> tables;
};

// Measured over expected bandwidth, by link_key(): 1 is as expected.
using Ratios = std::map<std::string, double, std::less<>>;

// Never throws on an odd graph; equal graphs give equal pictures. Linear in the graph, but for sorting. In a fabric, what was
// measured far below the rest stands apart.
[[nodiscard]] Picture lay_out(const Graph&, const Ratios& = {});

// The name of a link in a table of measured/expected ratios: "A - B pcie", with ":PORT" behind an end that has a number, the
// smaller end first.
[[nodiscard]] std::string link_key(const Link&);

}  // namespace railgauge::topo
