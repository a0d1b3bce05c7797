// Asks the kernel about network interfaces: their links, and how data centre bridging is set.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace railgauge::topo::preflight {

// One attribute of a message: its kind, without the flags, and its bytes.
struct Attribute {
  unsigned kind = 0;
  std::span<const std::byte> bytes;
};
// Returns the attributes of a message, and stops at a length that does not fit. The spans point into `bytes`.
[[nodiscard]] std::vector<Attribute> attributes_in(std::span<const std::byte> bytes);
[[nodiscard]] std::string text_in(const Attribute& attribute);  // up to a zero byte, or all

// A socket of NETLINK_ROUTE of this process's network namespace.
class Routes {
 public:
  Routes();  // throws Error(usage)
  // Sends a request of this type (RTM_...), whose body is `body`, and hands on the body of each answer of type `answer`. Throws
  // Error(usage) "RTM_GETLINK: reason"; a kernel that does not answer within 2 s is such a reason.
  void ask(const char* name, unsigned short type, unsigned short flags, std::span<const std::byte> body, unsigned short answer,
           const std::function<void(std::span<const std::byte>)>& take);

 private:
  Descriptor socket_;
  unsigned sequence_ = 0;
};

}  // namespace railgauge::topo::preflight
