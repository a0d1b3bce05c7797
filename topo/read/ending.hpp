// Whether a file made of lines is whole: what its end tells.
#pragma once

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// For what railgauge itself collects. Throws Error(usage) where the last line is cut, and notes in the graph where the line is
// missing that marks the end (end_of_evidence).
void check_end(Graph& graph, const Reading& reading);

// For files that people edit and paste: notes in the graph where the last line has no newline, so that nobody can tell whether it
// is whole.
void note_open_line(Graph& graph, const Reading& reading);

// Throws Error(usage): the last line has no newline at its end, and more could belong to it.
[[noreturn]] void refuse_open_line(const Reading& reading);

// Throws Error(usage): the last line has no newline at its end, and as it stands it is not whole.
[[noreturn]] void refuse_cut(const Reading& reading, std::string_view lacking);

}  // namespace railgauge::topo
