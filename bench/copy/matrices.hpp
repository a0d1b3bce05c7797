// What `railgauge bench copy` was asked for, and the matrices of cells that follow from it. docs/copies.md shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/copy/places.hpp"

namespace railgauge {

// As given on the command line, names not yet looked up.
struct CopyOptions {
  std::vector<std::string> from, to;    // names of places; empty: all
  std::vector<int> gpus;                // the only devices that take part; empty: all
  std::vector<std::string> ways;        // --way: "engine", "kernel" or "all"; empty: engine where there is one, else kernel
  std::vector<std::string> algorithms;  // "one_way", "two_way", "chase" or "all"; empty: one_way
  std::vector<std::string> bytes = {"256M"};
  double factor = 2;
};

// One copy, or one in each direction, or a walk through memory of `from` by a processor of `to`. Both are indices into
// CopyPlaces::places.
struct CopyCell {
  std::size_t from = 0, to = 0;
};

// Cells that can be compared with each other: copies between the same kinds of memory, done by the same mover.
struct CopyMatrix {
  const CopyTable* table = nullptr;
  CopyMover mover = CopyMover::kernel;
  bool reads = false;  // as CopyOrder has it
  bool both_ways = false;
  bool chase = false;  // in place of a copy: a processor follows pointers (bench/device/chase.hpp)
  std::uint64_t bytes = 0;
  std::string way;     // by --way: "engine", "kernel"; where either end could run it "engine_read", "engine_write", ...
  std::string memory;  // where the buffers are: "host", "pinned+cuda", "cuda+pinned", "cuda"
  std::vector<CopyCell> cells;
};

// "one_way", "two_way" or "chase".
[[nodiscard]] const char* algorithm_of(const CopyMatrix& matrix) noexcept;

// In the order in which they are measured. Between a GPU and the host those NUMA nodes count that --from or --to names, and the
// one that the GPU stands at (all, where that is not known). A chase goes through as much of `bytes` as is a power of two, and
// there is none for less than chain::least. Throws Error(usage) for what there is not, and where nothing is left to copy.
[[nodiscard]] std::vector<CopyMatrix> copy_matrices(const CopyOptions& options, const CopyPlaces& found);

// The most memory of the host that one cell of them takes.
[[nodiscard]] std::uint64_t host_bytes_needed(const std::vector<CopyMatrix>& matrices, const CopyPlaces& found);

}  // namespace railgauge
