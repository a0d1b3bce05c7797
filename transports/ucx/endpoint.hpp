// One rank's end of the UCX transport: its devices, registered memory and lanes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transports/ucx/exchange.hpp"
#include "transports/ucx/settings.hpp"

namespace railgauge::ucx {

class UcxEndpoint final : public Endpoint {
 public:
  UcxEndpoint(Group& group, const Place& place, const Options& options);
  ~UcxEndpoint() override;
  UcxEndpoint(const UcxEndpoint&) = delete;
  UcxEndpoint& operator=(const UcxEndpoint&) = delete;

  [[nodiscard]] std::string refusal(const Region& region) override;
  void attach(const Region& region) override;
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return nullptr; }

 private:
  // The lanes of one port share a UCX context, since UCX chooses devices by context.
  struct Port {
    std::string name;
    Opened opened;
    std::vector<std::unique_ptr<Registration>> memory;  // by region; null for an empty one
  };
  struct Rail {
    std::size_t port;
    std::unique_ptr<UcxLane> lane;
  };

  void abandon();
  [[nodiscard]] std::size_t region_of(const Message& message) const;  // which has its bytes

  Group& group_;
  std::vector<Region> regions_;
  std::vector<Port> ports_;  // outlive the rails
  std::vector<Rail> rails_;
};

}  // namespace railgauge::ucx
