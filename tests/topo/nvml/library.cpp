// An imitation of libnvidia-ml.so.1: the same symbols and structures, and the answers of a described machine (description.hpp),
// whose file the variable RAILGAUGE_FAKE_NVML names. FAKE_NVML_OLD leaves out what drivers before 2020 did not have.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>

#include "tests/topo/nvml/description.hpp"
#include "tests/topo/nvml/fields.hpp"
#include "topo/evidence/nvml_abi.hpp"

using namespace railgauge::topo::nvml;
using railgauge::fake_nvml::field_of;
using railgauge::fake_nvml::from_digits;
using railgauge::fake_nvml::Gpu;
using railgauge::fake_nvml::joined;
using railgauge::fake_nvml::Link;
using railgauge::fake_nvml::Machine;

#define FAKE extern "C" [[gnu::visibility("default")]] Return

namespace {

std::unique_ptr<Machine> machine;  // since the first nvmlInit_v2
std::mutex initialising;
unsigned users = 0;  // since then, without those that have called nvmlShutdown

// What every function does first. 0, or the code that it returns.
Return enter(const std::string& function) {
  if (machine == nullptr) return 1;
  if (machine->hang == function)
    for (;;) ::pause();
  if (machine->crash == function) ::raise(SIGSEGV);
  for (const std::string& name : {function, std::string("*")})
    if (const auto it = machine->fail.find(name); it != machine->fail.end()) return it->second;
  return success;
}

Gpu& gpu_of(Handle handle) { return *static_cast<Gpu*>(handle); }

template <class Count>
Return fill(char* into, Count size, const std::string& text) {
  if (machine->garbage) {
    std::memset(into, 0xff, size);
    return success;
  }
  if (text.empty()) return not_supported;
  if (text.size() >= size) return insufficient_size;
  std::memcpy(into, text.c_str(), text.size() + 1);
  return success;
}

// The word's number on the line of that name.
Return number(Handle handle, const char* name, std::size_t word, unsigned* into) {
  const Gpu& gpu = gpu_of(handle);
  const auto words = gpu.words.find(name);
  if (words == gpu.words.end()) return not_supported;
  *into = static_cast<unsigned>(std::stoul(words->second.at(word)));
  return success;
}

Return device_text(const char* function, Handle handle, const char* name, char* into, unsigned size) {
  const Return code = enter(function);
  return code != success ? code : fill(into, size, joined(gpu_of(handle), name));
}

Return device_number(const char* function, Handle handle, const char* name, std::size_t word, unsigned* into) {
  const Return code = enter(function);
  return code != success ? code : number(handle, name, word, into);
}

Return find_link(const char* function, Handle handle, unsigned link, const Link** found) {
  if (const Return code = enter(function); code != success) return code;
  const Gpu& gpu = gpu_of(handle);
  if (gpu.links.empty()) return not_supported;
  const auto at = gpu.links.find(machine->garbage ? 0 : link);
  if (at == gpu.links.end()) return invalid_argument;
  *found = &at->second;
  return success;
}

void fill_pci(PciInfo& info, const std::string& bus) {
  std::memset(&info, machine->garbage ? 0xff : 0, sizeof(info));
  if (machine->garbage) return;
  std::memcpy(info.bus_id.data(), bus.c_str(), bus.size() + 1);
}

Return pair_number(const char* function, const std::map<std::pair<unsigned, unsigned>, unsigned>& pairs, Handle a, Handle b,
                   unsigned otherwise, unsigned* value) {
  if (const Return code = enter(function); code != success) return code;
  const auto at = pairs.find({gpu_of(a).index, gpu_of(b).index});
  *value = at == pairs.end() ? otherwise : at->second;
  return success;
}

}  // namespace

