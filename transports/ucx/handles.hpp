// UCX's handles as owned types, and its statuses as errors.
#pragma once

#include <ucp/api/ucp.h>

#include <memory>
#include <string_view>

#include "transports/transport.hpp"

namespace railgauge::ucx {

struct Options;

// Throws Error(usage, "CALL: what UCX says") unless `status` is UCS_OK. `call` says the call and what it was for.
void require(ucs_status_t status, std::string_view call);

struct ContextCleanup {
  void operator()(ucp_context* context) const noexcept { ucp_cleanup(context); }
};
struct WorkerDestroy {
  void operator()(ucp_worker* worker) const noexcept { ucp_worker_destroy(worker); }
};
using Context = std::unique_ptr<ucp_context, ContextCleanup>;
using Worker = std::unique_ptr<ucp_worker, WorkerDestroy>;

// One open UCX: its devices and, per endpoint, its registered memory.
struct Opened {
  Context context;
  std::size_t request_bytes = 0;   // of UCX's own part of a request
  std::uint64_t memory_types = 0;  // a bit for each ucs_memory_type_t that it can send
};

// Opens the devices for `ranks` peers; network devices limited to `port` unless it is empty. Throws Error(usage).
[[nodiscard]] Opened open_context(const Options& options, const std::string& port, int ranks);
// `client` is what this worker calls itself where it connects to a listener.
[[nodiscard]] Worker make_worker(ucp_context_h context, std::uint64_t client);
[[nodiscard]] Blob address_of(ucp_worker_h worker);

[[nodiscard]] ucs_memory_type_t memory_type(MemoryKind kind) noexcept;

// Memory that one context has registered.
class Registration {
 public:
  Registration(ucp_context_h context, const Region& region);
  ~Registration() { ucp_mem_unmap(context_, handle_); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  [[nodiscard]] ucp_mem_h handle() const noexcept { return handle_; }

 private:
  ucp_context_h context_;
  ucp_mem_h handle_ = nullptr;
};

}  // namespace railgauge::ucx
