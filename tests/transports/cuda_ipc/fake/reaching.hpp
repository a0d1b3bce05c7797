// A transport that sends memory of the tests' device from where the host can touch it: what it could do with GPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/transports/cuda_ipc/fake/memory.hpp"
#include "transports/transport.hpp"

namespace railgauge::test {

class ReachingEndpoint final : public Endpoint {
 public:
  explicit ReachingEndpoint(std::unique_ptr<Endpoint> inner) : inner_(std::move(inner)) {}
  std::string refusal(const Region& region) override { return inner_->refusal(reached(region)); }
  void attach(const Region& region) override { inner_->attach(reached(region)); }
  std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override {
    for (std::vector<Message>& round : rounds)
      for (Message& message : round)
        if (message.bytes != 0) message.address = fake_cuda::readable(message.address);
    return inner_->prepare(lane, std::move(rounds));
  }
  [[nodiscard]] const Mapping* mapping() const override { return inner_->mapping(); }
  [[nodiscard]] std::vector<std::string> ports() const override { return inner_->ports(); }

 private:
  static Region reached(Region region) {
    if (region.kind != MemoryKind::cuda) return region;
    region.address = fake_cuda::readable(region.address);
    region.kind = MemoryKind::host;
    return region;
  }

  std::unique_ptr<Endpoint> inner_;
};

template <class Inner>
class ReachingTransport final : public Transport {
 public:
  explicit ReachingTransport(const Settings& settings) : inner_(settings) {}
  [[nodiscard]] std::string_view name() const override { return inner_.name(); }
  [[nodiscard]] Abilities abilities() const override { return inner_.abilities(); }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override {
    return std::make_unique<ReachingEndpoint>(inner_.connect(group, place));
  }

 private:
  Inner inner_;
};

template <class Inner>
[[nodiscard]] std::unique_ptr<Transport> open_reaching(const Settings& settings) {
  return std::make_unique<ReachingTransport<Inner>>(settings);
}

}  // namespace railgauge::test
