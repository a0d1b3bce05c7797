// Registers a page at a time.
#include "transports/verbs/counters.hpp"

#include <cerrno>

namespace railgauge::verbs {

Counter Counters::take() {
  if (slabs_.empty() || used_ == slabs_.back().page->values.size()) {
    auto page = std::make_unique<Page>();
    Memory memory(
        ibv_reg_mr(port_.domain(), page->values.data(), sizeof page->values, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    if (!memory) throw failure("ibv_reg_mr of 8192 bytes", port_.where(), errno);
    slabs_.push_back({std::move(page), std::move(memory)});
    used_ = 0;
  }
  Slab& slab = slabs_.back();
  return {&slab.page->values[used_++], slab.memory->lkey, slab.memory->rkey};
}

}  // namespace railgauge::verbs
