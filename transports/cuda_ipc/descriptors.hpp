// Passes file descriptors between the processes of one host, through sockets (SCM_RIGHTS): to take them out of another process
// (pidfd_getfd) is what containers forbid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/descriptor.hpp"
#include "transports/group.hpp"

namespace railgauge::cuda_ipc {

// Throws Error(usage) with the call that failed; Error(lost) as calls of the group do, and where a rank has passed nothing for
// `patience`.
class DescriptorExchange {
 public:
  static constexpr int patience = 30;  // seconds

  // Collective over a group whose ranks are on one host, and share its network namespace.
  explicit DescriptorExchange(Group& group);

  // Collective. Element r is a descriptor of this process for what rank r passed; of this rank: none. `fd` stays the caller's.
  // Before the next call all ranks must have returned from this one: the caller has a barrier.
  [[nodiscard]] std::vector<Descriptor> pass(int fd);

 private:
  // Where a rank receives, and what proves that who sends there was told so by it. Plain data.
  struct Mailbox {
    std::array<char, 32> name{};  // of an abstract address
    std::uint32_t name_bytes = 0;
    std::array<std::uint64_t, 2> secret{};
  };
  struct Letter;

  [[nodiscard]] bool send_to(int rank, int fd) const;
  void receive_into(std::vector<Descriptor>& passed) const;

  Group& group_;
  Descriptor socket_;
  std::vector<Mailbox> mailboxes_;  // by rank
};

}  // namespace railgauge::cuda_ipc
