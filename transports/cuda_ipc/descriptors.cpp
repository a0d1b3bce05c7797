// Each rank has a socket that takes datagrams; all send to all and receive at once, so that no order of theirs can block.
#include "transports/cuda_ipc/descriptors.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "base/error.hpp"
#include "transports/gather.hpp"

namespace railgauge::cuda_ipc {
namespace {

constexpr std::size_t before_path = offsetof(sockaddr_un, sun_path);

[[noreturn]] void fail(const char* call) {
  throw Error(Fault::usage, fmt::format("cuda_ipc.handles=fd: {}: {}", call, std::strerror(errno)));
}

// The descriptors that came with a message.
std::vector<Descriptor> descriptors_of(msghdr& message) {
  std::vector<Descriptor> found;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= part->cmsg_len; at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + at, sizeof fd);
      found.emplace_back(fd);
    }
  }
  return found;
}

}  // namespace

struct DescriptorExchange::Letter {
  std::array<std::uint64_t, 2> secret{};
  std::int64_t sender = 0;
};

DescriptorExchange::DescriptorExchange(Group& group)
    : group_(group), socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (socket_.get() < 0) fail("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The kernel chooses an abstract name where none is given.
  if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(sa_family_t)) != 0) fail("bind");
  socklen_t bytes = sizeof address;
  if (getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) fail("getsockname");
  Mailbox mine;
  mine.name_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(bytes - before_path, mine.name.size()));
  std::memcpy(mine.name.data(), address.sun_path, mine.name_bytes);
  if (getrandom(mine.secret.data(), sizeof mine.secret, 0) != static_cast<ssize_t>(sizeof mine.secret)) fail("getrandom");
  mailboxes_ = gather(group, mine);
}

// False when the other one has no room now, or is gone, of which the group knows.
bool DescriptorExchange::send_to(int rank, int fd) const {
  const Mailbox& to = mailboxes_[static_cast<std::size_t>(rank)];
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, to.name.data(), to.name_bytes);
  Letter letter{.secret = to.secret, .sender = group_.rank()};
  iovec text{&letter, sizeof letter};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_name = &address;
  message.msg_namelen = static_cast<socklen_t>(before_path + to.name_bytes);
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(part), &fd, sizeof fd);
  if (sendmsg(socket_.get(), &message, MSG_NOSIGNAL) >= 0) return true;
  // ETOOMANYREFS: this user has as many in flight as it may have open.
  if (errno != EAGAIN && errno != ENOBUFS && errno != ETOOMANYREFS && errno != ECONNREFUSED && errno != EINTR) fail("sendmsg");
  return false;
}

// All that lies there. What others than the ranks have sent is closed, as is what came twice.
void DescriptorExchange::receive_into(std::vector<Descriptor>& passed) const {
  for (;;) {
    Letter letter;
    iovec text{&letter, sizeof letter};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t got = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return;
      fail("recvmsg");
    }
    std::vector<Descriptor> came = descriptors_of(message);
    const bool ours = got == static_cast<ssize_t>(sizeof letter) && came.size() == 1 &&
                      letter.secret == mailboxes_[static_cast<std::size_t>(group_.rank())].secret && letter.sender >= 0 &&
                      letter.sender < group_.size() && letter.sender != group_.rank();
    if (ours) passed[static_cast<std::size_t>(letter.sender)] = std::move(came[0]);
  }
}

std::vector<Descriptor> DescriptorExchange::pass(int fd) {
  std::vector<Descriptor> passed(static_cast<std::size_t>(group_.size()));
  std::vector<int> unsent;
  for (int rank = 0; rank < group_.size(); ++rank)
    if (rank != group_.rank()) unsent.push_back(rank);
  const auto absent = [&] {
    for (int rank = 0; rank < group_.size(); ++rank)
      if (rank != group_.rank() && passed[static_cast<std::size_t>(rank)].get() < 0) return rank;
    return -1;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(patience);
  for (;;) {
    std::erase_if(unsent, [&](int rank) { return send_to(rank, fd); });
    receive_into(passed);
    if (unsent.empty() && absent() < 0) return passed;
    group_.check();
    if (std::chrono::steady_clock::now() > deadline)
      throw Error(Fault::lost,
                  fmt::format("rank {} and rank {} have not passed each other file descriptors within {} s: they must "
                              "share a network namespace, or use --set cuda_ipc.handles=legacy",
                              unsent.empty() ? absent() : unsent[0], group_.rank(), patience));
    pollfd readable{socket_.get(), POLLIN, 0};
    (void)poll(&readable, 1, unsent.empty() ? 100 : 1);
  }
}

}  // namespace railgauge::cuda_ipc
