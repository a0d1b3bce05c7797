// Listens and connects.
#include "transports/verbs/listener.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

namespace railgauge::verbs {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds connect_deadline{30};
constexpr int step_milliseconds = 2000;  // of resolving an address or a route
constexpr int longest_sleep = 20;        // milliseconds, between two looks at whether all ranks live
constexpr int backlog = 1024;

// What the connecting end says of itself.
struct Hello {
  std::uint64_t mark = 0x72675f76626c6f31;  // "rg_vblo1"
  std::uint64_t token = 0;
};

// An event, copied: an identifier cannot be destroyed while an event of it is held.
struct Happening {
  rdma_cm_event_type what{};
  rdma_cm_id* id = nullptr;
  int status = 0;
  Hello hello{.mark = 0};  // of a request to connect
};

Happening copy_of(rdma_cm_event* event) {
  Happening copy{.what = event->event, .id = event->id, .status = event->status};
  if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST && event->param.conn.private_data_len >= sizeof copy.hello)
    std::memcpy(&copy.hello, event->param.conn.private_data, sizeof copy.hello);
  rdma_ack_cm_event(event);
  return copy;
}

std::size_t length_of(const sockaddr* address) {
  return address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

bool is_usable(const sockaddr* address, int family) {
  if (address == nullptr || address->sa_family != family) return false;
  if (family != AF_INET6) return true;
  const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
  return !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr);
}

// The port number of an address, in network order.
std::uint16_t& port_of(sockaddr_storage& address) {
  return address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                       : reinterpret_cast<sockaddr_in&>(address).sin_port;
}

CmId make_id(rdma_event_channel* events, const std::string& where) {
  rdma_cm_id* id = nullptr;
  if (rdma_create_id(events, &id, nullptr, RDMA_PS_TCP) != 0) throw failure("rdma_create_id", where, errno);
  return CmId(id);
}

}  // namespace

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text.data(), text.size());
  else
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(), text.size());
  return text.data();
}

Listener::Listener(const std::string& device, std::uint8_t port)
    : where_(fmt::format("{}/{}", device, port)), events_(rdma_create_event_channel()) {
  if (!events_) throw failure("rdma_create_event_channel", where_, errno);
  if (fcntl(events_->fd, F_SETFL, fcntl(events_->fd, F_GETFL) | O_NONBLOCK) != 0) throw failure("fcntl", where_, errno);
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) throw failure("getifaddrs", where_, errno);
  const std::unique_ptr<ifaddrs, Free<freeifaddrs>> interfaces(list);
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* one = list; one != nullptr && !id_; one = one->ifa_next) {
      if (!is_usable(one->ifa_addr, family)) continue;
      CmId id = make_id(events_.get(), where_);
      if (rdma_bind_addr(id.get(), one->ifa_addr) != 0 || id->verbs == nullptr) continue;  // not an address of an RDMA device
      if (ibv_get_device_name(id->verbs->device) != device || id->port_num != port) continue;
      std::memcpy(&address_, rdma_get_local_addr(id.get()), length_of(one->ifa_addr));
      id_ = std::move(id);
    }
  }
  if (!id_)
    throw Error(Fault::usage,
                fmt::format("rdma_cm finds no address of port {}: its network interface needs one and must be up", where_));
  if (rdma_listen(id_.get(), backlog) != 0) throw failure("rdma_listen", where_, errno);
  port_of(address_) = rdma_get_src_port(id_.get());
}

// The state of one call of connect().
class Listener::Connecting {
 public:
  Connecting(Listener& listener, std::span<Rendezvous> rendezvous, const CmParameters& parameters)
      : listener_(listener), parameters_(parameters) {
    for (Rendezvous& one : rendezvous) {
      if (one.active)
        begin(one);
      else
        awaited_[one.token] = &one;
      open_.push_back(&one);
    }
  }

  [[nodiscard]] bool done() const { return open_.empty(); }
  [[nodiscard]] std::vector<int> missing() const {
    std::vector<int> ranks;
    for (const Rendezvous* rendezvous : open_)
      if (ranks.empty() || ranks.back() != rendezvous->peer) ranks.push_back(rendezvous->peer);
    return ranks;
  }

