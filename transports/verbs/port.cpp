// Opens devices, looks at their ports, and registers memory.
#include "transports/verbs/port.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/error.hpp"

namespace railgauge::verbs {
namespace {

class DeviceList {
 public:
  DeviceList() : devices_(ibv_get_device_list(&count_)) {
    if (devices_ == nullptr) error_ = errno;
  }
  ~DeviceList() {
    if (devices_ != nullptr) ibv_free_device_list(devices_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  [[nodiscard]] std::span<ibv_device* const> all() const { return {devices_, static_cast<std::size_t>(count_)}; }
  [[nodiscard]] int error() const noexcept { return error_; }
  [[nodiscard]] std::string names() const {
    std::string names;
    for (ibv_device* device : all()) names += fmt::format("{}{}", names.empty() ? "" : ", ", ibv_get_device_name(device));
    return names;
  }

 private:
  int count_ = 0;
  ibv_device** devices_ = nullptr;
  int error_ = 0;
};

Context open_device(ibv_device* device) {
  Context context(ibv_open_device(device));
  if (!context) throw failure("ibv_open_device", ibv_get_device_name(device), errno);
  return context;
}

std::string locked_memory_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return fmt::format("; this user may lock {} KiB of memory (ulimit -l)", limit.rlim_cur / 1024);
}

}  // namespace

std::string PortName::text() const { return fmt::format("{}/{}", device, number); }

PortName parse_port(const std::string& text) {
  const std::size_t mark = text.find_first_of(":/");
  PortName name{.device = text.substr(0, mark)};
  if (mark != std::string::npos) {
    const char *first = text.data() + mark + 1, *end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(first, end, name.number);
    if (error != std::errc{} || stopped != end || name.number == 0) name.device.clear();
  }
  if (name.device.empty()) throw Error(Fault::usage, fmt::format("\"{}\" is no port of an RDMA device: one is mlx5_0:1", text));
  return name;
}

std::string missing_devices() {
  const DeviceList devices;
  if (!devices.all().empty()) return {};
  // ENOSYS: the kernel has no RDMA at all.
  if (devices.error() != 0 && devices.error() != ENOSYS && devices.error() != ENOENT)
    return fmt::format("ibv_get_device_list: {}", std::strerror(devices.error()));
  return "libibverbs is there, but this machine has no RDMA device (/sys/class/infiniband)";
}

std::vector<PortName> active_ports() {
  const DeviceList devices;
  struct Found {
    PortName name;
    std::uint8_t link_layer;
  };
  std::vector<Found> active;
  std::string all;
  for (ibv_device* device : devices.all()) {
    const Context context = open_device(device);
    ibv_device_attr attributes{};
    if (const int error = ibv_query_device(context.get(), &attributes); error != 0)
      throw failure("ibv_query_device", ibv_get_device_name(device), error);
    for (unsigned number = 1; number <= attributes.phys_port_cnt; ++number) {
      const PortName name{ibv_get_device_name(device), static_cast<std::uint8_t>(number)};
      ibv_port_attr port{};
      if (const int error = ibv_query_port(context.get(), name.number, &port); error != 0)
        throw failure("ibv_query_port", name.text(), error);
      all += fmt::format("{}{} is {}", all.empty() ? "" : ", ", name.text(), state_name(port.state));
      if (port.state == IBV_PORT_ACTIVE) active.push_back({name, port.link_layer});
    }
  }
  if (active.empty()) {
    const std::string missing = missing_devices();
    throw Error(Fault::usage, missing.empty() ? "no port of an RDMA device is ACTIVE: " + all : missing);
  }
  // mlx5_2 before mlx5_10.
  std::sort(active.begin(), active.end(),
            [](const Found& a, const Found& b) { return strverscmp(a.name.text().c_str(), b.name.text().c_str()) < 0; });
  // A host may have ports for storage or management of another kind, which cannot be connected with these.
  std::vector<PortName> names;
  for (const Found& one : active)
    if (one.link_layer == active.front().link_layer) names.push_back(one.name);
  return names;
}

Port::Port(const Options& options, const PortName& name) : name_(name), where_(name.text()) {
  open(options);
  if (const int error = ibv_query_device(context_, &device_); error != 0) throw failure("ibv_query_device", where_, error);
  if (name_.number > device_.phys_port_cnt)
    throw Error(Fault::usage, fmt::format("{} has {} port{}, not port {}", name_.device, device_.phys_port_cnt,
                                          device_.phys_port_cnt == 1 ? "" : "s", name_.number));
  if (const int error = ibv_query_port(context_, name_.number, &attributes_); error != 0)
    throw failure("ibv_query_port", where_, error);
  if (attributes_.state != IBV_PORT_ACTIVE)
    throw Error(Fault::usage, fmt::format("port {} is {}, not ACTIVE: is its cable in, its network interface up{}?", where_,
                                          state_name(attributes_.state), ethernet() ? "" : ", a subnet manager running"));
  domain_.reset(ibv_alloc_pd(context_));
  if (!domain_) throw failure("ibv_alloc_pd", where_, errno);
  find_gid(options);
}

void Port::open(const Options& options) {
  const DeviceList devices;
  const auto all = devices.all();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](ibv_device* one) { return ibv_get_device_name(one) == name_.device; });
  if (found == all.end())
    throw Error(Fault::usage, all.empty()
                                  ? missing_devices()
                                  : fmt::format("there is no RDMA device {}: there are {}", name_.device, devices.names()));
  if (options.cm || (*found)->transport_type == IBV_TRANSPORT_IWARP) {
    if (options.gid || options.mtu != 0 || options.service_level != 0 || options.pkey != 0)
      throw Error(Fault::usage,
                  "rdma_cm chooses GID, MTU, service level and partition by the address: leave verbs.gid, mtu, "
                  "service_level and pkey out");
    listener_ = std::make_unique<Listener>(name_.device, name_.number);
    context_ = listener_->context();
  } else {
    own_ = open_device(*found);
    context_ = own_.get();
  }
}