FAKE nvmlInit_v2() {
  const std::scoped_lock lock(initialising);
  if (users == 0) {
    const char* path = std::getenv("RAILGAUGE_FAKE_NVML");
    if (path == nullptr) return 9;  // no driver
    try {
      machine = std::make_unique<Machine>(railgauge::fake_nvml::read_machine(path));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 999;
    }
  }
  const Return code = enter("nvmlInit_v2");
  if (code == success) ++users;
  return code;
}
FAKE nvmlShutdown() {
  const std::scoped_lock lock(initialising);
  if (users != 0) --users;
  return enter("nvmlShutdown");
}
FAKE nvmlSystemGetDriverVersion(char* into, unsigned size) {
  const Return code = enter("nvmlSystemGetDriverVersion");
  return code != success ? code : fill(into, size, machine->system["driver"]);
}
FAKE nvmlSystemGetNVMLVersion(char* into, unsigned size) {
  const Return code = enter("nvmlSystemGetNVMLVersion");
  return code != success ? code : fill(into, size, machine->system["nvml"]);
}
FAKE nvmlDeviceGetCount_v2(unsigned* count) {
  if (const Return code = enter("nvmlDeviceGetCount_v2"); code != success) return code;
  const std::string& told = machine->system["count"];
  *count = static_cast<unsigned>(told.empty() ? machine->gpus.size() : std::stoul(told));
  return success;
}
FAKE nvmlDeviceGetHandleByIndex_v2(unsigned index, Handle* handle) {
  if (const Return code = enter("nvmlDeviceGetHandleByIndex_v2"); code != success) return code;
  if (index >= machine->gpus.size()) return invalid_argument;
  *handle = &machine->gpus[index];
  return success;
}
FAKE nvmlDeviceGetHandleByUUID(const char* uuid, Handle* handle) {
  if (const Return code = enter("nvmlDeviceGetHandleByUUID"); code != success) return code;
  for (Gpu& gpu : machine->gpus)
    if (joined(gpu, "uuid") == uuid) {
      *handle = &gpu;
      return success;
    }
  return 6;  // not found
}
FAKE nvmlDeviceGetName(Handle it, char* into, unsigned size) { return device_text("nvmlDeviceGetName", it, "name", into, size); }
FAKE nvmlDeviceGetUUID(Handle it, char* into, unsigned size) { return device_text("nvmlDeviceGetUUID", it, "uuid", into, size); }
FAKE nvmlDeviceGetSerial(Handle it, char* into, unsigned size) {
  return device_text("nvmlDeviceGetSerial", it, "serial", into, size);
}
FAKE nvmlDeviceGetPciInfo_v3(Handle it, PciInfo* info) {
  if (const Return code = enter("nvmlDeviceGetPciInfo_v3"); code != success) return code;
  fill_pci(*info, joined(gpu_of(it), "pci"));
  return success;
}
FAKE nvmlDeviceGetCudaComputeCapability(Handle it, int* major, int* minor) {
  unsigned values[2] = {};
  for (std::size_t i = 0; i < 2; ++i)
    if (const Return code = device_number("nvmlDeviceGetCudaComputeCapability", it, "capability", i, &values[i]); code != success)
      return code;
  *major = static_cast<int>(values[0]);
  *minor = static_cast<int>(values[1]);
  return success;
}
FAKE nvmlDeviceGetMemoryInfo(Handle it, Memory* memory) {
  if (const Return code = enter("nvmlDeviceGetMemoryInfo"); code != success) return code;
  const std::string bytes = joined(gpu_of(it), "memory");
  if (bytes.empty()) return not_supported;
  *memory = {std::stoull(bytes), std::stoull(bytes), 0};
  return success;
}
FAKE nvmlDeviceGetCurrPcieLinkGeneration(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetCurrPcieLinkGeneration", it, "pcie", 0, value);
}
FAKE nvmlDeviceGetCurrPcieLinkWidth(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetCurrPcieLinkWidth", it, "pcie", 1, value);
}
FAKE nvmlDeviceGetMaxPcieLinkGeneration(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetMaxPcieLinkGeneration", it, "pcie", 2, value);
}
FAKE nvmlDeviceGetMaxPcieLinkWidth(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetMaxPcieLinkWidth", it, "pcie", 3, value);
}
FAKE nvmlDeviceGetPcieReplayCounter(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetPcieReplayCounter", it, "replays", 0, value);
}
FAKE nvmlDeviceGetFieldValues(Handle it, int count, FieldValue* values) {
  if (const Return code = enter("nvmlDeviceGetFieldValues"); code != success) return code;
  for (int i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    values[i].result = field_of(gpu_of(it), values[i], value) ? success : not_supported;
    values[i].type = value >> 32U != 0 ? ValueType::u64 : ValueType::u32;
    if (value >> 32U != 0)
      values[i].value.u64 = value;
    else
      values[i].value.u32 = static_cast<unsigned>(value);
    if (machine->garbage) std::memset(&values[i].type, 0xff, sizeof(values[i].type));
  }
  return success;
}
FAKE nvmlDeviceGetNvLinkState(Handle it, unsigned link, unsigned* state) {
  const Link* found = nullptr;
  const Return code = find_link("nvmlDeviceGetNvLinkState", it, link, &found);
  if (code == success) *state = found->active ? 1 : 0;
  return code;
}
FAKE nvmlDeviceGetNvLinkVersion(Handle it, unsigned link, unsigned* version) {
  const Link* found = nullptr;
  const Return code = find_link("nvmlDeviceGetNvLinkVersion", it, link, &found);
  if (code == success) *version = found->version;
  return code;
}
FAKE nvmlDeviceGetNvLinkCapability(Handle it, unsigned link, unsigned capability, unsigned* value) {
  const Link* found = nullptr;
  const Return code = find_link("nvmlDeviceGetNvLinkCapability", it, link, &found);
  if (code == success) *value = capability == cap_p2p ? 1 : 0;
  return code;
}
FAKE nvmlDeviceGetNvLinkErrorCounter(Handle it, unsigned link, unsigned counter, std::uint64_t* value) {
  const Link* found = nullptr;
  const Return code = find_link("nvmlDeviceGetNvLinkErrorCounter", it, link, &found);
  if (code != success) return code;
  if (counter > 3) return not_supported;
  const auto at = found->errors.find(counter);
  *value = at == found->errors.end() ? 0 : at->second;
  return success;
}
FAKE nvmlDeviceGetNvLinkRemotePciInfo_v2(Handle it, unsigned link, PciInfo* info) {
  const Link* found = nullptr;
  const Return code = find_link("nvmlDeviceGetNvLinkRemotePciInfo_v2", it, link, &found);
  if (code != success) return code;
  if (!found->active) return not_supported;
  fill_pci(*info, found->remote);
  return success;
}
FAKE nvmlDeviceGetTopologyCommonAncestor(Handle a, Handle b, unsigned* level) {
  return pair_number("nvmlDeviceGetTopologyCommonAncestor", machine->ancestors, a, b, 50, level);
}
FAKE nvmlDeviceGetP2PStatus(Handle a, Handle b, unsigned /*index*/, unsigned* status) {
  return pair_number("nvmlDeviceGetP2PStatus", machine->p2p, a, b, 0, status);
}

