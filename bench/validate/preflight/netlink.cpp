// One socket, one question at a time.
#include "bench/validate/preflight/netlink.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"

namespace railgauge::topo::preflight {
namespace {

constexpr std::size_t largest_answer = 1U << 17U;  // bytes; the kernel's own parts of a dump are at most 32 KiB

[[noreturn]] void fail(const char* name, int code) {
  throw Error(Fault::usage, fmt::format("{}: {}", name, std::generic_category().message(code)));
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

}  // namespace

std::vector<Attribute> attributes_in(std::span<const std::byte> bytes) {
  std::vector<Attribute> found;
  while (bytes.size() >= sizeof(nlattr)) {
    nlattr head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.nla_len < sizeof head || head.nla_len > bytes.size()) break;
    found.push_back(
        {static_cast<unsigned>(head.nla_type & NLA_TYPE_MASK), bytes.subspan(sizeof head, head.nla_len - sizeof head)});
    bytes = bytes.subspan(std::min(padded(head.nla_len), bytes.size()));
  }
  return found;
}

std::string text_in(const Attribute& attribute) {
  const auto* const text = reinterpret_cast<const char*>(attribute.bytes.data());
  return {text, ::strnlen(text, attribute.bytes.size())};
}

Routes::Routes() : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
  if (socket_.get() < 0) fail("socket of NETLINK_ROUTE", errno);
  const timeval patience{2, 0};
  if (::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) fail("SO_RCVTIMEO", errno);
}

void Routes::ask(const char* name, unsigned short type, unsigned short flags, std::span<const std::byte> body,
                 unsigned short answer, const std::function<void(std::span<const std::byte>)>& take) {
  nlmsghdr head{};
  head.nlmsg_len = static_cast<unsigned>(NLMSG_HDRLEN + body.size());
  head.nlmsg_type = type;
  head.nlmsg_flags = static_cast<unsigned short>(NLM_F_REQUEST | flags);
  head.nlmsg_seq = ++sequence_;
  std::vector<std::byte> request(NLMSG_HDRLEN + body.size());
  std::memcpy(request.data(), &head, sizeof head);
  std::memcpy(request.data() + NLMSG_HDRLEN, body.data(), body.size());
  if (::send(socket_.get(), request.data(), request.size(), 0) < 0) fail(name, errno);
  std::vector<std::byte> buffer(largest_answer);
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, errno == EAGAIN ? ETIMEDOUT : errno);
    std::span<const std::byte> rest(buffer.data(), static_cast<std::size_t>(got));
    while (rest.size() >= sizeof(nlmsghdr)) {
      nlmsghdr part{};
      std::memcpy(&part, rest.data(), sizeof part);
      if (part.nlmsg_len < NLMSG_HDRLEN || part.nlmsg_len > rest.size()) fail(name, EBADMSG);
      const auto content = rest.subspan(NLMSG_HDRLEN, part.nlmsg_len - NLMSG_HDRLEN);
      rest = rest.subspan(std::min(padded(part.nlmsg_len), rest.size()));
      if (part.nlmsg_seq != sequence_) continue;  // of a question that was given up
      if (part.nlmsg_type == NLMSG_DONE) return;
      if (part.nlmsg_type == NLMSG_ERROR) {
        int code = 0;
        std::memcpy(&code, content.data(), std::min(sizeof code, content.size()));
        if (code != 0) fail(name, -code);
        return;
      }
      if (part.nlmsg_type == answer) take(content);
      if ((part.nlmsg_flags & NLM_F_MULTI) == 0) return;
    }
  }
}

}  // namespace railgauge::topo::preflight
