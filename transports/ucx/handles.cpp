// Makes UCX's handles.
#include "transports/ucx/handles.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "transports/ucx/settings.hpp"

namespace railgauge::ucx {

void require(ucs_status_t status, std::string_view call) {
  if (status != UCS_OK) throw Error(Fault::usage, fmt::format("{}: {}", call, ucs_status_string(status)));
}

ucs_memory_type_t memory_type(MemoryKind kind) noexcept {
  switch (kind) {
    case MemoryKind::cuda:
      return UCS_MEMORY_TYPE_CUDA;
    case MemoryKind::managed:
      return UCS_MEMORY_TYPE_CUDA_MANAGED;
    case MemoryKind::host:
    case MemoryKind::pinned:
      break;
  }
  return UCS_MEMORY_TYPE_HOST;
}

Opened open_context(const Options& options, const std::string& port, int ranks) {
  const Configuration configuration = read_configuration(options, port);
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  parameters.features = UCP_FEATURE_TAG;
  parameters.estimated_num_eps = static_cast<std::size_t>(ranks);
  ucp_context_h context = nullptr;
  if (const ucs_status_t status = ucp_init(&parameters, configuration.get(), &context); status != UCS_OK)
    throw Error(Fault::usage, fmt::format("ucp_init: {}; `ucx_info -d` lists the transports and devices that UCX finds here, "
                                          "for ucx.tls, ucx.devices, UCX_TLS and UCX_NET_DEVICES",
                                          ucs_status_string(status)));
  Opened opened{.context = Context(context)};

  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_REQUEST_SIZE | UCP_ATTR_FIELD_MEMORY_TYPES;
  require(ucp_context_query(context, &attributes), "ucp_context_query");
  opened.request_bytes = attributes.request_size;
  opened.memory_types = attributes.memory_types;
  return opened;
}

Worker make_worker(ucp_context_h context, std::uint64_t client) {
  ucp_worker_params_t parameters{};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_CLIENT_ID;
  parameters.client_id = client;
  parameters.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  require(ucp_worker_create(context, &parameters, &worker), "ucp_worker_create");
  return Worker(worker);
}

Blob address_of(ucp_worker_h worker) {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  require(ucp_worker_get_address(worker, &address, &bytes), "ucp_worker_get_address");
  const auto* first = reinterpret_cast<const std::byte*>(address);
  Blob blob(first, first + bytes);
  ucp_worker_release_address(worker, address);
  return blob;
}

Registration::Registration(ucp_context_h context, const Region& region) : context_(context) {
  ucp_mem_map_params_t parameters{};
  parameters.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
  parameters.address = region.address;
  parameters.length = region.bytes;
  parameters.memory_type = memory_type(region.kind);
  require(ucp_mem_map(context, &parameters, &handle_), fmt::format("ucp_mem_map of {} bytes", region.bytes));
}

}  // namespace railgauge::ucx
