// Tables of PCI classes and of the vendors that build interconnects (numbers: PCI Code and ID Assignment Specification).
#include "topo/pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace railgauge::topo {
namespace {

struct Word {
  std::uint16_t number;
  std::string_view word;
};

constexpr auto classes = std::to_array<Word>({
    {0x0100, "SCSI"},
    {0x0101, "IDE"},
    {0x0104, "RAID"},
    {0x0106, "SATA"},
    {0x0107, "SAS"},
    {0x0108, "NVMe"},
    {0x0180, "storage"},
    {0x0200, "Ethernet"},
    {0x0207, "InfiniBand"},
    {0x0208, "fabric"},
    {0x0280, "network"},
    {0x0300, "VGA"},
    {0x0302, "3D"},
    {0x0380, "display"},
    {0x0403, "audio"},
    {0x0500, "RAM"},
    {0x0502, "CXL memory"},
    {0x0600, "host bridge"},
    {0x0601, "ISA bridge"},
    {0x0604, "PCI bridge"},
    {0x0680, "bridge"},
    {0x0700, "serial port"},
    {0x0780, "communication"},
    {0x0800, "interrupt controller"},
    {0x0801, "DMA engine"},
    {0x0806, "IOMMU"},
    {0x0880, "system peripheral"},
    {0x0b40, "co-processor"},
    {0x0c03, "USB"},
    {0x0c05, "SMBus"},
    {0x0c06, "InfiniBand"},
    {0x1000, "encryption"},
    {0x1080, "encryption"},
    {0x1101, "performance counter"},
    {0x1180, "signal processing"},
    {0x1200, "accelerator"},
    {0x1300, "instrumentation"},
});

constexpr auto vendors = std::to_array<Word>({
    {0x1000, "Broadcom/LSI"}, {0x1002, "AMD/ATI"},   {0x1022, "AMD"},       {0x102b, "Matrox"},  {0x1077, "QLogic"},
    {0x108e, "Oracle"},       {0x10b5, "PLX"},       {0x10de, "NVIDIA"},    {0x10df, "Emulex"},  {0x11f8, "Microchip"},
    {0x1234, "QEMU"},         {0x1344, "Micron"},    {0x1414, "Microsoft"}, {0x1425, "Chelsio"}, {0x144d, "Samsung"},
    {0x14e4, "Broadcom"},     {0x15ad, "VMware"},    {0x15b3, "Mellanox"},  {0x15b7, "SanDisk"}, {0x17db, "Cray"},
    {0x1924, "Solarflare"},   {0x1a03, "ASPEED"},    {0x1ae0, "Google"},    {0x1af4, "virtio"},  {0x1b36, "QEMU"},
    {0x1b96, "WD"},           {0x1bb1, "Seagate"},   {0x1c5c, "SK hynix"},  {0x1d0f, "Amazon"},  {0x1da3, "Habana"},
    {0x1dd8, "Pensando"},     {0x1df3, "Ethernity"}, {0x1e0f, "KIOXIA"},    {0x8086, "Intel"},   {0x8088, "Wangxun"},
});

template <std::size_t count>
std::string_view find(const std::array<Word, count>& words, std::uint16_t number) {
  const auto at = std::find_if(words.begin(), words.end(), [&](const Word& it) { return it.number == number; });
  return at == words.end() ? std::string_view() : at->word;
}

constexpr std::uint16_t nvidia = 0x10de;
constexpr std::uint16_t amd = 0x1002;
constexpr std::uint16_t intel = 0x8086;
constexpr std::uint16_t mellanox = 0x15b3;

// Screens of management controllers that carry a maker of GPUs' name.
constexpr auto screens = std::to_array<std::uint32_t>({
    0x1002515e,  // ES1000
    0x10024752,  // Rage XL
});

// "GP100GL [Tesla P100 PCIe 16GB]" is a Tesla P100 PCIe 16GB to everyone but its maker. Other makers put other things in
// brackets.
std::string_view model_in(std::string_view device, std::uint16_t vendor) {
  constexpr auto makers = std::to_array<std::uint16_t>({nvidia, amd, mellanox});
  const std::size_t open = device.rfind('[');
  const std::size_t close = device.rfind(']');
  const bool bracketed = open != std::string_view::npos && close != std::string_view::npos && open + 1 < close;
  if (!bracketed || std::find(makers.begin(), makers.end(), vendor) == makers.end()) return device;
  return device.substr(open + 1, close - open - 1);
}

}  // namespace

Kind pci_kind(const PciId& id) noexcept {
  const auto base = static_cast<unsigned>(id.device_class >> 8U);
  const bool maker = id.vendor == nvidia || id.vendor == amd || id.vendor == intel;
  const std::uint32_t whole = (std::uint32_t{id.vendor} << 16U) | id.device;
  if (base == 0x03) return maker && std::find(screens.begin(), screens.end(), whole) == screens.end() ? Kind::gpu : Kind::display;
  if (base == 0x12) return id.vendor == nvidia || id.vendor == amd ? Kind::gpu : Kind::accelerator;
  if (base == 0x02 || id.device_class == 0x0c06) return Kind::nic;  // 0c06: InfiniBand before PCI had a class for it
  if (base == 0x01) return Kind::storage;
  if (id.device_class == 0x0680 && id.vendor == nvidia) return Kind::nvswitch;
  return Kind::device;
}

std::string pci_name(const PciId& id, std::string_view vendor, std::string_view device) {
  if (const std::string_view known = pci_vendor_word(id.vendor); !known.empty()) vendor = known;
  std::string name(model_in(device, id.vendor));
  if (name.empty()) {
    const std::string_view word = pci_class_word(id.device_class);
    name = fmt::format("{}{}[{:04x}:{:04x}]", word, word.empty() ? "" : " ", id.vendor, id.device);
  }
  return vendor.empty() || name.starts_with(vendor) ? name : fmt::format("{} {}", vendor, name);
}

std::string_view pci_class_word(std::uint16_t device_class) noexcept { return find(classes, device_class); }
std::string_view pci_vendor_word(std::uint16_t vendor) noexcept { return find(vendors, vendor); }

std::string pci_key(std::string_view text) {
  struct AddressField {
    char before;    // what stands before its digits
    unsigned most;  // digits
  };
  constexpr auto fields =
      std::to_array<AddressField>({{'\0', 8}, {':', 2}, {':', 2}, {'.', 1}});  // domain, bus, device, function
  std::array<unsigned, fields.size()> values{};
  const auto colons = std::count(text.begin(), text.end(), ':');
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = colons == 1 ? 1 : 0; i < fields.size(); ++i) {
    const bool first = i == 0 || (i == 1 && colons == 1);
    if (!first && (at == end || *at != fields[i].before)) return {};
    if (!first) ++at;
    const auto digits = std::from_chars(at, end, values[i], 16);
    if (digits.ec != std::errc() || digits.ptr - at > static_cast<std::ptrdiff_t>(fields[i].most)) return {};
    at = digits.ptr;
  }
  return at != end ? std::string() : fmt::format("{:04x}:{:02x}:{:02x}.{:x}", values[0], values[1], values[2], values[3]);
}

}  // namespace railgauge::topo
