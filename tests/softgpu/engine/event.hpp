// An event: a place in a stream, or in a capture.
#pragma once

#include <cstddef>
#include <memory>
#include <set>

#include "tests/softgpu/engine/work.hpp"

namespace softgpu {

class Gpu;
struct Capture;

struct Event {
  Gpu* gpu = nullptr;
  bool timed = false;
  SharedOp recorded = {};                 // null: never
  std::shared_ptr<Capture> capture = {};  // of a record in a capture
  std::set<std::size_t> tips = {};        // there
};

}  // namespace softgpu
