// PMI-1 as launcher: mpirun of MPICH and Intel MPI, srun --mpi=pmi2. Eight commands over a descriptor that the launcher left
// open, in lines of words KEY=VALUE; no library is needed.
#pragma once

#include <memory>

#include "base/environment.hpp"
#include "bench/launch/launcher.hpp"

namespace railgauge {

// Speaks to the launcher at PMI_FD. Each answer is awaited for at most `deadline`. Throws Error(usage) where a variable is
// missing or wrong, and where the launcher answers otherwise than the protocol says, with what it said.
[[nodiscard]] std::unique_ptr<LauncherSession> open_pmi(const Environment& environment, Seconds deadline);

// Where the ranks are, as PMI_process_mapping says: "(vector,(0,2,4),(2,1,1))" is four ranks on each of nodes 0 and 1, in blocks,
// and one on node 2; what it lists is repeated for further ranks. Gives local rank, local size and node number of `rank` among
// `size`; throws Error(usage) with the text where it is no such list.
struct MappedPlace {
  int node = 0, local_rank = 0, local_size = 1;
};
[[nodiscard]] MappedPlace place_in_mapping(const std::string& mapping, int rank, int size);

}  // namespace railgauge
