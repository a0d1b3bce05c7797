// Looks up each function of the table.
#include "topo/evidence/nvml_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace railgauge::topo::nvml {
namespace {

class Finder {
 public:
  Finder(void* handle, Library& library) : handle_(handle), library_(library) {}
  template <class Function>
  void operator()(Function*& into, const char* name) {
    look(into, name);
    if (into == nullptr) library_.absent.emplace_back(name);
  }
  template <class Function>
  void look(Function*& into, const char* name) {
    into = reinterpret_cast<Function*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;
  Library& library_;
};

void find_all(Finder find, Library& it) {
  find(it.init, "nvmlInit_v2");
  find(it.shutdown, "nvmlShutdown");
  find(it.driver_version, "nvmlSystemGetDriverVersion");
  find(it.nvml_version, "nvmlSystemGetNVMLVersion");
  find(it.cuda_version, "nvmlSystemGetCudaDriverVersion_v2");
  find(it.device_count, "nvmlDeviceGetCount_v2");
  find(it.device, "nvmlDeviceGetHandleByIndex_v2");
  find(it.name, "nvmlDeviceGetName");
  find(it.uuid, "nvmlDeviceGetUUID");
  find(it.serial, "nvmlDeviceGetSerial");
  find(it.pci_info, "nvmlDeviceGetPciInfo_v3");
  find(it.compute_capability, "nvmlDeviceGetCudaComputeCapability");
  find(it.memory, "nvmlDeviceGetMemoryInfo");
  find(it.pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(it.pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  find(it.pcie_max_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  find(it.pcie_max_width, "nvmlDeviceGetMaxPcieLinkWidth");
  find(it.pcie_gpu_max_generation, "nvmlDeviceGetGpuMaxPcieLinkGeneration");
  find(it.pcie_replays, "nvmlDeviceGetPcieReplayCounter");
  find(it.numa_node, "nvmlDeviceGetNumaNodeId");
  find(it.memory_affinity, "nvmlDeviceGetMemoryAffinity");
  find(it.fields, "nvmlDeviceGetFieldValues");
  find(it.link_state, "nvmlDeviceGetNvLinkState");
  find(it.link_version, "nvmlDeviceGetNvLinkVersion");
  find(it.link_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  find(it.link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  find(it.link_capability, "nvmlDeviceGetNvLinkCapability");
  find(it.link_errors, "nvmlDeviceGetNvLinkErrorCounter");
  find(it.fabric, "nvmlDeviceGetGpuFabricInfoV");
  find(it.platform, "nvmlDeviceGetPlatformInfo");
  find(it.mig_mode, "nvmlDeviceGetMigMode");
  find(it.mig_count, "nvmlDeviceGetMaxMigDeviceCount");
  find(it.mig_device, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(it.gpu_instance, "nvmlDeviceGetGpuInstanceId");
  find(it.compute_instance, "nvmlDeviceGetComputeInstanceId");
  find(it.ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  find(it.p2p_status, "nvmlDeviceGetP2PStatus");
  find.look(it.device_by_uuid, "nvmlDeviceGetHandleByUUID");
  find.look(it.total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  find.look(it.clock, "nvmlDeviceGetClockInfo");
  find.look(it.max_clock, "nvmlDeviceGetMaxClockInfo");
  find.look(it.event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  find.look(it.throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find.look(it.violation, "nvmlDeviceGetViolationStatus");
  find.look(it.vbios, "nvmlDeviceGetVbiosVersion");
  find.look(it.persistence, "nvmlDeviceGetPersistenceMode");
  find.look(it.compute_mode, "nvmlDeviceGetComputeMode");
  find.look(it.ecc_mode, "nvmlDeviceGetEccMode");
  find.look(it.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  find.look(it.remapped_rows, "nvmlDeviceGetRemappedRows");
  find.look(it.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  find.look(it.temperature, "nvmlDeviceGetTemperature");
}

struct Word {
  Return code;
  std::string_view text;
};
constexpr auto words = std::to_array<Word>({
    {1, "the library was not initialised"},
    {invalid_argument, "invalid argument"},
    {not_supported, "not supported"},
    {4, "no permission"},
    {6, "not found"},
    {insufficient_size, "insufficient size"},
    {8, "a GPU's power cable is not attached"},
    {9, "the driver is not loaded"},
    {10, "timeout"},
    {11, "an interrupt of the GPU did not come"},
    {12, "a library of the driver was not found"},
    {function_not_found, "the driver has no such function"},
    {14, "the GPU's inforom is corrupted"},
    {15, "the GPU is lost: it has fallen off the bus"},
    {16, "the GPU needs a reset"},
    {17, "the operating system has blocked the request"},
    {18, "the library and the kernel's driver are of different versions"},
    {19, "in use"},
    {20, "no memory"},
    {21, "no data"},
    {23, "no resources"},
    {version_mismatch, "the structure's version is unknown"},
    {27, "not ready"},
    {28, "no GPU was found"},
    {999, "unknown error"},
});

}  // namespace

Library load(const std::string& path) {
  Library library;
  library.path = path;
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* text = ::dlerror();
    library.fault = text != nullptr ? text : path + ": the loader gave no reason";
    return library;
  }
  find_all(Finder(handle, library), library);
  if (library.init == nullptr || library.device_count == nullptr || library.device == nullptr)
    library.fault =
        path + ": no nvmlInit_v2, nvmlDeviceGetCount_v2 or nvmlDeviceGetHandleByIndex_v2 in it: it is too old or another library";
  return library;
}

std::string words_of(Return code) {
  const auto* const at = std::find_if(words.begin(), words.end(), [&](const Word& it) { return it.code == code; });
  return at == words.end() ? fmt::format("error {}", code) : std::string(at->text);
}

}  // namespace railgauge::topo::nvml
