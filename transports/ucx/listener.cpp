// Finds the interface's address and listens there.
#include "transports/ucx/listener.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.hpp"

namespace railgauge::ucx {
namespace {

namespace fs = std::filesystem;

// The interface that a port of an RDMA device belongs to; "eth0" and the like are their own. On Ethernet the entry of the GID
// with the lowest index tells it, on InfiniBand (IPoIB) the device.
std::string interface_of(const std::string& device) {
  const std::size_t colon = device.find(':');
  const fs::path folder = fs::path("/sys/class/infiniband") / device.substr(0, colon);
  const fs::path gids = folder / "ports" / (colon == std::string::npos ? "1" : device.substr(colon + 1)) / "gid_attrs" / "ndevs";
  std::error_code none;
  std::map<int, std::string> interfaces;  // by index
  for (const fs::directory_entry& entry : fs::directory_iterator(gids, none)) {
    std::string name;
    if (std::ifstream(entry.path()) >> name)  // an entry that is not set cannot be read
      interfaces.emplace(std::atoi(entry.path().filename().c_str()), name);
  }
  if (interfaces.empty())
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "device" / "net", none))
      interfaces.emplace(0, entry.path().filename());
  return interfaces.empty() ? device : interfaces.begin()->second;
}

std::size_t length_of(const sockaddr& address) {
  return address.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

bool is_link_local(const sockaddr& address) {
  return address.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

// Throws Error(usage) when the interface has none.
Blob address_of_interface(const std::string& device) {
  const std::string interface = interface_of(device);
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) throw Error(Fault::usage, fmt::format("getifaddrs: {}", std::strerror(errno)));
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> interfaces(list, freeifaddrs);
  for (const int family : {AF_INET, AF_INET6})
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
      if (interface != one->ifa_name || one->ifa_addr == nullptr || one->ifa_addr->sa_family != family) continue;
      if (is_link_local(*one->ifa_addr)) continue;
      const auto* first = reinterpret_cast<const std::byte*>(one->ifa_addr);
      return {first, first + length_of(*one->ifa_addr)};
    }
  throw Error(Fault::usage, fmt::format("ucx.connect=listener: the network interface of {} has no address", device));
}

}  // namespace

Listener::Listener(ucp_worker_h worker, const std::string& device) {
  if (device.find(',') != std::string::npos || device == "all")
    throw Error(Fault::usage, "ucx.connect=listener listens at one interface: name it, for example --set ucx.devices=mlx5_0:1");
  const Blob wanted = address_of_interface(device);
  ucp_listener_params_t parameters{};
  parameters.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  parameters.sockaddr = {reinterpret_cast<const sockaddr*>(wanted.data()), static_cast<socklen_t>(wanted.size())};
  parameters.conn_handler = {on_request, this};
  require(ucp_listener_create(worker, &parameters, &listener_), fmt::format("ucp_listener_create at the address of {}", device));
  ucp_listener_attr_t attributes{};
  attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
  const ucs_status_t status = ucp_listener_query(listener_, &attributes);
  if (status != UCS_OK) ucp_listener_destroy(listener_);
  require(status, "ucp_listener_query");
  const auto* first = reinterpret_cast<const std::byte*>(&attributes.sockaddr);
  address_.assign(first, first + wanted.size());
}

Listener::~Listener() {
  for (const auto& [client, request] : requests_) (void)ucp_listener_reject(listener_, request);
  ucp_listener_destroy(listener_);
}

void Listener::on_request(ucp_conn_request_h request, void* self) {
  auto& listener = *static_cast<Listener*>(self);
  ucp_conn_request_attr_t attributes{};
  attributes.field_mask = UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ID;
  const bool known = ucp_conn_request_query(request, &attributes) == UCS_OK;
  if (!known || !listener.requests_.emplace(attributes.client_id, request).second)
    (void)ucp_listener_reject(listener.listener_, request);
}

std::optional<ucp_conn_request_h> Listener::take(std::uint64_t client) {
  const auto found = requests_.find(client);
  if (found == requests_.end()) return std::nullopt;
  const ucp_conn_request_h request = found->second;
  requests_.erase(found);
  return request;
}

}  // namespace railgauge::ucx
