// Which picture a graph gets.
#include "topo/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topo/layout/fabric.hpp"
#include "topo/layout/machine.hpp"
#include "topo/layout/measure.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

using namespace layout;

constexpr std::size_t most_machines = 16;  // drawn below each other; the rest is counted
constexpr double between_machines = 60, heading = 34;

void add_machines(Picture& picture, const Index& index, const Marks& marks, const std::vector<std::size_t>& machines,
                  bool named) {
  for (std::size_t i = 0; i < machines.size() && i < most_machines; ++i) {
    const std::size_t machine = machines[i];
    if (i > 0) picture.height += between_machines;
    if (named) {
      Box note;
      note.id = index.node(machine).key;
      note.role = Role::note;
      note.kind = Kind::machine;
      note.at = {0, picture.height};
      note.width = 1200;
      note.height = heading;
      note.lines = {fitted(index.node(machine).name, 400, title_size, true), fitted(summary_of(index, machine), 900, line_size)};
      picture.boxes.push_back(std::move(note));
      picture.height += heading + 8;
    }
    picture.height = add_machine(picture, index, marks, machine, picture.height);
  }
  if (machines.size() > most_machines)
    picture.notes.push_back(
        fmt::format("{} further machines are not drawn: give them one at a time.", machines.size() - most_machines));
}

// Whether more is known of a machine than that it has NICs in a fabric.
bool known_inside(const Index& index, std::size_t machine) {
  for (const std::uint32_t child : index.children(machine))
    if (index.node(child).kind != Kind::nic && index.node(child).kind != Kind::port) return true;
  return false;
}

constexpr std::size_t most_beside_a_fabric = 4;

Picture lay_out_fabric(const Index& index, const Marks& marks, const Fabric& fabric) {
  Picture picture;
  picture.title =
      fmt::format("{}, {}", counted(fabric.switches.size(), "switch", "switches"), counted(fabric.hosts.size(), "host", "hosts"));
  std::size_t links = 0;
  for (const Link& link : index.graph.links)
    links += link.kind == LinkKind::infiniband || link.kind == LinkKind::ethernet ? link.count : 0;
  picture.subtitle = fabric.shape_words;
  if (links != 0) picture.subtitle += fmt::format(", {}", counted(links, "link", "links"));
  add_fabric(picture, fabric);
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < index.graph.nodes.size(); ++i)
    if (index.node(i).kind == Kind::machine && known_inside(index, i)) inside.push_back(i);
  if (inside.size() > most_beside_a_fabric)
    picture.notes.push_back(
        fmt::format("What is known of the inside of {} machines is not drawn here: give them one at a time.", inside.size()));
  else if (!inside.empty()) {
    picture.height += between_machines;
    add_machines(picture, index, marks, inside, true);
  }
  return picture;
}

Picture lay_out_machines(const Index& index, const Marks& marks) {
  Picture picture;
  const Graph& graph = index.graph;
  std::vector<std::size_t> machines;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == Kind::machine) machines.push_back(i);
  if (machines.empty() && !graph.nodes.empty()) machines.push_back(0);
  if (machines.empty()) {
    picture.title = "nothing";
    return picture;
  }
  picture.title = machines.size() == 1 ? printable(graph.nodes[machines.front()].name) : counted(machines.size(), Kind::machine);
  if (machines.size() == 1) picture.subtitle = printable(summary_of(index, machines.front()));
  add_machines(picture, index, marks, machines, machines.size() > 1);
  return picture;
}

// As text tells them, all of them.
Table table_of(const std::vector<Finding>& findings) {
  Table table;
  table.id = "findings";
  table.title = fmt::format("Findings: {}", findings.size());
  table.columns = {"severity", "rule", "one end", "other end", "found", "expected", "why", "what to do"};
  for (const Finding& it : findings) {
    const bool counts = it.severity != Severity::note;
    std::vector<Cell> cells{{std::string(word(it.severity)), counts, false}};
    for (const std::string& text : {it.rule, it.a.name, it.b.name, it.found, it.expected, it.why, it.action})
      cells.push_back({printable(text), false, false});
    cells[4].warning = counts;
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

Picture lay_out(const Graph& graph, const Diagnosis& diagnosis) {
  const Index index(graph);
  const View view(graph);
  const Marks marks(view, diagnosis.findings);
  const Fabric fabric(fabric::read_fabric(view), marks);
  Picture picture = fabric.switches.empty() ? lay_out_machines(index, marks) : lay_out_fabric(index, marks, fabric);
  if (picture.boxes.empty()) return picture;
  picture.notes.insert(picture.notes.begin(), printable(summary(diagnosis)));
  picture.tables.insert(picture.tables.begin(), table_of(diagnosis.findings));
  for (const Finding& it : diagnosis.findings) picture.findings.push_back(headline(it));
  return picture;
}

}  // namespace railgauge::topo
