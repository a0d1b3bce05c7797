// The arcs that a flow takes, and which share of it goes through each.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>

namespace railgauge::predict {

struct Use {
  std::uint32_t arc = 0;
  double share = 1;  // of what passes through the part
};

// A piece that many paths have in common, and which share of the flow takes it. Whoever made the piece keeps it.
struct Part {
  std::span<const Use> uses;
  double share = 1;
};

using Path = boost::container::small_vector<Part, 3>;

// Calls use(arc, share) for each arc.
template <class Visit>
void visit(const Path& path, Visit&& use) {
  for (const Part& part : path)
    for (const Use& it : part.uses) use(it.arc, it.share * part.share);
}

}  // namespace railgauge::predict
