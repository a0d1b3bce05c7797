// Connecting by an address of the network instead of by what UCX tells of a worker: for RDMA where UCX's own set-up
// messages (UD) do not get through, as services in the field do.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "transports/ucx/handles.hpp"

namespace railgauge::ucx {

class Listener {
 public:
  // Listens at the first address (IPv4 before IPv6) of the network interface `device`, or of that which the port "mlx5_0:1" of an
  // RDMA device belongs to; port 0 of TCP's, so that the kernel chooses. Throws Error(usage).
  Listener(ucp_worker_h worker, const std::string& device);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // What a peer needs to connect: a sockaddr.
  [[nodiscard]] const Blob& address() const noexcept { return address_; }
  // The request to connect that rank `client` has sent, once it is there. Requests come while the worker moves.
  [[nodiscard]] std::optional<ucp_conn_request_h> take(std::uint64_t client);

 private:
  static void on_request(ucp_conn_request_h request, void* self);

  ucp_listener_h listener_ = nullptr;
  std::map<std::uint64_t, ucp_conn_request_h> requests_;  // by client
  Blob address_;
};

}  // namespace railgauge::ucx
