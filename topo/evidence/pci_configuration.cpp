#include "topo/evidence/pci_configuration.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

namespace railgauge::topo {

PciConfiguration::PciConfiguration(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

bool PciConfiguration::shows(std::size_t at) {
  const std::size_t begin = at / word_.size() * word_.size();
  if (begin != begin_) {
    const ssize_t got = ::pread(file_.get(), word_.data(), word_.size(), static_cast<off_t>(begin));
    begin_ = begin;
    shown_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return at - begin < shown_;
}

std::size_t PciConfiguration::size() {
  std::size_t shown = 0, hidden = all_of_it;  // all before the one, none from the other on
  while (shown < hidden) {
    const std::size_t middle = (shown + hidden) / 2;
    if (shows(middle))
      shown = middle + 1;
    else
      hidden = middle;
  }
  return shown;
}

unsigned PciConfiguration::number(std::size_t at, std::size_t width) {
  unsigned value = 0;
  for (std::size_t i = 0; i < width; ++i)
    if (shows(at + i)) value |= static_cast<unsigned>(word_[(at + i) % word_.size()]) << (8 * i);
  return value;
}

std::size_t PciConfiguration::capability(unsigned wanted) {
  constexpr std::size_t status = 0x06, first = 0x34;
  constexpr unsigned has_capabilities = 0x10;
  if ((number(status, 1) & has_capabilities) == 0) return 0;
  std::size_t at = number(first, 1) & ~3U;
  for (int steps = 0; at >= for_everybody && shows(at + 3) && steps < 48; ++steps, at = number(at + 1, 1) & ~3U)
    if (number(at, 1) == wanted) return at;
  return 0;
}

std::size_t PciConfiguration::extended(unsigned wanted) {
  constexpr std::size_t first = 0x100;
  std::size_t at = first;
  for (int steps = 0; at >= first && shows(at + 3) && steps < 96; ++steps, at = number(at, 4) >> 20U & ~3U)
    if ((number(at, 4) & 0xffffU) == wanted) return at;
  return 0;
}

}  // namespace railgauge::topo
