// One value of each rank, where all ranks run the same program.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "transports/group.hpp"

namespace railgauge {

// Collective. Element r is rank r's. Throws Error(usage) where the ranks' values have different sizes.
template <class Value>
[[nodiscard]] std::vector<Value> gather(Group& group, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Blob blob(sizeof mine);
  std::memcpy(blob.data(), &mine, sizeof mine);
  std::vector<Value> values;
  for (const Blob& its : group.allgather(blob)) {
    if (its.size() != sizeof mine) throw Error(Fault::usage, "the ranks are of different versions of railgauge");
    std::memcpy(&values.emplace_back(), its.data(), sizeof mine);
  }
  return values;
}

}  // namespace railgauge