  void handle(const Happening& event) {
    if (event.what == RDMA_CM_EVENT_CONNECT_REQUEST) return accept(event);
    const auto found = by_id_.find(event.id);
    if (found == by_id_.end()) return;  // the end of an earlier connection
    Rendezvous* rendezvous = found->second;
    switch (event.what) {
      case RDMA_CM_EVENT_ADDR_RESOLVED:
        if (event.id->verbs != listener_.context())
          throw Error(Fault::usage, fmt::format("the path from {} to rank {} at {} leads through another RDMA device",
                                                listener_.where_, rendezvous->peer, address_text(rendezvous->there)));
        if (rdma_resolve_route(event.id, step_milliseconds) != 0) throw refusal("rdma_resolve_route", *rendezvous, errno);
        return;
      case RDMA_CM_EVENT_ROUTE_RESOLVED:
        return connect(*rendezvous, event.id);
      case RDMA_CM_EVENT_ESTABLISHED:
        std::erase(open_, rendezvous);
        return;
      case RDMA_CM_EVENT_TIMEWAIT_EXIT:
        return;
      default:
        throw Error(Fault::lost, fmt::format("rdma_cm from {} to rank {} at {}: {} ({})", listener_.where_, rendezvous->peer,
                                             address_text(rendezvous->there), rdma_event_str(event.what), event.status));
    }
  }

 private:
  [[nodiscard]] Error refusal(std::string_view call, const Rendezvous& rendezvous, int number) const {
    return failure(fmt::format("{} to rank {} at {}", call, rendezvous.peer, address_text(rendezvous.there)), listener_.where_,
                   number, Fault::lost);
  }

  // Each end sets its own; iWARP knows neither.
  void set_options(rdma_cm_id* id) {
    (void)rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &parameters_.timeout, sizeof parameters_.timeout);
    if (parameters_.traffic_class != 0)
      (void)rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &parameters_.traffic_class, sizeof parameters_.traffic_class);
  }

  void begin(Rendezvous& rendezvous) {
    CmId id = make_id(listener_.events_.get(), listener_.where_);
    sockaddr_storage here = listener_.address_;
    port_of(here) = 0;
    if (rdma_resolve_addr(id.get(), reinterpret_cast<sockaddr*>(&here), reinterpret_cast<sockaddr*>(&rendezvous.there),
                          step_milliseconds) != 0)
      throw refusal("rdma_resolve_addr", rendezvous, errno);
    set_options(id.get());
    by_id_[id.get()] = &rendezvous;
    resolving_[id.get()] = std::move(id);
  }

  void connect(Rendezvous& rendezvous, rdma_cm_id* id) {
    const auto own = resolving_.find(id);
    rendezvous.take(std::move(own->second));
    resolving_.erase(own);
    const Hello hello{.token = rendezvous.token};
    rdma_conn_param parameters = connection();
    parameters.private_data = &hello;
    parameters.private_data_len = sizeof hello;
    if (rdma_connect(id, &parameters) != 0) throw refusal("rdma_connect", rendezvous, errno);
  }

  void accept(const Happening& event) {
    CmId id(event.id);
    const auto found = awaited_.find(event.hello.token);
    if (event.hello.mark != Hello{}.mark || found == awaited_.end()) {
      (void)rdma_reject(id.get(), nullptr, 0);
      return;
    }
    Rendezvous& rendezvous = *found->second;
    awaited_.erase(found);
    rdma_cm_id* raw = id.get();
    set_options(raw);
    by_id_[raw] = &rendezvous;
    rendezvous.take(std::move(id));
    rdma_conn_param parameters = connection();
    if (rdma_accept(raw, &parameters) != 0) throw refusal("rdma_accept", rendezvous, errno);
  }

  [[nodiscard]] rdma_conn_param connection() const {
    rdma_conn_param parameters{};
    parameters.responder_resources = parameters_.reads;
    parameters.initiator_depth = parameters_.reads;
    parameters.retry_count = parameters_.retries;
    parameters.rnr_retry_count = 7;
    return parameters;
  }

  Listener& listener_;
  CmParameters parameters_;
  std::vector<Rendezvous*> open_;                 // not connected yet
  std::map<std::uint64_t, Rendezvous*> awaited_;  // by token
  std::map<const rdma_cm_id*, Rendezvous*> by_id_;
  std::map<const rdma_cm_id*, CmId> resolving_;
};

void Listener::connect(std::span<Rendezvous> rendezvous, const CmParameters& parameters, const std::function<void()>& check) {
  Connecting connecting(*this, rendezvous, parameters);
  for (const auto deadline = Clock::now() + connect_deadline; !connecting.done();) {
    rdma_cm_event* event = nullptr;
    if (rdma_get_cm_event(events_.get(), &event) == 0) {
      connecting.handle(copy_of(event));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) throw failure("rdma_get_cm_event", where_, errno, Fault::lost);
    check();
    if (Clock::now() > deadline)
      throw Error(Fault::lost, fmt::format("rdma_cm connected {} to no port of rank {} within {} s", where_,
                                           fmt::join(connecting.missing(), ", rank "), connect_deadline.count()));
    pollfd readable{events_->fd, POLLIN, 0};
    (void)poll(&readable, 1, longest_sleep);
  }
}

}  // namespace railgauge::verbs
