// The distinct calls and messages of a step, each with all groups that make it at the same moment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload/matches.hpp"
#include "bench/workload/predict/fold.hpp"

namespace railgauge {

// Groups that make the same call, with links that they share.
struct Together {
  std::string kind;                      // of the groups
  Collective what = Collective::stream;  // of messages: stream
  Type type = Type::float32;
  int root = 0;
  std::uint64_t elements = 0;
  std::vector<std::uint64_t> counts;              // of all_to_all_v, row by row
  std::vector<std::vector<std::int32_t>> groups;  // ranks of the whole workload; of a message its sender and its receiver
};

struct Calls {
  std::vector<Together> all;
  std::vector<std::uint32_t> of_match;  // place in `all`
};

// Calls are made together where kind and size of the groups, collective, type, root, elements and counts are the same, and no
// rank is in two of the groups; counts that are others turned by some ranks are the same. Messages are made together between
// ranks as far apart in groups of one kind and size.
[[nodiscard]] Calls calls_of(const Folded& folded, const Matches& matches);

}  // namespace railgauge
