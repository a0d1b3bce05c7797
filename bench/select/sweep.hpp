// The options of `railgauge bench`, and the points that follow from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/select/choose.hpp"
#include "bench/select/refused_file.hpp"
#include "transports/collectives.hpp"
#include "transports/transport.hpp"

namespace railgauge {

enum class Buffering : std::uint8_t { out_of_place, in_place, both };

// As given on the command line, names not yet looked up. Lists are in the order in which they were given.
struct SweepOptions {
  std::vector<std::string> collectives;        // or "all"
  std::vector<std::string> algorithms;         // names, "native", "auto" or "all"; empty: all for "all", else auto
  std::vector<const Algorithm*> stored;        // of files that are named, and of folders (bench/select/stored.hpp); not owned
  std::vector<RefusedFile> refused;            // of folders
  std::vector<std::string> bytes = {"8:64M"};  // sizes and ranges A:B
  double factor = 2;                           // from one size of a range to the next
  std::vector<std::string> types = {"float32"};
  std::vector<std::string> ops = {"sum"};
  int root = 0;
  std::size_t lanes = 1;
  std::uint32_t window = Shape{}.window;  // of stream and bidirectional
  std::uint64_t seed = Shape{}.seed;      // of permutation
  std::vector<std::uint64_t> counts;      // of all_to_all_v, in place of `bytes` (bench/select/counts.hpp); empty: none given
  std::optional<int> ranks_per_node;      // empty: as the nodes of the ranks say
  Buffering buffering = Buffering::out_of_place;
  std::size_t most_operands = 0;  // of one reduction, as the device has it; 0: any number
};

// One point on one transport; a point that cannot be run has a reason.
struct Point {
  CollectiveSpec spec;      // shape.rank is 0: each rank puts in its own
  std::uint64_t bytes = 0;  // S that was asked for
  std::string refusal;      // empty when it can be run
};

// Reads "8", "1K", "8:64M": sizes in ascending order of each item. Throws Error(usage) that quotes the item.
[[nodiscard]] std::vector<std::uint64_t> parse_sizes(const std::vector<std::string>& items, double factor);

// A line for each file of a folder that is refused, or does not fit.
[[nodiscard]] std::vector<std::string> folder_notes(const SweepOptions& options, int ranks);

// All points for that many ranks, in the order in which they are measured. Throws Error(usage) for unknown names, sizes that are
// no whole number of elements, a root that is no rank, and for an algorithm that was asked for by name and cannot serve; an
// algorithm that "all" includes and that cannot serve becomes a point with a refusal. `choose` answers for "auto", `library` for
// "native": null where the transport has none.
[[nodiscard]] std::vector<Point> make_points(const SweepOptions& options, int ranks, int ranks_per_node, const Choose& choose,
                                             const CollectiveTable* library = nullptr);

}  // namespace railgauge
