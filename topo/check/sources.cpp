// What the sources of the graph lack: what is not there cannot be checked.
#include <utility>

#include "topo/check/rules.hpp"
#include "topo/notes.hpp"

namespace railgauge::topo {

void check_sources(const Context& context, Findings& findings) {
  const View& view = context.view;
  for (std::size_t i = 0; i < view.graph().nodes.size(); ++i)
    for (const std::string& note : list_of(view.node(i).attributes, notes_attribute)) {
      Finding finding;
      finding.rule = "incomplete-source";
      finding.severity = Severity::note;
      finding.a = view.node_port(i);
      finding.found = note;
      finding.why = "what a file lacks is not checked, and what is there may be wrong where it ends";
      finding.action = "Take the file again, and look whether it is longer";
      findings.add(std::move(finding));
    }
}

}  // namespace railgauge::topo
