// The words for kinds of nodes and links, and reading of attributes.
#include "topo/graph.hpp"

#include <algorithm>
#include <array>

namespace railgauge::topo {
namespace {

constexpr auto kind_rows = std::to_array<KindRow>({
    {Kind::machine, "machine", "machine", "machines"},
    {Kind::package, "package", "package", "packages"},
    {Kind::numa, "numa", "NUMA node", "NUMA nodes"},
    {Kind::pci_root, "pci_root", "PCIe root", "PCIe roots"},
    {Kind::pci_bridge, "pci_bridge", "PCIe bridge", "PCIe bridges"},
    {Kind::pci_switch, "pci_switch", "PCIe switch", "PCIe switches"},
    {Kind::gpu, "gpu", "GPU", "GPUs"},
    {Kind::accelerator, "accelerator", "accelerator", "accelerators"},
    {Kind::display, "display", "display", "displays"},
    {Kind::nic, "nic", "NIC", "NICs"},
    {Kind::port, "port", "port", "ports"},
    {Kind::nvswitch, "nvswitch", "NVSwitch", "NVSwitches"},
    {Kind::partition, "partition", "GPU partition", "GPU partitions"},
    {Kind::fabric_switch, "fabric_switch", "switch", "switches"},
    {Kind::rail, "rail", "rail", "rails"},
    {Kind::rack, "rack", "rack", "racks"},
    {Kind::storage, "storage", "disk", "disks"},
    {Kind::device, "device", "other device", "other devices"},
});
static_assert(kind_rows.size() == static_cast<std::size_t>(Kind::device) + 1);

constexpr auto link_rows = std::to_array<LinkKindRow>({
    {LinkKind::internal, "internal", "internal"},
    {LinkKind::memory, "memory", "memory"},
    {LinkKind::distance, "distance", "NUMA distance"},
    {LinkKind::pcie, "pcie", "PCIe"},
    {LinkKind::nvlink, "nvlink", "NVLink"},
    {LinkKind::xgmi, "xgmi", "xGMI"},
    {LinkKind::c2c, "c2c", "NVLink-C2C"},
    {LinkKind::cpu, "cpu", "processor link"},
    {LinkKind::infiniband, "infiniband", "InfiniBand"},
    {LinkKind::ethernet, "ethernet", "Ethernet"},
    {LinkKind::tree, "tree", "tree"},
    {LinkKind::path, "path", "path"},
});
static_assert(link_rows.size() == static_cast<std::size_t>(LinkKind::path) + 1);

constexpr auto state_rows = std::to_array<LinkStateRow>({
    {LinkState::unknown, "unknown"},
    {LinkState::active, "active"},
    {LinkState::low, "low"},
    {LinkState::init, "init"},
    {LinkState::armed, "armed"},
    {LinkState::down, "down"},
    {LinkState::disabled, "disabled"},
});
static_assert(state_rows.size() == static_cast<std::size_t>(LinkState::disabled) + 1);

template <class T>
const T* find(const Attributes& attributes, std::string_view name) {
  const auto at = attributes.find(name);
  return at == attributes.end() ? nullptr : std::get_if<T>(&at->second);
}

}  // namespace

std::span<const KindRow> kinds() noexcept { return kind_rows; }
std::span<const LinkKindRow> link_kinds() noexcept { return link_rows; }
const KindRow& row(Kind kind) noexcept { return kind_rows[static_cast<std::size_t>(kind)]; }
std::span<const LinkStateRow> link_states() noexcept { return state_rows; }
const LinkStateRow& row(LinkState state) noexcept { return state_rows[static_cast<std::size_t>(state)]; }
const LinkKindRow& row(LinkKind kind) noexcept { return link_rows[static_cast<std::size_t>(kind)]; }

bool told_by(const Provenance& sources, std::string_view source) {
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

std::string guid_key(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::string digits;
  for (const char c : text) {
    if (c == ':') continue;
    const char low = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!((low >= '0' && low <= '9') || (low >= 'a' && low <= 'f')) || digits.size() == 16) return {};
    digits += low;
  }
  if (digits.find_first_not_of('0') == std::string::npos) return {};
  return "0x" + std::string(16 - digits.size(), '0') + digits;
}

std::string_view text_of(const Attributes& attributes, std::string_view name) {
  const auto* text = find<std::string>(attributes, name);
  return text ? std::string_view(*text) : std::string_view();
}

std::uint64_t number_of(const Attributes& attributes, std::string_view name) {
  const auto* number = find<std::uint64_t>(attributes, name);
  return number ? *number : 0;
}

std::span<const std::string> list_of(const Attributes& attributes, std::string_view name) {
  const auto* list = find<std::vector<std::string>>(attributes, name);
  return list ? std::span<const std::string>(*list) : std::span<const std::string>();
}

}  // namespace railgauge::topo
