// Asks the kernel's sockets about network interfaces: rtnetlink, getifaddrs, ethtool and dcb. They tell of this process's network
// namespace, which /sys need not.
#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "bench/validate/preflight/netlink.hpp"
#include "bench/validate/preflight/read.hpp"

namespace railgauge::topo::preflight {
namespace {

// IF_OPER_... of linux/if.h, which cannot be included beside net/if.h.
constexpr auto states =
    std::to_array<const char*>({"unknown", "not present", "down", "lower layer down", "testing", "dormant", "up"});

template <class Number>
Number number_in(const Attribute& attribute) {
  Number number{};
  std::memcpy(&number, attribute.bytes.data(), std::min(sizeof number, attribute.bytes.size()));
  return number;
}

std::string hardware_address(const Attribute& attribute) {
  std::string text;
  for (const std::byte byte : attribute.bytes)
    text += fmt::format("{}{:02x}", text.empty() ? "" : ":", static_cast<unsigned>(byte));
  return text;
}

void take(const Attribute& attribute, Interface& into) {
  switch (attribute.kind) {
    case IFLA_IFNAME:
      into.name = text_in(attribute);
      break;
    case IFLA_ADDRESS:
      into.hardware_address = hardware_address(attribute);
      break;
    case IFLA_MTU:
      into.mtu = number_in<std::uint32_t>(attribute);
      break;
    case IFLA_QDISC:
      into.queue = text_in(attribute);
      break;
    case IFLA_OPERSTATE:
      into.state = states[std::min<std::size_t>(number_in<std::uint8_t>(attribute), states.size() - 1)];
      break;
    case IFLA_CARRIER_CHANGES:
      into.carrier_changes = number_in<std::uint32_t>(attribute);
      break;
    case IFLA_LINKINFO:
      for (const Attribute& inner : attributes_in(attribute.bytes))
        if (inner.kind == IFLA_INFO_KIND) into.kind = text_in(inner);
      break;
    case IFLA_STATS64: {
      const auto counts = number_in<rtnl_link_stats64>(attribute);
      into.errors = {{"rx_errors", counts.rx_errors}, {"tx_errors", counts.tx_errors}};
      break;
    }
    default:
      break;
  }
}

// Asks a driver; 0 or an errno.
int ethtool(int socket, const std::string& name, void* question) {
  ifreq request{};
  std::memcpy(request.ifr_name, name.c_str(), std::min(name.size(), sizeof request.ifr_name - 1));
  request.ifr_data = static_cast<char*>(question);
  return ::ioctl(socket, SIOCETHTOOL, &request) == 0 ? 0 : errno;
}

template <std::size_t size>
std::string text_of(const char (&buffer)[size]) {
  return {buffer, ::strnlen(buffer, size)};
}

void set(Fact& fact, const std::string& value, const char* question, int code) {
  if (code != 0)
    fact.unread = fmt::format("ethtool {}: {}", question, std::generic_category().message(code));
  else if (value.empty() || value == "N/A")
    fact.unread = fmt::format("ethtool {}: the driver does not tell", question);
  else
    fact.value = value;
}

void ask_speed(int socket, Interface& into) {
  // The settings, and behind them three masks of as many words as the kernel says when it is asked for none.
  constexpr std::size_t most_words = 127;
  alignas(ethtool_link_settings) std::array<std::byte, sizeof(ethtool_link_settings) + 3 * most_words * sizeof(std::uint32_t)>
      answer{};
  ethtool_link_settings asked{};
  // Not captured: clang refuses to capture what ends in an array of no size.
  const auto ask = [&answer, &into, socket](ethtool_link_settings& settings, int words) {
    std::memset(&settings, 0, sizeof settings);
    settings.cmd = ETHTOOL_GLINKSETTINGS;
    settings.link_mode_masks_nwords = static_cast<signed char>(words);
    answer = {};
    std::memcpy(answer.data(), &settings, sizeof settings);
    const int code = ethtool(socket, into.name, answer.data());
    std::memcpy(&settings, answer.data(), sizeof settings);
    return code;
  };
  int code = ask(asked, 0);
  if (code == 0 && asked.link_mode_masks_nwords < 0) code = ask(asked, -asked.link_mode_masks_nwords);
  const bool known = asked.speed != 0 && asked.speed != static_cast<std::uint32_t>(SPEED_UNKNOWN);
  set(into.speed, known ? fmt::format("{} Mb/s", asked.speed) : std::string(), "link settings", code);
}

void ask_driver(int socket, Interface& into) {
  ethtool_drvinfo question{};
  question.cmd = ETHTOOL_GDRVINFO;
  const int code = ethtool(socket, into.name, &question);
  set(into.driver, text_of(question.driver), "driver", code);
  set(into.driver_version, text_of(question.version), "driver", code);
  set(into.firmware, text_of(question.fw_version), "driver", code);
}

void ask_pause(int socket, Interface& into) {
  ethtool_pauseparam question{};
  question.cmd = ETHTOOL_GPAUSEPARAM;
  const int code = ethtool(socket, into.name, &question);
  set(into.pause,
      fmt::format("receive {}, send {}", question.rx_pause != 0 ? "on" : "off", question.tx_pause != 0 ? "on" : "off"), "pause",
      code);
}

// Priorities that are paused alone.
void ask_pfc(Routes& routes, Interface& into) {
  struct {
    dcbmsg head;
    nlattr name;
    std::array<char, IFNAMSIZ> text;
  } question{};
  question.head.cmd = DCB_CMD_IEEE_GET;
  question.name.nla_type = DCB_ATTR_IFNAME;
  question.name.nla_len = static_cast<std::uint16_t>(sizeof question.name + into.name.size() + 1);
  std::memcpy(question.text.data(), into.name.c_str(), std::min(into.name.size(), question.text.size() - 1));
  try {
    routes.ask("dcb", RTM_GETDCB, 0, std::as_bytes(std::span(&question, 1)), RTM_GETDCB, [&](std::span<const std::byte> answer) {
      if (answer.size() < sizeof(dcbmsg)) return;
      for (const Attribute& outer : attributes_in(answer.subspan(sizeof(dcbmsg))))
        for (const Attribute& inner : outer.kind == DCB_ATTR_IEEE ? attributes_in(outer.bytes) : std::vector<Attribute>()) {
          if (inner.kind != DCB_ATTR_IEEE_PFC) continue;
          const auto pfc = number_in<ieee_pfc>(inner);
          std::string on;
          for (unsigned priority = 0; priority < 8; ++priority)
            if ((pfc.pfc_en >> priority & 1U) != 0) on += fmt::format("{}{}", on.empty() ? "" : ",", priority);
          into.pfc.value = on.empty() ? "off" : "priorities " + on;
        }
    });
    if (into.pfc.value.empty()) into.pfc.unread = "dcb: the driver does not tell";
  } catch (const Error& error) { into.pfc.unread = error.what(); }
}

void count_addresses(std::vector<Interface>& interfaces) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) throw Error(Fault::usage, fmt::format("getifaddrs: {}", std::generic_category().message(errno)));
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next)
    if (each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET)
      for (Interface& interface : interfaces) {
        // "eth0:1" is an alias of eth0.
        const std::string_view name(each->ifa_name);
        if (name.substr(0, name.find(':')) == interface.name) ++interface.ipv4;
      }
  ::freeifaddrs(first);
}

}  // namespace

