// Meets the other ranks, asks whether their GPUs can be reached, and opens what they show.
#include "transports/cuda_ipc/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "base/error.hpp"
#include "transports/cuda_ipc/driver.hpp"
#include "transports/gather.hpp"

namespace railgauge::cuda_ipc {
namespace {

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
bool are_same(const CUuuid& one, const CUuuid& other) { return std::memcmp(&one, &other, sizeof one) == 0; }

// What ranks must have alike, or tell each other at once.
struct Hello {
  std::uint64_t lanes = 0;
  Progress progress = Progress::stream;
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
    if (!are_same(uuid_of(device), gpu)) continue;
    int reaches = 0;
    check(driver().device_can_access_peer(&reaches, mine, device), Fault::usage, "cuDeviceCanAccessPeer");
    return reaches == 0;
  }
  return false;
}

}  // namespace

Peers::Peers(Group& group, const Place& place, const Options& options)
    : group_(group), handles_(options.handles), thrown_before_(std::uncaught_exceptions()) {
  for (const Place::LaneResources& lane : place.lanes)
    if (lane.stream == nullptr)
      throw Error(Fault::usage, "the cuda_ipc transport maps memory of GPUs: use it with railgauge bench --memory cuda");
  gpus_ = gather_texts(group, place.device_key);
  const std::vector<std::string>& nodes = group.nodes();
  for (std::size_t rank = 1; rank < nodes.size(); ++rank)
    if (nodes[rank] != nodes[0] && (options.handles != HandleKind::fabric || options.progress == Progress::host))
      throw Error(
          Fault::usage,
          fmt::format("the cuda_ipc transport serves ranks of one host, but rank 0 is on {} and rank {} on {}: between the "
                      "hosts of one NVLink domain use --set cuda_ipc.handles=fabric, else --transport cuda_ipc+ucx",
                      nodes[0], rank, nodes[rank]));
  const auto me = static_cast<std::size_t>(group.rank());
  const std::vector<Hello> all =
      gather(group, Hello{place.lanes.size(), options.progress, options.handles, uuid_of(current_device())});
  for (int rank = 0; rank < group.size(); ++rank) {
    const Hello& hello = all[static_cast<std::size_t>(rank)];
    if (are_same(hello.gpu, all[me].gpu)) ++sharers_;
    if (hello.lanes != place.lanes.size() || hello.handles != options.handles || hello.progress != options.progress)
      throw Error(Fault::usage, fmt::format("ranks {} and {} set up the cuda_ipc transport differently",
                                            std::min(rank, group.rank()), std::max(rank, group.rank())));
    if (nodes[static_cast<std::size_t>(rank)] == nodes[me] && is_known_to_be_out_of_reach(hello.gpu))
      throw Error(Fault::usage,
                  fmt::format("{} cannot reach the memory of {} (cuDeviceCanAccessPeer): choose GPUs that NVLink or one "
                              "PCIe switch connects, see railgauge topo",
                              party(group.rank()), party(rank)));
  }
  if (options.handles == HandleKind::fd) descriptors_.emplace(group);
}

Peers::~Peers() {
  windows_.clear();
  if (std::uncaught_exceptions() > thrown_before_) return;
  try {
    group_.barrier();
  } catch (const Error&) {
    // A rank is lost: it has nothing open any more.
  }
}

std::string Peers::party(int rank) const { return fmt::format("rank {} ({})", rank, gpus_[static_cast<std::size_t>(rank)]); }

// Nobody frees, or closes a descriptor of, what another has not opened yet.
std::vector<std::byte*> Peers::share(std::byte* address, std::size_t bytes) {
  const Shared mine(address, bytes, handles_, party(group_.rank()));
  std::vector<Handle> handles = gather(group_, mine.handle());
  std::vector<Descriptor> passed;
  if (descriptors_) passed = descriptors_->pass(mine.handle().fd);
  for (std::size_t rank = 0; rank < passed.size(); ++rank) handles[rank].fd = passed[rank].get();
  std::vector<std::byte*> addresses;
  for (int rank = 0; rank < group_.size(); ++rank) {
    if (rank != group_.rank()) {
      const Parties parties{.owner = party(rank), .opener = party(group_.rank())};
      windows_.emplace_back(handles[static_cast<std::size_t>(rank)], parties);
    }
    addresses.push_back(rank == group_.rank() ? address : windows_.back().address());
  }
  group_.barrier();
  return addresses;
}

void Peers::leave() noexcept {
  for (Window& window : windows_) window.leave();
}

void expect_gpu_memory(const Region& region) {
  if (region.kind != MemoryKind::cuda)
    throw Error(Fault::usage, "the cuda_ipc transport maps memory of GPUs alone: use --memory cuda, and not --path staged");
}

}  // namespace railgauge::cuda_ipc