#ifndef FAKE_NVML_OLD
FAKE nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (const Return code = enter("nvmlSystemGetCudaDriverVersion_v2"); code != success) return code;
  if (machine->system["cuda"].empty()) return not_supported;
  *version = std::stoi(machine->system["cuda"]);
  return success;
}
FAKE nvmlDeviceGetGpuMaxPcieLinkGeneration(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetGpuMaxPcieLinkGeneration", it, "pcie", 4, value);
}
FAKE nvmlDeviceGetNumaNodeId(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetNumaNodeId", it, "numa", 0, value);
}
FAKE nvmlDeviceGetMemoryAffinity(Handle it, unsigned size, unsigned long* set, unsigned /*scope*/) {
  unsigned node = 0;
  if (const Return code = device_number("nvmlDeviceGetMemoryAffinity", it, "near", 0, &node); code != success) return code;
  constexpr unsigned bits = 8 * sizeof(unsigned long);
  if (machine->garbage) std::memset(set, 0xff, size * sizeof(unsigned long));
  if (node / bits >= size) return insufficient_size;
  set[node / bits] |= 1UL << (node % bits);
  return success;
}
FAKE nvmlDeviceGetNvLinkRemoteDeviceType(Handle it, unsigned link, unsigned* type) {
  const Link* found = nullptr;
  const Return code = find_link("nvmlDeviceGetNvLinkRemoteDeviceType", it, link, &found);
  if (code != success) return code;
  if (!found->active) return not_supported;
  *type = found->type;
  return success;
}
FAKE nvmlDeviceGetGpuFabricInfoV(Handle it, void* info) {
  if (const Return code = enter("nvmlDeviceGetGpuFabricInfoV"); code != success) return code;
  unsigned version = 0;
  std::memcpy(&version, info, sizeof(version));
  const bool third = version == tag<FabricInfo3>(3) && machine->system["fabric"] != "2";
  if (!third && version != tag<FabricInfo2>(2)) return version_mismatch;
  const Gpu& gpu = gpu_of(it);
  const auto words = gpu.words.find("fabric");
  if (words == gpu.words.end()) return not_supported;
  FabricInfo3 answer{};
  answer.version = version;
  from_digits(answer.cluster_uuid, words->second.at(0));
  answer.clique = static_cast<unsigned>(std::stoul(words->second.at(1)));
  answer.state = static_cast<unsigned char>(std::stoul(words->second.at(2)));
  answer.status = std::stoi(words->second.at(3));
  answer.health_mask = static_cast<unsigned>(std::stoul(words->second.at(4), nullptr, 0));
  answer.health_summary = static_cast<unsigned char>(std::stoul(words->second.at(5)));
  std::memcpy(info, &answer, third ? sizeof(FabricInfo3) : sizeof(FabricInfo2));
  return success;
}
FAKE nvmlDeviceGetPlatformInfo(Handle it, PlatformInfo* info) {
  if (const Return code = enter("nvmlDeviceGetPlatformInfo"); code != success) return code;
  if (info->version != tag<PlatformInfo>(2) && info->version != tag<PlatformInfo>(1)) return version_mismatch;
  const Gpu& gpu = gpu_of(it);
  const auto words = gpu.words.find("platform");
  if (words == gpu.words.end()) return not_supported;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(std::stoul(words->second.at(i))); };
  std::memcpy(info->chassis_serial.data(), words->second.at(0).data(), std::min<std::size_t>(16, words->second.at(0).size()));
  info->slot = byte(1);
  info->tray = byte(2);
  info->host = byte(3);
  info->module = byte(4);
  return success;
}
FAKE nvmlDeviceGetTotalEnergyConsumption(Handle it, std::uint64_t* millijoules) {
  if (const Return code = enter("nvmlDeviceGetTotalEnergyConsumption"); code != success) return code;
  Gpu& gpu = gpu_of(it);
  if (!gpu.energy) return not_supported;
  *millijoules = gpu.energy->value;
  gpu.energy->value += gpu.energy->step;
  return success;
}
FAKE nvmlDeviceGetClockInfo(Handle it, unsigned type, unsigned* value) {
  return device_number("nvmlDeviceGetClockInfo", it, "clocks", type == clock_sm ? 0 : 1, value);
}
FAKE nvmlDeviceGetMaxClockInfo(Handle it, unsigned type, unsigned* value) {
  return device_number("nvmlDeviceGetMaxClockInfo", it, "clocks", type == clock_sm ? 2 : 3, value);
}
FAKE nvmlDeviceGetCurrentClocksEventReasons(Handle it, std::uint64_t* mask) {
  unsigned value = 0;
  const Return code = device_number("nvmlDeviceGetCurrentClocksEventReasons", it, "reasons", 0, &value);
  if (code == success) *mask = value;
  return code;
}
FAKE nvmlDeviceGetViolationStatus(Handle it, unsigned policy, ViolationTime* time) {
  if (const Return code = enter("nvmlDeviceGetViolationStatus"); code != success) return code;
  Gpu& gpu = gpu_of(it);
  const auto held = gpu.held.find(policy);
  if (held == gpu.held.end()) return not_supported;
  *time = {0, held->second.value};
  held->second.value += held->second.step;
  return success;
}
FAKE nvmlDeviceGetVbiosVersion(Handle it, char* into, unsigned size) {
  return device_text("nvmlDeviceGetVbiosVersion", it, "vbios", into, size);
}
FAKE nvmlDeviceGetPersistenceMode(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetPersistenceMode", it, "persistence", 0, value);
}
FAKE nvmlDeviceGetComputeMode(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetComputeMode", it, "compute", 0, value);
}
FAKE nvmlDeviceGetEccMode(Handle it, unsigned* current, unsigned* pending) {
  const Return code = device_number("nvmlDeviceGetEccMode", it, "ecc", 0, current);
  return code != success ? code : number(it, "ecc", 1, pending);
}
FAKE nvmlDeviceGetTotalEccErrors(Handle it, unsigned type, unsigned counter, std::uint64_t* value) {
  unsigned count = 0;
  const std::size_t word = type == ecc_corrected ? 0 : counter == since_boot ? 1 : 2;
  const Return code = device_number("nvmlDeviceGetTotalEccErrors", it, "eccerrors", word, &count);
  if (code == success) *value = count;
  return code;
}
FAKE nvmlDeviceGetRemappedRows(Handle it, unsigned* corrected, unsigned* uncorrected, unsigned* pending, unsigned* failed) {
  unsigned* const into[] = {corrected, uncorrected, pending, failed};
  for (std::size_t i = 0; i < 4; ++i)
    if (const Return code = device_number("nvmlDeviceGetRemappedRows", it, "remap", i, into[i]); code != success) return code;
  return success;
}
FAKE nvmlDeviceGetEnforcedPowerLimit(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetEnforcedPowerLimit", it, "limit", 0, value);
}
FAKE nvmlDeviceGetTemperature(Handle it, unsigned /*sensor*/, unsigned* value) {
  return device_number("nvmlDeviceGetTemperature", it, "temperature", 0, value);
}
FAKE nvmlDeviceGetMigMode(Handle it, unsigned* current, unsigned* pending) {
  const Return code = device_number("nvmlDeviceGetMigMode", it, "mig", 0, current);
  if (code == success) *pending = *current;
  return code;
}
FAKE nvmlDeviceGetMaxMigDeviceCount(Handle /*it*/, unsigned* count) {
  if (const Return code = enter("nvmlDeviceGetMaxMigDeviceCount"); code != success) return code;
  *count = machine->garbage ? 4000000000U : 7;
  return success;
}
FAKE nvmlDeviceGetMigDeviceHandleByIndex(Handle it, unsigned index, Handle* part) {
  if (const Return code = enter("nvmlDeviceGetMigDeviceHandleByIndex"); code != success) return code;
  Gpu& gpu = gpu_of(it);
  if (gpu.parts.empty() || (index >= gpu.parts.size() && !machine->garbage)) return 6;  // not found
  *part = &gpu.parts[machine->garbage ? 0 : index];
  return success;
}
FAKE nvmlDeviceGetGpuInstanceId(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetGpuInstanceId", it, "instances", 0, value);
}
FAKE nvmlDeviceGetComputeInstanceId(Handle it, unsigned* value) {
  return device_number("nvmlDeviceGetComputeInstanceId", it, "instances", 1, value);
}
#endif
