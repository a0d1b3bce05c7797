// Xid errors of GPUs, from the kernel's log.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <system_error>

#include "base/descriptor.hpp"
#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/pci.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

constexpr std::size_t most = 16U << 20U;  // bytes; the kernel keeps far less

// The device gives one record a read; a recorded file gives what it holds. Gives an errno, 0 at the end of either.
int read_log(int file, std::string& text) {
  std::array<char, 16384> part{};
  while (text.size() < most) {
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno == EAGAIN)) return 0;
    if (got < 0 && errno != EINTR && errno != EPIPE) return errno;  // EPIPE: records were overwritten meanwhile
  }
  return 0;
}

struct Errors {
  std::map<unsigned, unsigned> counts;  // by number of the error
  std::string last;
};

// Those after which a GPU must be reset or replaced; others are mostly an application's own fault.
constexpr auto breaking =
    std::to_array<unsigned>({46, 48, 62, 64, 74, 79, 92, 95, 110, 119, 120, 136, 140, 143, 149, 151, 155, 156, 158});
Condition condition_of(const Errors& errors) {
  const bool broken = std::any_of(breaking.begin(), breaking.end(), [&](unsigned each) { return errors.counts.contains(each); });
  return broken ? Condition::gpu_broken : Condition::gpu_error;
}

// "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."
void take(std::string_view line, std::map<std::string, Errors>& found) {
  constexpr std::string_view begin = "NVRM: Xid (PCI:";
  const std::size_t at = line.find(begin);
  if (at == std::string_view::npos) return;
  const std::string_view rest = line.substr(at + begin.size());
  const std::size_t close = rest.find("): ");
  if (close == std::string_view::npos) return;
  std::string address(rest.substr(0, close));
  if (address.find('.') == std::string::npos) address += ".0";
  address = pci_key(address);
  Scan scan(rest.substr(close + 3));
  const auto number = scan.number();
  if (address.empty() || !number || *number > 10'000) return;
  Errors& errors = found["GPU " + address];
  ++errors.counts[static_cast<unsigned>(*number)];
  scan.take(", ");
  errors.last = std::string(scan.rest());
}

}  // namespace

void read_kernel_log(const ReadOptions& /*options*/, Sheet& sheet) {
  if (std::error_code error; !std::filesystem::exists(sheet.path("proc/driver/nvidia/version"), error)) return;
  const std::filesystem::path path = sheet.path("dev/kmsg");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  int code = file.get() < 0 ? errno : 0;
  std::string text;
  if (code == 0) code = read_log(file.get(), text);
  if (code != 0) return sheet.unread("", "xid", fmt::format("{}: {}", path.string(), std::generic_category().message(code)));
  std::map<std::string, Errors> found;
  Lines lines(text);
  while (lines.next()) take(lines.line(), found);
  if (found.empty()) sheet.add("", "xid", "none");
  for (const auto& [gpu, errors] : found) {
    std::string value;
    for (const auto& [number, count] : errors.counts)
      value += fmt::format("{}{}{}", value.empty() ? "" : ", ", number, count == 1 ? "" : fmt::format(" ({} times)", count));
    sheet.add(gpu, "xid", errors.last.empty() ? value : fmt::format("{}: {}", value, errors.last), condition_of(errors));
  }
}

}  // namespace railgauge::topo::preflight