std::vector<Interface> kernel_interfaces() {
  std::vector<Interface> all;
  Routes routes;
  ifinfomsg question{};
  routes.ask("RTM_GETLINK", RTM_GETLINK, NLM_F_DUMP, std::as_bytes(std::span(&question, 1)), RTM_NEWLINK,
             [&](std::span<const std::byte> answer) {
               if (answer.size() < sizeof(ifinfomsg)) return;
               ifinfomsg head{};
               std::memcpy(&head, answer.data(), sizeof head);
               if ((head.ifi_flags & IFF_LOOPBACK) != 0) return;
               Interface interface;
               for (const Attribute& attribute : attributes_in(answer.subspan(NLMSG_ALIGN(sizeof head))))
                 take(attribute, interface);
               // Drivers that keep no state say "unknown": then its flags do.
               if (interface.state == states[0]) interface.state = (head.ifi_flags & IFF_RUNNING) != 0 ? "up" : "unknown";
               if ((head.ifi_flags & IFF_UP) == 0) interface.state = "down";
               all.push_back(std::move(interface));
             });
  count_addresses(all);
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  for (Interface& interface : all) {
    ask_speed(socket.get(), interface);
    ask_driver(socket.get(), interface);
    ask_pause(socket.get(), interface);
    ask_pfc(routes, interface);
  }
  std::sort(all.begin(), all.end(), [](const Interface& a, const Interface& b) { return a.name < b.name; });
  return all;
}

}  // namespace railgauge::topo::preflight
