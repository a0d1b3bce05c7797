// NVIDIA's management library, loaded by name: the table of its functions that railgauge calls.
#pragma once

#include <string>
#include <vector>

#include "topo/evidence/nvml_abi.hpp"

namespace railgauge::topo::nvml {

// A function that an older library lacks is null and listed in `absent`. The library is never unloaded.
struct Library {
  std::string path;                 // as given to the loader
  std::string fault;                // the loader's message when loading failed; else empty
  std::vector<std::string> absent;  // names of functions

  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  Text* driver_version = nullptr;
  Text* nvml_version = nullptr;
  Return (*cuda_version)(int*) = nullptr;
  Return (*device_count)(unsigned*) = nullptr;
  Return (*device)(unsigned, Handle*) = nullptr;

  DeviceText* name = nullptr;
  DeviceText* uuid = nullptr;
  DeviceText* serial = nullptr;
  Return (*pci_info)(Handle, PciInfo*) = nullptr;
  Return (*compute_capability)(Handle, int*, int*) = nullptr;
  Return (*memory)(Handle, Memory*) = nullptr;
  DeviceNumber* pcie_generation = nullptr;
  DeviceNumber* pcie_width = nullptr;
  DeviceNumber* pcie_max_generation = nullptr;  // of the GPU and its slot together
  DeviceNumber* pcie_max_width = nullptr;
  DeviceNumber* pcie_gpu_max_generation = nullptr;  // of the GPU alone
  DeviceNumber* pcie_replays = nullptr;
  DeviceNumber* numa_node = nullptr;  // of the GPU's own memory
  Return (*memory_affinity)(Handle, unsigned, unsigned long*, unsigned) = nullptr;
  Return (*fields)(Handle, int, FieldValue*) = nullptr;

  LinkNumber* link_state = nullptr;
  LinkNumber* link_version = nullptr;
  LinkNumber* link_remote_type = nullptr;
  Return (*link_remote)(Handle, unsigned, PciInfo*) = nullptr;
  Return (*link_capability)(Handle, unsigned, unsigned, unsigned*) = nullptr;
  Return (*link_errors)(Handle, unsigned, unsigned, std::uint64_t*) = nullptr;

  Return (*fabric)(Handle, void*) = nullptr;
  Return (*platform)(Handle, PlatformInfo*) = nullptr;
  Return (*mig_mode)(Handle, unsigned*, unsigned*) = nullptr;
  DeviceNumber* mig_count = nullptr;
  Return (*mig_device)(Handle, unsigned, Handle*) = nullptr;
  DeviceNumber* gpu_instance = nullptr;
  DeviceNumber* compute_instance = nullptr;

  Return (*ancestor)(Handle, Handle, unsigned*) = nullptr;
  Return (*p2p_status)(Handle, Handle, unsigned, unsigned*) = nullptr;

  // For readings around a measurement (gpu_power.hpp). Not listed in `absent`, which is part of a machine's evidence.
  Return (*device_by_uuid)(const char*, Handle*) = nullptr;
  Return (*total_energy)(Handle, std::uint64_t* millijoules) = nullptr;
  Return (*clock)(Handle, unsigned type, unsigned* megahertz) = nullptr;
  Return (*max_clock)(Handle, unsigned type, unsigned* megahertz) = nullptr;
  Return (*event_reasons)(Handle, std::uint64_t* mask) = nullptr;
  Return (*throttle_reasons)(Handle, std::uint64_t* mask) = nullptr;  // older name
  Return (*violation)(Handle, unsigned policy, ViolationTime*) = nullptr;

  // For checks before a measurement (bench/validate/preflight). Not listed in `absent` either.
  DeviceText* vbios = nullptr;
  DeviceNumber* persistence = nullptr;
  DeviceNumber* compute_mode = nullptr;
  Return (*ecc_mode)(Handle, unsigned* now, unsigned* pending) = nullptr;
  Return (*ecc_errors)(Handle, unsigned type, unsigned counter, std::uint64_t*) = nullptr;
  Return (*remapped_rows)(Handle, unsigned* corrected, unsigned* uncorrected, unsigned* pending, unsigned* failed) = nullptr;
  DeviceNumber* power_limit = nullptr;  // milliwatts; the limit in force
  Return (*temperature)(Handle, unsigned sensor, unsigned* celsius) = nullptr;
};

// `path` is a path, or a name that the loader searches. Never throws: see `fault`.
[[nodiscard]] Library load(const std::string& path);

// The meaning of a return code: "driver not loaded"; "error 77" for an unknown one.
[[nodiscard]] std::string words_of(Return);

}  // namespace railgauge::topo::nvml
