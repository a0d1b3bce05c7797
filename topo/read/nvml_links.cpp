// Far ends, halves and whole NVLinks.
#include "topo/read/nvml_links.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "topo/pci.hpp"
#include "topo/rates.hpp"

namespace railgauge::topo {
namespace {

constexpr unsigned ibm = 0x1014;

// NVML's types of far ends.
constexpr std::uint64_t type_gpu = 0;
constexpr std::uint64_t type_npu = 1;
constexpr std::uint64_t type_switch = 2;

// Fields of NVML that count what went wrong on one link.
struct FieldName {
  unsigned field;
  const char* name;
};
constexpr auto counted_fields = std::to_array<FieldName>({
    {161, "dl_replay"},
    {162, "dl_recovery"},
    {163, "dl_crc"},
    {206, "malformed_packet"},
    {207, "buffer_overrun"},
    {208, "receive"},
    {209, "receive_remote"},
    {210, "receive_general"},
    {211, "local_link_integrity"},
    {212, "transmit_discard"},
    {213, "recovery_successful"},
    {214, "recovery_failed"},
    {215, "recovery_event"},
    {219, "effective"},
    {221, "symbol"},
});
constexpr unsigned field_speed_common = 90;  // MB/s, as the next
constexpr unsigned field_speed = 164;
constexpr unsigned field_state = 165;

std::uint64_t value_or_zero(const NvmlFields& fields, unsigned field) {
  const auto at = fields.find(field);
  return at == fields.end() ? 0 : at->second;
}

void count(Counters& counters, const std::string& name, std::uint64_t value) {
  std::uint64_t& sum = counters[name];
  sum = value > ~sum ? ~std::uint64_t{0} : sum + value;
}

// What a link carries at the speed that NVML tells. Drivers differ in whether they count the error correction (94 % of a link's
// rate are left without), so that only what is clearly less is believed.
double share_of(std::uint64_t megabytes, const NvlinkGeneration& row) {
  if (megabytes == 0 || row.bandwidth.line == 0) return 1;
  const double share = static_cast<double>(megabytes) / 1e3 / row.bandwidth.line;
  return share < 0.9 ? share : 1;
}

void fill_rates(Link& link, const NvlinkHalf& half, bool active) {
  const NvlinkGeneration* row = nvlink_generation(half.version, half.device->major, half.device->minor);
  if (row == nullptr) return;
  link.attributes["nvlink_version"] = std::string(row->name);
  const double share = share_of(half.slowest_megabytes, *row);
  const double all = share * link.count;
  link.bandwidth = {row->bandwidth.line * all, row->bandwidth.nominal * all, row->bandwidth.usable * all};
  link.capable = row->rate;
  if (active) link.active = {row->rate.width, row->rate.speed * share};
}

Link whole(const NvlinkHalf& near, const NvlinkHalf* far) {
  Link link;
  link.kind = LinkKind::nvlink;
  link.a = near.near;
  link.b = near.far;
  link.provenance = {"nvml"};
  link.a_counters = near.counters;
  unsigned active = near.active;
  unsigned all = near.active + near.inactive;
  if (far != nullptr) {
    active = std::min(near.active, far->active);
    all = std::max(all, far->active + far->inactive);
    link.b_counters = far->counters;
    if (near.active != far->active) {
      link.attributes["a_active"] = std::uint64_t{near.active};
      link.attributes["b_active"] = std::uint64_t{far->active};
    }
  }
  link.count = active != 0 ? active : all;
  link.state = active != 0 ? LinkState::active : LinkState::down;
  if (active != 0 && all > active) link.attributes["capable_count"] = std::uint64_t{all};
  fill_rates(link, near, active != 0);
  return link;
}

// A processor is the nearer end.
void turn(Link& link) {
  std::swap(link.a, link.b);
  std::swap(link.a_counters, link.b_counters);
}

}  // namespace

NvlinkPlace place_of(const NvmlLink& link, const std::set<std::string>& gpus) {
  // NVML writes an address of ones for a switch that is there and cannot be seen.
  if (link.remote.find("fffffff:ff") != std::string::npos || link.remote.find("FFFFFFF:FF") != std::string::npos)
    return {NvlinkEnd::hidden, {}};
  std::string key = pci_key(link.remote);
  if (key.empty()) return {link.remote_type == type_switch ? NvlinkEnd::hidden : NvlinkEnd::unknown, {}};
  if (gpus.contains(key) || link.remote_type == type_gpu) return {NvlinkEnd::peer, std::move(key)};
  if (link.remote_type == type_npu || (link.remote_device.value_or(0) & 0xffffU) == ibm) return {NvlinkEnd::processor, {}};
  return {NvlinkEnd::nvswitch, std::move(key)};
}

bool is_active(const NvmlLink& link) {
  if (const auto state = link.fields.find(field_state); !link.state && state != link.fields.end()) return state->second != 0;
  return link.state.value_or(0) == 1;
}

void NvlinkHalves::add(const std::string& near, const std::string& far, const NvmlDevice& device, const NvmlLink& link) {
  const auto [place, fresh] = places_.try_emplace({near, far}, halves_.size());
  if (fresh) {
    halves_.emplace_back();
    halves_.back().near = near;
    halves_.back().far = far;
    halves_.back().device = &device;
    halves_.back().slowest_megabytes =
        value_or_zero(device.fields, field_speed_common);  // of all links of a GPU, in older drivers
  }
  NvlinkHalf& half = halves_[place->second];
  if (is_active(link)) {
    ++half.active;
    if (const std::uint64_t speed = value_or_zero(link.fields, field_speed); speed != 0)
      half.slowest_megabytes = half.slowest_megabytes == 0 ? speed : std::min(half.slowest_megabytes, speed);
  } else {
    ++half.inactive;
  }
  if (half.version == 0) half.version = static_cast<unsigned>(std::min<std::uint64_t>(link.version.value_or(0), 99));
  for (const auto& [name, value] : link.errors) count(half.counters, name, value);
  for (const FieldName& it : counted_fields)
    if (const auto value = link.fields.find(it.field); value != link.fields.end()) count(half.counters, it.name, value->second);
}

std::vector<Link> NvlinkHalves::join() const {
  std::vector<Link> links;
  for (std::size_t i = 0; i < halves_.size(); ++i) {
    const NvlinkHalf& half = halves_[i];
    const auto far = places_.find({half.far, half.near});
    // A link that leads back to its GPU joins nothing; of two halves the first one makes the link.
    if (half.near == half.far || (far != places_.end() && far->second < i)) continue;
    links.push_back(whole(half, far == places_.end() ? nullptr : &halves_[far->second]));
    if (half.far == "machine" || half.far.starts_with("numa")) turn(links.back());
  }
  return links;
}

}  // namespace railgauge::topo
