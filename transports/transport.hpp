// The contract of every transport: prepared, matched transfers between the ranks of a group. All expensive work happens in
// prepare(), outside the timed region. A transport is accepted by tests/transports/conformance.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transports/group.hpp"

namespace railgauge {

enum class MemoryKind : std::uint8_t { host, pinned, cuda, managed };

// Memory that a Device or an Allocator owns; a Region does not own it. It must stay mapped at `address` while an endpoint has it
// attached.
struct Region {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::host;
  int device = 0;
  int fd = -1;  // names the memory to others, where it can be: a memfd of host memory, a dmabuf of GPU memory. Not owned
  std::uint64_t fd_offset = 0;
};

// The resources of this rank: the device whose memory it may use, and a port and a stream for each lane. bench fills it from the
// topology.
struct Place {
  struct LaneResources {
    std::string port;
    void* stream = nullptr;
  };
  std::string device_key;  // names the device among all of the ranks, as a GPU's UUID does; empty: the host
  std::vector<LaneResources> lanes = std::vector<LaneResources>(1);  // at least one
  bool oversubscribed = false;  // ranks share cores, though it may not look so: several nodes of the launcher are one machine
};

// One prepared transfer. `address` and `bytes` lie in one attached region (any address when bytes is 0). The n-th send of a
// lane's Exchange from p to q meets the n-th receive of q from p in the Exchange that q prepared at the same time; their
// bytes are equal.
//
// The credit rule, for transports that write straight into the peer (design, section 3). On a receive, `credit` is the round at
// whose post() the target is free, so that the receiver may give the credit then; it never decreases along the receives from one
// peer. On both ends `elided` says that no credit is needed, because a message that the sender holds when it posts proves that
// the target is free; both ends agree. Transports whose library matches receives may ignore both; ucx posts a receive early by
// `credit`.
struct Message {
  enum class Kind : std::uint8_t { send, receive };
  Kind kind = Kind::send;
  bool elided = false;
  std::int32_t peer = 0;
  std::uint32_t credit = 0;
  std::byte* address = nullptr;
  std::size_t bytes = 0;
};

// The transfers of one lane of one plan, round by round. The caller posts rounds in order, each after test() of the round before
// has returned true, and may run all rounds again from round 0. Neither call blocks, allocates or locks. When the transport
// fails, both throw Error(lost) or Error(usage) that names call, device and peer; after a throw the Exchange may only be
// destroyed.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // Begins all transfers of the round.
  virtual void post(std::size_t round) = 0;
  // Makes progress, and returns whether the round is complete: sources may be overwritten, and targets are filled.
  // Stream-ordered transports return true at once, since later work in the stream runs after the round. The caller calls it
  // again until the stream has completed the round, so that the transport can throw when it never will.
  virtual bool test(std::size_t round) = 0;
  // Stream-ordered transports: the most operations that post() puts into the stream.
  [[nodiscard]] virtual std::size_t operations(std::size_t /*round*/) const { return 1; }
};

// The 64-bit flags that a plan needs for each lane and rank of a group. Small groups have more, so that ranks can run further
// ahead of each other.
[[nodiscard]] constexpr std::size_t flags_a_pair(std::size_t ranks) noexcept { return ranks <= 8 ? 8200 : 520; }

// The mapped memory of all peers, as plain data; the endpoint owns the mappings. Region k of rank r (in the order of attach)
// starts at regions[r][k] in this process. flags[r] is a table of `flag_count` 64-bit flags, at first zero and aligned to a
// cache line, that rank r awaits and other ranks set: at least flags_a_pair() for each lane and rank. `on_device`: all of this
// is memory of a device, and only its kernels may access it.
struct Mapping {
  std::vector<std::vector<std::byte*>> regions;
  std::vector<std::atomic<std::uint64_t>*> flags;
  std::size_t flag_count = 0;
  bool on_device = false;
  std::uint32_t blocks = 0;   // on_device: thread blocks that run a lane; 0: as many as the device thinks best
  std::uint32_t sharers = 1;  // on_device: ranks whose kernels run on this rank's device, with its own
};

// The endpoint of one rank in a connected group. Its destructor cancels posted transfers within a bounded time, also when peers
// are dead. All Exchanges must be destroyed before it.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  // The reason why it cannot access this memory, of a kind that the transport tries (Abilities::tries), as a sentence fragment
  // that names the call; empty where it can. Not collective, and registers nothing.
  [[nodiscard]] virtual std::string refusal(const Region& /*region*/) { return {}; }
  // Registers memory; collective: every rank attaches its k-th region at the same time. The region outlives the endpoint.
  virtual void attach(const Region& region) = 0;
  // `rounds[i]` has the transfers of round i. Collective over the ranks that the messages name: they must call prepare() too, in
  // the same order. Connects ranks that are not connected yet. `lane` is an index into Place::lanes.
  [[nodiscard]] virtual std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) = 0;
  // Null when this endpoint does not map the memory of all peers. Owned by the endpoint; valid until the next attach().
  [[nodiscard]] virtual const Mapping* mapping() const = 0;
  // The ports that this rank's messages leave by, as "mlx5_0/1"; empty where a library chooses them.
  [[nodiscard]] virtual std::vector<std::string> ports() const { return {}; }
};

struct Abilities {
  bool threads = false;         // ranks may be threads of one process
  bool processes = false;       // ranks may be processes
  bool hosts = false;           // and those on several hosts
  bool maps_peers = false;      // mapping() is not null
  bool stream_ordered = false;  // test() answers at once
  bool ports = false;           // sends by the ports that Place::LaneResources names
  bool shares = false;          // wants regions that other processes can map (Region::fd), and is slower with others
  bool fabric = false;          // wants regions that GPUs of other hosts can map
  std::vector<MemoryKind> memory{MemoryKind::host};  // what regions may be
  std::vector<MemoryKind> tries{};  // and these, where Endpoint::refusal() has none; all else passes through memory of the host
};

class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Abilities abilities() const = 0;
  // Collective over the group, which outlives the endpoint.
  [[nodiscard]] virtual std::unique_ptr<Endpoint> connect(Group& group, const Place& place) = 0;
};

// Anything that the measuring loop can run: a Plan, a vendor's collective, a native operation. start() begins one operation.
// test() makes progress, and returns true when this rank's part is complete.
class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual void start() = 0;
  virtual bool test() = 0;
};

// Settings of a transport by name ("latency" = "1us"), from --set TRANSPORT.NAME=VALUE. An unknown name throws Error(usage).
using Settings = std::map<std::string, std::string, std::less<>>;

}  // namespace railgauge
