// A group of a workload as a transport sees it: an endpoint whose peers are numbered within the group.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "transports/transport.hpp"

namespace railgauge {

// Hands everything on to the endpoint of all ranks, which outlives it; memory is attached there. Exchanges are prepared in one
// lane of it, and match each other by the order in which both ends of a pair prepare them.
class GroupEndpoint final : public Endpoint {
 public:
  // `ranks`: of the endpoint, by rank in the group; also outlives it.
  GroupEndpoint(Endpoint& all, const std::vector<int>& ranks, std::size_t lane) : all_(all), ranks_(ranks), lane_(lane) {}

  void attach(const Region& region) override { all_.attach(region); }
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t /*lane*/, std::vector<std::vector<Message>> rounds) override {
    for (std::vector<Message>& round : rounds)
      for (Message& message : round) message.peer = ranks_[static_cast<std::size_t>(message.peer)];
    return all_.prepare(lane_, std::move(rounds));
  }
  // Its order of ranks is the endpoint's, not the group's.
  [[nodiscard]] const Mapping* mapping() const override { return nullptr; }

 private:
  Endpoint& all_;
  const std::vector<int>& ranks_;
  std::size_t lane_;
};

}  // namespace railgauge
