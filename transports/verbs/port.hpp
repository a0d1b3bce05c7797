// One port of an RDMA device, opened: its addresses, and the memory that is registered with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transports/verbs/gid.hpp"
#include "transports/verbs/handles.hpp"
#include "transports/verbs/listener.hpp"
#include "transports/verbs/settings.hpp"

namespace railgauge::verbs {

struct PortName {
  std::string device;
  std::uint8_t number = 1;
  [[nodiscard]] std::string text() const;  // "mlx5_0/1"
};

// "mlx5_0:1", "mlx5_0/1" or "mlx5_0", whose port is 1. Throws Error(usage).
[[nodiscard]] PortName parse_port(const std::string& text);

// The ports of this machine whose state is ACTIVE, by name, as far as they have the link layer of the first. Throws Error(usage)
// that tells all ports' states when none is.
[[nodiscard]] std::vector<PortName> active_ports();

// Why no RDMA can be done on this machine; empty when it can.
[[nodiscard]] std::string missing_devices();

class Port {
 public:
  // Throws Error(usage) that names device, port and cause: no such device (and which there are), a port that is not ACTIVE, a
  // port without a usable GID.
  Port(const Options& options, const PortName& name);

  // Why memory of a device cannot be registered, as the call says it; empty where it can.
  [[nodiscard]] std::string refusal(const Region& region) const;
  // Registers `region`; the k-th call's key is keys()[k]. An empty region has none.
  void attach(const Region& region);
  // The registration that holds these bytes, and whether the processor can read them; throws Error(usage) when none does.
  [[nodiscard]] const ibv_mr& memory_of(const std::byte* address, std::size_t bytes) const;
  [[nodiscard]] bool is_readable(const std::byte* address, std::size_t bytes) const;

  [[nodiscard]] const std::string& where() const noexcept { return where_; }  // "mlx5_0/1"
  [[nodiscard]] std::uint8_t number() const noexcept { return name_.number; }
  [[nodiscard]] ibv_context* context() const noexcept { return context_; }
  [[nodiscard]] ibv_pd* domain() const noexcept { return domain_.get(); }
  [[nodiscard]] const ibv_port_attr& attributes() const noexcept { return attributes_; }
  [[nodiscard]] const ibv_device_attr& device() const noexcept { return device_; }
  [[nodiscard]] const Gid& gid() const noexcept { return gid_; }
  [[nodiscard]] bool ethernet() const noexcept { return attributes_.link_layer == IBV_LINK_LAYER_ETHERNET; }
  [[nodiscard]] bool atomics() const noexcept { return device_.atomic_cap != IBV_ATOMIC_NONE; }
  [[nodiscard]] bool iwarp() const noexcept { return context_->device->transport_type == IBV_TRANSPORT_IWARP; }
  [[nodiscard]] Listener* listener() const noexcept { return listener_.get(); }  // null: connected over the control tree
  // What the port says of itself now, for the sentence about a failure: "port mlx5_0/1 is DOWN".
  [[nodiscard]] std::string state_now() const;
  // False too when it cannot be asked.
  [[nodiscard]] bool is_active() const noexcept;

 private:
  void open(const Options& options);
  void find_gid(const Options& options);

  PortName name_;
  std::string where_;
  Context own_;                         // null where rdma_cm has opened the device
  std::unique_ptr<Listener> listener_;  // null without rdma_cm
  ibv_context* context_ = nullptr;
  Domain domain_;
  ibv_port_attr attributes_{};
  ibv_device_attr device_{};
  Gid gid_{};
  struct Attached {
    Region region;
    Memory memory;  // null of an empty region
  };
  [[nodiscard]] Memory registered(const Region& region) const;
  [[nodiscard]] const Attached& attached_at(const std::byte* address, std::size_t bytes) const;
  std::vector<Attached> memory_;
};

}  // namespace railgauge::verbs
