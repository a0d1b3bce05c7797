// The part of NVML's ABI that railgauge uses, declared here because nvml.h is seldom installed. Names, numbers and layouts are
// those of nvml.h 13.3; sizes and version tags are asserted below.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace railgauge::topo::nvml {

using Handle = void*;  // nvmlDevice_t
using Return = int;    // nvmlReturn_t

inline constexpr Return success = 0;
inline constexpr Return invalid_argument = 2;
inline constexpr Return not_supported = 3;
inline constexpr Return insufficient_size = 7;
inline constexpr Return function_not_found = 13;
inline constexpr Return version_mismatch = 25;  // of a structure's version

// NVML_STRUCT_VERSION: the first field of a versioned structure.
template <class Structure>
constexpr unsigned tag(unsigned version) {
  return static_cast<unsigned>(sizeof(Structure)) | (version << 24U);
}

struct PciInfo {  // nvmlPciInfo_t of the functions _v3 (device) and _v2 (remote end of an NVLink)
  std::array<char, 16> bus_id_legacy;
  unsigned domain, bus, device;
  unsigned device_id;     // device in the upper 16 bits, vendor in the lower
  unsigned subsystem_id;  // not filled for remote ends
  std::array<char, 32> bus_id;
};
static_assert(sizeof(PciInfo) == 68);

struct Memory {
  std::uint64_t total, free, used;  // bytes
};

enum class ValueType : unsigned { real = 0, u32 = 1, native = 2, u64 = 3, i64 = 4, i32 = 5, u16 = 6 };

struct FieldValue {
  unsigned field, scope;  // scope: the link's number
  std::int64_t timestamp, latency;
  ValueType type;
  Return result;
  union {
    double real;
    int i32;
    unsigned u32;
    unsigned long native;
    std::uint64_t u64;
    std::int64_t i64;
    std::uint16_t u16;
  } value;
};
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, value) == 32);

struct FabricInfo2 {
  unsigned version;
  std::array<unsigned char, 16> cluster_uuid;
  Return status;
  unsigned clique;
  unsigned char state;
  unsigned health_mask;
};
static_assert(tag<FabricInfo2>(2) == 0x02000024);

struct FabricInfo3 {
  unsigned version;
  std::array<unsigned char, 16> cluster_uuid;
  Return status;
  unsigned clique;
  unsigned char state;
  unsigned health_mask;
  unsigned char health_summary;
};
static_assert(tag<FabricInfo3>(3) == 0x03000028);

struct PlatformInfo {  // version 2; version 1 has the same bytes under other names
  unsigned version;
  std::array<unsigned char, 16> ib_guid;
  std::array<char, 16> chassis_serial;
  unsigned char slot, tray, host, peer_type, module;
};
static_assert(tag<PlatformInfo>(2) == 0x0200002c && tag<PlatformInfo>(1) == 0x0100002c);

inline constexpr unsigned most_links = 36;  // NVML_NVLINK_MAX_LINKS

// nvmlFieldValue_t.fieldId
namespace field {
inline constexpr unsigned speed_common = 90, link_count = 91, switch_links = 147;
inline constexpr unsigned remote_link = 146, dl_replay = 161, dl_recovery = 162, dl_crc = 163;
inline constexpr unsigned speed = 164, state = 165, version = 166;  // of one link
inline constexpr unsigned c2c_count = 170, c2c_status = 171, c2c_bandwidth = 172;
}  // namespace field

inline constexpr unsigned cap_p2p = 0;  // nvmlNvLinkCapability_t

inline constexpr unsigned clock_sm = 1, clock_memory = 2;        // nvmlClockType_t
inline constexpr unsigned policy_power = 0, policy_thermal = 1;  // nvmlPerfPolicyType_t

inline constexpr unsigned ecc_corrected = 0, ecc_uncorrected = 1;  // nvmlMemoryErrorType_t
inline constexpr unsigned since_boot = 0, ever = 1;                // nvmlEccCounterType_t: volatile, aggregate

struct ViolationTime {
  std::uint64_t reference;  // microseconds
  std::uint64_t violation;  // nanoseconds
};
static_assert(sizeof(ViolationTime) == 16);

// nvmlClocksEventReason..., which older drivers call nvmlClocksThrottleReason...
namespace reason {
inline constexpr std::uint64_t idle = 0x1, application_clocks = 0x2, sw_power_cap = 0x4, hw_slowdown = 0x8, sync_boost = 0x10;
inline constexpr std::uint64_t sw_thermal = 0x20, hw_thermal = 0x40, hw_power_brake = 0x80, display_clocks = 0x100;
}  // namespace reason

// Function types that several queries share.
using Text = Return(char*, unsigned);
using DeviceText = Return(Handle, char*, unsigned);
using DeviceNumber = Return(Handle, unsigned*);
using LinkNumber = Return(Handle, unsigned link, unsigned*);

}  // namespace railgauge::topo::nvml