void Port::find_gid(const Options& options) {
  if (listener_) return;  // rdma_cm chooses by address
  std::vector<ibv_gid_entry> entries(static_cast<std::size_t>(std::max(attributes_.gid_tbl_len, 1)));
  const ssize_t count = ibv_query_gid_table(context_, entries.data(), entries.size(), 0);
  if (count < 0) throw failure("ibv_query_gid_table", where_, static_cast<int>(-count));
  std::vector<Gid> table;
  for (const ibv_gid_entry& entry : std::span(entries.data(), static_cast<std::size_t>(count))) {
    if (entry.port_num != name_.number) continue;
    const GidKind kind = entry.gid_type == IBV_GID_TYPE_ROCE_V2   ? GidKind::roce_v2
                         : entry.gid_type == IBV_GID_TYPE_ROCE_V1 ? GidKind::roce_v1
                                                                  : GidKind::infiniband;
    table.push_back({entry.gid_index, kind, entry.gid});
  }
  const std::optional<Gid> gid = choose_gid(table, options.gid);
  if (!gid && options.gid)
    throw Error(Fault::usage, fmt::format("port {} has nothing at index {} of its GID table (verbs.gid): {} entries are set",
                                          where_, *options.gid, table.size()));
  if (!gid && ethernet())
    throw Error(Fault::usage, fmt::format("port {} has no GID: its network interface has no address yet", where_));
  if (gid) gid_ = *gid;
}

Memory Port::registered(const Region& region) const {
  const int access =
      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | (atomics() ? IBV_ACCESS_REMOTE_ATOMIC : 0);
  const bool gpu = region.kind == MemoryKind::cuda || region.kind == MemoryKind::managed;
  // Memory of a GPU without a dmabuf goes by the ordinary call, which asks the kernel's peer memory clients.
  const bool by_dmabuf = gpu && region.fd >= 0;
  Memory memory(by_dmabuf ? ibv_reg_dmabuf_mr(domain_.get(), region.fd_offset, region.bytes,
                                              reinterpret_cast<std::uintptr_t>(region.address), region.fd, access)
                          : ibv_reg_mr(domain_.get(), region.address, region.bytes, access));
  if (!memory) {
    const int error = errno;
    std::string hint;
    if (error == ENOMEM) hint = locked_memory_limit();
    if (gpu && !by_dmabuf) hint = "; GPU memory needs a dmabuf, or a module such as nvidia_peermem";
    throw Error(Fault::usage, fmt::format("{} of {} bytes on {}: {}{}", by_dmabuf ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr",
                                          region.bytes, where_, std::strerror(error), hint));
  }
  return memory;
}

std::string Port::refusal(const Region& region) const {
  if (region.bytes == 0) return {};
  try {
    const Memory trial = registered(region);
  } catch (const Error& error) { return error.what(); }
  return {};
}

void Port::attach(const Region& region) { memory_.push_back({region, region.bytes == 0 ? Memory() : registered(region)}); }

const Port::Attached& Port::attached_at(const std::byte* address, std::size_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const Attached& one : memory_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(one.region.address);
    if (one.memory && at >= begin && at - begin <= one.region.bytes && bytes <= one.region.bytes - (at - begin)) return one;
  }
  throw Error(Fault::usage, fmt::format("a message of {} bytes lies in no memory that was attached to {}", bytes, where_));
}

const ibv_mr& Port::memory_of(const std::byte* address, std::size_t bytes) const { return *attached_at(address, bytes).memory; }

bool Port::is_readable(const std::byte* address, std::size_t bytes) const {
  return attached_at(address, bytes).region.kind != MemoryKind::cuda;
}

std::string Port::state_now() const {
  ibv_port_attr now{};
  if (const int error = ibv_query_port(context_, name_.number, &now); error != 0)
    return fmt::format("port {} cannot be asked: {}", where_, std::strerror(error));
  return fmt::format("port {} is {}", where_, state_name(now.state));
}

bool Port::is_active() const noexcept {
  ibv_port_attr now{};
  return ibv_query_port(context_, name_.number, &now) == 0 && now.state == IBV_PORT_ACTIVE;
}

}  // namespace railgauge::verbs
