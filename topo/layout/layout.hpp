// The layout of a picture: boxes and edges as plain values, in pixels, y downwards. Holds what each is, not its style.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topo/finding.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

struct Point {
  double x = 0, y = 0;
};

struct Fact {
  std::string name, value;
};

// Nodes that a box represents without drawing them, for the search.
struct Members {
  std::string place;  // "unit 7, leaf3"; empty when the box's own title is enough
  std::vector<std::string> names;
};

enum class Role : std::uint8_t {
  frame,   // contains other boxes; its lines are along its upper edge
  bar,     // one flat line of text, with the boxes attached to it below
  card,    // a device: a title and lines below it
  folded,  // counts of devices that are not drawn
  note,    // text alone
};

struct Box {
  std::string id;  // a node's key, or another unique name
  Role role = Role::card;
  Kind kind = Kind::device;
  Point at;  // upper left corner
  double width = 0, height = 0;
  std::vector<std::string> lines;  // the first is the title; each fits the width
  std::string badge;               // a word at the upper right: "rail 3"
  std::uint64_t count = 1;         // equal nodes that it represents
  bool warning = false;
  std::vector<Fact> facts;
  std::vector<Members> members;
};

struct Edge {
  std::string a, b;  // ids of boxes
  LinkKind kind = LinkKind::internal;
  std::vector<Point> bends;  // two or more: from a to b
  std::string title;         // what it is called aloud; empty: by its kind
  std::string mark;          // in a ring above the label, for text that refers to it: "3", "1-4"
  std::vector<std::string> label;
  Point label_at;  // left end of the first line's baseline, or its middle
  bool label_centred = false;
  double weight = 1;    // 1 (thin) to 6, see weight_of()
  bool curved = false;  // bends are the four control points of a Bezier curve, not corners
  bool warning = false;
  bool low = false;  // a power-saving state that ends with traffic
  std::vector<Fact> facts;
  std::vector<std::uint32_t> links;  // places in Graph::links
};

struct Cell {
  std::string text;
  bool warning = false;
  bool same = false;  // no information: a node with itself, or no link where none is expected
};

struct Table {
  std::string id;  // anchor in the page: "findings"
  std::string title;
  std::string note;  // how to read it
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // the first cell is the header of its row
  bool matrix = false;                  // cells are short numbers
};

struct Picture {
  std::string title, subtitle;
  std::vector<std::string> notes;  // sentences below the title: the recognised shape, omissions
  double width = 0, height = 0;
  std::vector<Box> boxes;  // a frame before its contents
  std::vector<Edge> edges;
  std::vector<Table> tables;
  std::vector<std::string> findings;  // a sentence each, the most severe first
};

// Accepts any graph and never throws; equal graphs and findings give equal pictures. Takes linear time, except for sorting. What
// the findings are about is drawn as exceptions; the table "findings" has them all, and a note says what was checked.
[[nodiscard]] Picture lay_out(const Graph&, const Diagnosis& = {});

}  // namespace railgauge::topo
