// PMI-1 as launcher: mpirun of MPICH and Intel MPI, srun --mpi=pmi2. The protocol is eight commands over a descriptor that the
// launcher leaves open, in lines of words KEY=VALUE; it needs no library.
#pragma once

#include <memory>

#include "base/environment.hpp"
#include "bench/launch/launcher.hpp"

namespace railgauge {

// Connects to the launcher at PMI_FD. Waits for each answer at most `deadline`. Throws Error(usage) where a variable is missing
// or wrong, and, with the answer, where the launcher violates the protocol.
[[nodiscard]] std::unique_ptr<LauncherSession> open_pmi(const Environment& environment, Seconds deadline);

// The placement of ranks by PMI_process_mapping: "(vector,(0,2,4),(2,1,1))" is four ranks on each of nodes 0 and 1, in blocks,
// and one on node 2; the list repeats for further ranks. Returns local rank, local size and node number of `rank` among `size`;
// throws Error(usage) with the text where it is no such list.
struct MappedPlace {
  int node = 0, local_rank = 0, local_size = 1;
};
[[nodiscard]] MappedPlace place_in_mapping(const std::string& mapping, int rank, int size);

}  // namespace railgauge
