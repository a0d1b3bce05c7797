// Meets the other ranks, and opens what they show.
#include "transports/cuda_ipc/endpoint.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "transports/cuda_ipc/agreement.hpp"
#include "transports/cuda_ipc/driver.hpp"
#include "transports/cuda_ipc/exchange.hpp"

namespace railgauge::cuda_ipc {
namespace {

constexpr std::chrono::seconds parting{2};

// As the contract says; at least 4096, so that small groups need not count.
std::size_t flags_for(std::size_t lanes, int ranks) {
  return std::max<std::size_t>(4096, flags_a_pair(static_cast<std::size_t>(ranks)) * lanes * static_cast<std::size_t>(ranks));
}

template <class Value>
std::vector<Value> gather(Group& group, const Value& mine) {
  Blob blob(sizeof mine);
  std::memcpy(blob.data(), &mine, sizeof mine);
  std::vector<Value> values;
  for (const Blob& theirs : group.allgather(blob)) {
    if (theirs.size() != sizeof mine) throw Error(Fault::usage, "the ranks are of different versions of railgauge");
    std::memcpy(&values.emplace_back(), theirs.data(), sizeof mine);
  }
  return values;
}

std::vector<std::string> gather_texts(Group& group, const std::string& mine) {
  Blob blob(mine.size());
  std::memcpy(blob.data(), mine.data(), mine.size());
  std::vector<std::string> texts;
  for (const Blob& theirs : group.allgather(blob))
    texts.emplace_back(reinterpret_cast<const char*>(theirs.data()), theirs.size());
  return texts;
}

CUuuid uuid_of(CUdevice device) {
  CUuuid uuid{};
  check(driver().device_get_uuid(&uuid, device), Fault::usage, "cuDeviceGetUuid");
  return uuid;
}

// What ranks must have alike, or tell each other at once.
struct Hello {
  std::uint64_t lanes = 0;
  HandleKind handles = HandleKind::legacy;
  CUuuid gpu{};
};

// A GPU that this process does not see (CUDA_VISIBLE_DEVICES) cannot be asked about: whether it can be reached shows when its
// memory is opened.
bool is_known_to_be_out_of_reach(const CUuuid& gpu) {
  const CUdevice mine = current_device();
  int count = 0;
  check(driver().device_get_count(&count), Fault::usage, "cuDeviceGetCount");
  for (CUdevice device = 0; device < count; ++device) {
    if (device == mine) continue;
    const CUuuid its = uuid_of(device);
    if (std::memcmp(&its, &gpu, sizeof gpu) != 0) continue;
    int reaches = 0;
    check(driver().device_can_access_peer(&reaches, mine, device), Fault::usage, "cuDeviceCanAccessPeer");
    return reaches == 0;
  }
  return false;
}

}  // namespace

CudaIpcEndpoint::CudaIpcEndpoint(Group& group, const Place& place, const Options& options)
    : group_(group),
      options_(options),
      thrown_before_(std::uncaught_exceptions()),
      pairs_(place.lanes.size() * static_cast<std::size_t>(group.size())) {
  for (const Place::Lane& lane : place.lanes) {
    if (lane.stream == nullptr)
      throw Error(Fault::usage, "the cuda_ipc transport maps memory of GPUs: use it with railgauge bench --memory cuda");
    streams_.push_back(static_cast<CUstream>(lane.stream));
  }
  gpus_ = gather_texts(group, place.device_key);
  const std::vector<std::string>& nodes = group.nodes();
  for (std::size_t rank = 1; rank < nodes.size(); ++rank)
    if (nodes[rank] != nodes[0] && options.handles != HandleKind::fabric)
      throw Error(
          Fault::usage,
          fmt::format("the cuda_ipc transport serves ranks of one host, but rank 0 is on {} and rank {} on {}: between the "
                      "hosts of one NVLink domain use --set cuda_ipc.handles=fabric",
                      nodes[0], rank, nodes[rank]));
  const auto me = static_cast<std::size_t>(group.rank());
  const std::vector<Hello> all = gather(group, Hello{place.lanes.size(), options.handles, uuid_of(current_device())});
  for (int rank = 0; rank < group.size(); ++rank) {
    const Hello& hello = all[static_cast<std::size_t>(rank)];
    if (hello.lanes != place.lanes.size() || hello.handles != options.handles)
      throw Error(Fault::usage, fmt::format("ranks {} and {} set up the cuda_ipc transport differently",
                                            std::min(rank, group.rank()), std::max(rank, group.rank())));
    if (nodes[static_cast<std::size_t>(rank)] == nodes[me] && is_known_to_be_out_of_reach(hello.gpu))
      throw Error(Fault::usage,
                  fmt::format("{} cannot reach the memory of {} (cuDeviceCanAccessPeer): choose GPUs that NVLink or one "
                              "PCIe switch connects, see railgauge topo",
                              party(group.rank()), party(rank)));
  }
  // Where Yama guards processes, those only that are allowed to can take a descriptor.
  if (options.handles == HandleKind::fd) (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  mapping_.on_device = true;
  mapping_.flag_count = flags_for(place.lanes.size(), group.size());
  mapping_.regions.resize(nodes.size());
  control_ =
      Allocation(mapping_.flag_count * sizeof(std::uint64_t) + 2 * line * pairs_.size(), options.handles, party(group.rank()));
  shared_.emplace_back(control_.address(), control_.bytes(), options.handles, party(group.rank()));
  const std::vector<Handle> handles = gather(group, shared_.back().handle());
  for (int rank = 0; rank < group.size(); ++rank) {
    if (rank != group.rank()) windows_.push_back(open(handles[static_cast<std::size_t>(rank)], rank));
    controls_.push_back(rank == group.rank() ? control_.address() : windows_.back().address());
    mapping_.flags.push_back(reinterpret_cast<std::atomic<std::uint64_t>*>(controls_.back()));
  }
  meet();
}

// Nobody frees, or closes a descriptor of, what another has not opened yet.
void CudaIpcEndpoint::meet() {
  group_.barrier();
  shared_.clear();
}

CudaIpcEndpoint::~CudaIpcEndpoint() {
  release_waits();
  windows_.clear();
  if (std::uncaught_exceptions() > thrown_before_) return;
  try {
    group_.barrier();
  } catch (const Error&) {
    // A rank is lost: it has nothing open any more.
  }
}

std::string CudaIpcEndpoint::party(int rank) const {
  return fmt::format("rank {} ({})", rank, gpus_[static_cast<std::size_t>(rank)]);
}

Window CudaIpcEndpoint::open(const Handle& handle, int owner) const {
  return {handle, {.owner = party(owner), .opener = party(group_.rank())}};
}

void CudaIpcEndpoint::attach(const Region& region) {
  if (region.kind != MemoryKind::cuda)
    throw Error(Fault::usage, "the cuda_ipc transport maps memory of GPUs alone: use --memory cuda");
  regions_.push_back(region);
  shared_.emplace_back(region.address, region.bytes, options_.handles, party(group_.rank()));
  const std::vector<Handle> handles = gather(group_, shared_.back().handle());
  for (int rank = 0; rank < group_.size(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (rank != group_.rank()) windows_.push_back(open(handles[index], rank));
    mapping_.regions[index].push_back(rank == group_.rank() ? region.address : windows_.back().address());
  }
  meet();
}

CUdeviceptr CudaIpcEndpoint::counter(std::size_t lane, int owner, int other) const {
  const std::byte* const first = controls_[static_cast<std::size_t>(owner)] + mapping_.flag_count * sizeof(std::uint64_t);
  return reinterpret_cast<std::uintptr_t>(first + 2 * line * place_of(lane, other));
}

CudaIpcEndpoint::Spot CudaIpcEndpoint::locate(const Message& message, std::size_t round) const {
  if (message.peer < 0 || message.peer >= group_.size() || message.peer == group_.rank())
    throw Error(Fault::usage, fmt::format("rank {} names peer {} in round {}: it must be another of the {} ranks", group_.rank(),
                                          message.peer, round, group_.size()));
  if (message.bytes == 0) return {};
  const auto at = reinterpret_cast<std::uintptr_t>(message.address);
  for (std::size_t k = 0; k < regions_.size(); ++k) {
    const auto begin = reinterpret_cast<std::uintptr_t>(regions_[k].address);
    if (at >= begin && at - begin <= regions_[k].bytes && message.bytes <= regions_[k].bytes - (at - begin))
      return {k, at - begin};
  }
  throw Error(Fault::usage, fmt::format("rank {} prepares {} bytes for peer {} in round {} that lie in no attached region",
                                        group_.rank(), message.bytes, message.peer, round));
}

std::unique_ptr<Exchange> CudaIpcEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  if (lane >= streams_.size()) throw Error(Fault::usage, fmt::format("lane {}: the endpoint has {}", lane, streams_.size()));
  int supported = 0;
  check(driver().device_get_attribute(&supported, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, current_device()),
        Fault::usage, "cuDeviceGetAttribute of " + party(group_.rank()));
  if (supported == 0)
    throw Error(Fault::usage,
                fmt::format("{} cannot wait for memory in a stream (cuStreamWaitValue64), which the cuda_ipc transport "
                            "sends messages by",
                            party(group_.rank())));
  return std::make_unique<CudaIpcExchange>(*this, lane, agree(*this, lane, rounds));
}

bool CudaIpcEndpoint::busy() const noexcept {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](CUstream stream) { return driver().stream_query(stream) == CUDA_ERROR_NOT_READY; });
}

// Far ahead of all that was ever awaited: streams compare by the sign of the difference.
void CudaIpcEndpoint::release_waits() noexcept {
  if (released_ || !busy()) return;
  released_ = true;
  constexpr std::uint64_t far = std::uint64_t{1} << 62;
  CUstream aside = nullptr;
  if (driver().stream_create(&aside, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return;
  const auto deadline = std::chrono::steady_clock::now() + parting;
  do {  // again and again: a peer that lives may still write what it has to say
    for (std::size_t lane = 0; lane < streams_.size(); ++lane)
      for (int peer = 0; peer < group_.size(); ++peer) {
        (void)driver().stream_write_value(aside, ready(lane, group_.rank(), peer), far, CU_STREAM_WRITE_VALUE_DEFAULT);
        (void)driver().stream_write_value(aside, taken(lane, group_.rank(), peer), far, CU_STREAM_WRITE_VALUE_DEFAULT);
      }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (busy() && std::chrono::steady_clock::now() < deadline);
  (void)driver().stream_destroy(aside);
}

}  // namespace railgauge::cuda_ipc
