// A group of one rank, which may hear of a death.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "transports/group.hpp"

namespace railgauge::test {

class Alone : public Group {
 public:
  Alone() : Group(0, {"here"}) {}
  std::vector<Blob> allgather(const Blob& mine) override { return {mine}; }
  void barrier() override {}
  std::vector<Blob> exchange(std::span<const int> /*peers*/, std::span<const Blob> /*blobs*/) override { return {}; }
  std::unique_ptr<Group> split(int /*colour*/) override { return std::make_unique<Alone>(); }
  void check() const override {
    if (dead) throw Error(Fault::lost, "rank 7 is dead");
  }
  bool dead = false;
};

}  // namespace railgauge::test
