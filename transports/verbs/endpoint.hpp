// One rank's end of the verbs transport: its ports, and a lane on one of them for each lane of its place.
#pragma once

#include <memory>
#include <vector>

#include "transports/verbs/lane.hpp"
#include "transports/verbs/native/operations.hpp"
#include "transports/verbs/settings.hpp"

namespace railgauge::verbs {

class VerbsEndpoint final : public Endpoint {
 public:
  VerbsEndpoint(Group& group, const Place& place, const Options& options);

  [[nodiscard]] std::string refusal(const Region& region) override;
  void attach(const Region& region) override;
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return nullptr; }
  [[nodiscard]] std::vector<std::string> ports() const override;

  // Over the port of lane 0. `ping_pong`: the latency of something that has two halves.
  [[nodiscard]] std::unique_ptr<Native> make_native(Operation operation, const NativeRun& run, bool ping_pong);

 private:
  Group& group_;
  bool oversubscribed_;                       // ranks of some host share cores
  Options given_, options_;                   // options_: with what follows from where the ranks are
  std::vector<std::unique_ptr<Port>> ports_;  // outlive the lanes
  std::vector<std::unique_ptr<VerbsLane>> lanes_;
};

// The port of each of `lanes` lanes of a rank. The ranks of a host take the `asked` ports round-robin, the lanes of a rank one
// after the other; without any, a place that names a port has it, and the `active` ones are taken likewise. `number`: of
// the rank, among those of its host.
[[nodiscard]] std::vector<PortName> ports_of(const Place& place, std::span<const PortName> asked,
                                             std::span<const PortName> active, std::size_t number);

}  // namespace railgauge::verbs
