// The segment that the processes of a run share, whoever of them comes first.
#pragma once

#include <cstddef>

namespace softgpu {

// World::bytes for the machine, and a Hosts::Directory behind them, zeroed at first. Where the process' parents used this
// library, it is theirs: told by RAILGAUGE_SOFTGPU_WORLD, "process:descriptor:inode", which this function sets where it is not
// set. Processes with no parent in common share one when the variable is the name of a file. Ends the process with a sentence
// when it cannot be mapped. Called when the library is loaded, before there are children.
[[nodiscard]] std::byte* world_segment();

}  // namespace softgpu
