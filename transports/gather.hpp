// An allgather at set-up of plain data of one type.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "transports/group.hpp"

namespace railgauge {

// Collective: element r is what rank r gave. Throws Error(usage) where a rank gave data of another size.
template <class Value>
[[nodiscard]] std::vector<Value> gather(Group& group, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Blob blob(sizeof mine);
  std::memcpy(blob.data(), &mine, sizeof mine);
  std::vector<Value> values;
  for (const Blob& theirs : group.allgather(blob)) {
    if (theirs.size() != sizeof mine) throw Error(Fault::usage, "the ranks are of different versions of railgauge");
    std::memcpy(&values.emplace_back(), theirs.data(), sizeof mine);
  }
  return values;
}

}  // namespace railgauge
