// The reductions of schedules beside what a device takes; bench/select/width.hpp.
#include "bench/select/width.hpp"

#include <algorithm>
#include <vector>

#include "bench/schedule/width.hpp"

namespace railgauge {

// Of rank 0 and the root, whose reductions are the widest; of schedules from a file, of every rank.
std::string too_wide(const Algorithm& algorithm, Shape shape, std::size_t most) {
  if (most == 0 || static_cast<std::size_t>(shape.ranks) <= most) return {};
  std::vector<std::int32_t> ranks{0, shape.root};
  if (algorithm.stored != nullptr)
    for (std::int32_t rank = 1; rank < shape.ranks; ++rank) ranks.push_back(rank);
  for (const std::int32_t rank : ranks) {
    shape.rank = rank;
    const std::size_t width = widest_reduction(algorithm.schedule(shape));
    if (width > most)
      return "it reduces " + std::to_string(width) + " blocks at once, and the kernels of the device take up to " +
             std::to_string(most);
  }
  return {};
}

// In place of what is best but too wide for the device: the first that serves.
const Algorithm* narrow_enough(const Algorithm* best, const Shape& shape, bool in_place, std::size_t most) {
  if (best == nullptr || too_wide(*best, shape, most).empty()) return best;
  const auto found = std::find_if(catalog().begin(), catalog().end(), [&](const Algorithm& other) {
    return other.collective == best->collective && (other.in_place || !in_place) && !other.equal_blocks &&
           other.refusal(shape).empty() && too_wide(other, shape, most).empty();
  });
  return found == catalog().end() ? best : &*found;
}

}  // namespace railgauge
