// GPUs as NVIDIA's management library tells of them, and what launchers say was granted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/gpu_power.hpp"
#include "topo/evidence/nvml_library.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/pci.hpp"

namespace railgauge::topo::preflight {
namespace {

using nvml::Return;

constexpr unsigned most_devices = 256;  // a library that says more is broken
constexpr auto variables = std::to_array<const char*>(
    {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "SLURM_GPUS_ON_NODE", "SLURM_STEP_GPUS", "SLURM_JOB_GPUS"});

constexpr auto compute_modes = std::to_array<const char*>({"default", "exclusive thread", "prohibited", "exclusive process"});

std::string on_or_off(unsigned value) { return value != 0 ? "on" : "off"; }
Condition condition_of(unsigned value) { return value != 0 ? Condition::on : Condition::off; }
std::string yes_or_no(unsigned value) { return value != 0 ? "yes" : "no"; }

// What throttles a GPU, by the names of topo/evidence/gpu_power.cpp; other causes, as idleness, are no fault.
struct CauseRow {
  std::string_view cause;
  Condition condition;
};
constexpr auto causes = std::to_array<CauseRow>({{"SW power cap", Condition::throttled_by_power},
                                                 {"SW thermal slowdown", Condition::throttled_by_heat},
                                                 {"HW thermal slowdown", Condition::throttled_by_heat},
                                                 {"HW power brake", Condition::throttled_by_heat},
                                                 {"HW slowdown", Condition::throttled_by_heat}});
Condition condition_of_cause(std::string_view cause) {
  const auto* const row = std::find_if(causes.begin(), causes.end(), [&](const CauseRow& each) { return each.cause == cause; });
  return row == causes.end() ? Condition::plain : row->condition;
}

class Gpu {
 public:
  Gpu(const nvml::Library& library, Sheet& sheet, nvml::Handle handle, std::string subject)
      : library_(library), sheet_(sheet), handle_(handle), subject_(std::move(subject)) {}

  void read() {
    const std::string uuid = text("gpu uuid", library_.uuid, "nvmlDeviceGetUUID");
    text("gpu name", library_.name, "nvmlDeviceGetName");
    text("vbios", library_.vbios, "nvmlDeviceGetVbiosVersion");
    nvml::Memory memory{};
    if (asked("gpu memory", library_.memory, "nvmlDeviceGetMemoryInfo", &memory))
      sheet_.add(subject_, "gpu memory", bytes_text(memory.total));
    unsigned persistence = 0;
    if (asked("persistence", library_.persistence, "nvmlDeviceGetPersistenceMode", &persistence))
      sheet_.add(subject_, "persistence", on_or_off(persistence), condition_of(persistence));
    number("compute mode", library_.compute_mode, "nvmlDeviceGetComputeMode", [](unsigned mode) {
      return mode < compute_modes.size() ? std::string(compute_modes[mode]) : fmt::format("mode {}", mode);
    });
    number("power limit", library_.power_limit, "nvmlDeviceGetEnforcedPowerLimit",
           [](unsigned milliwatts) { return fmt::format("{:.4g} W", milliwatts / 1e3); });
    modes();
    unsigned celsius = 0;
    constexpr unsigned of_the_chip = 0;
    if (asked("temperature", library_.temperature, "nvmlDeviceGetTemperature", of_the_chip, &celsius))
      sheet_.add(subject_, "temperature", fmt::format("{} C", celsius));
    if (!uuid.empty()) clocks(uuid);
    errors();
  }

  void errors() {
    ecc("ecc corrected", nvml::ecc_corrected, nvml::since_boot);
    ecc("ecc uncorrected", nvml::ecc_uncorrected, nvml::since_boot);
    ecc("ecc uncorrected ever", nvml::ecc_uncorrected, nvml::ever);
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (asked("row remap failed", library_.remapped_rows, "nvmlDeviceGetRemappedRows", &corrected, &uncorrected, &pending,
              &failed)) {
      sheet_.add(subject_, "rows remapped", fmt::format("{}", uncorrected));
      sheet_.add(subject_, "row remap pending", yes_or_no(pending));
      sheet_.add(subject_, "row remap failed", yes_or_no(failed));
    }
    number("pcie replays", library_.pcie_replays, "nvmlDeviceGetPcieReplayCounter",
           [](unsigned count) { return fmt::format("{}", count); });
  }

 private:
  // Whether it answered; else the fact is unread, with its reason.
  template <class Function, class... Arguments>
  bool asked(const char* fact, Function* function, const char* name, Arguments... arguments) {
    if (function == nullptr) {
      sheet_.unread(subject_, fact, fmt::format("{} has no {}", library_.path, name));
      return false;
    }
    sheet_.doing(fmt::format("{} of {}", name, subject_));
    const Return code = function(handle_, arguments...);
    if (code != nvml::success) sheet_.unread(subject_, fact, fmt::format("{}: {}", name, nvml::words_of(code)));
    return code == nvml::success;
  }

  std::string text(const char* fact, nvml::DeviceText* function, const char* name) {
    std::array<char, 128> buffer{};
    if (!asked(fact, function, name, buffer.data(), static_cast<unsigned>(buffer.size()))) return {};
    std::string value(buffer.begin(), std::find(buffer.begin(), buffer.end(), '\0'));
    sheet_.add(subject_, fact, value);
    return value;
  }
  template <class Words>
  void number(const char* fact, nvml::DeviceNumber* function, const char* name, Words words) {
    unsigned value = 0;
    if (asked(fact, function, name, &value)) sheet_.add(subject_, fact, words(value));
  }

  void modes() {
    for (const auto& [fact, function, name] : {std::tuple{"mig", library_.mig_mode, "nvmlDeviceGetMigMode"},
                                               std::tuple{"ecc", library_.ecc_mode, "nvmlDeviceGetEccMode"}}) {
      unsigned now = 0, pending = 0;
      if (asked(fact, function, name, &now, &pending))
        sheet_.add(subject_, fact,
                   now == pending ? on_or_off(now) : fmt::format("{}, and {} after a reset", on_or_off(now), on_or_off(pending)),
                   condition_of(now));
    }
  }

  void ecc(const char* fact, unsigned type, unsigned counter) {
    std::uint64_t count = 0;
    if (asked(fact, library_.ecc_errors, "nvmlDeviceGetTotalEccErrors", type, counter, &count))
      sheet_.add(subject_, fact, fmt::format("{}", count));
  }

  void clocks(const std::string& uuid) {
    sheet_.doing(fmt::format("clocks of {}", subject_));
    PowerReading reading;
    GpuPower(library_.path, uuid).read(reading);
    for (const ClockReading& clock : reading.clocks) {
      const bool sm = clock.clock == "SM";
      sheet_.add(subject_, sm ? "sm clock" : "memory clock", fmt::format("{:g} MHz", clock.most));
      if (clock.limit)
        sheet_.add(subject_, sm ? "highest sm clock" : "highest memory clock", fmt::format("{:g} MHz", *clock.limit));
    }
    std::string held;
    Condition condition = Condition::plain;
    bool told = false;
    for (const ThrottleReading& it : reading.throttling) {
      if (it.time) continue;  // what held it at some time since the driver was loaded
      told = true;
      if (!it.on) continue;
      held += (held.empty() ? "" : ", ") + it.cause;
      condition = std::max(condition, condition_of_cause(it.cause));
    }
    if (told) sheet_.add(subject_, "clocks held by", held.empty() ? "nothing" : held, condition);
    for (const Absence& absence : reading.absent) {
      using Quantity = Absence::Quantity;
      const Quantity quantity = absence.quantity;
      if (quantity == Quantity::throttle_reasons) sheet_.unread(subject_, "clocks held by", absence.reason);
      if (quantity == Quantity::sm_clock || quantity == Quantity::clocks) sheet_.unread(subject_, "sm clock", absence.reason);
      if (quantity == Quantity::memory_clock) sheet_.unread(subject_, "memory clock", absence.reason);
    }
  }

  const nvml::Library& library_;
  Sheet& sheet_;
  nvml::Handle handle_;
  std::string subject_;
};

void read_granted(const ReadOptions& options, Sheet& sheet) {
  std::string granted;
  for (const char* name : variables)
    for (const auto& [variable, value] : options.environment)
      if (variable == name) granted += fmt::format("{}{}={}", granted.empty() ? "" : " ", variable, value);
  if (!granted.empty()) sheet.add("", "gpus granted", granted);
}

std::string subject_of(const nvml::Library& library, nvml::Handle handle, unsigned index) {
  nvml::PciInfo pci{};
  std::string address;
  if (library.pci_info != nullptr && library.pci_info(handle, &pci) == nvml::success)
    address = pci_key(std::string(pci.bus_id.begin(), std::find(pci.bus_id.begin(), pci.bus_id.end(), '\0')));
  return address.empty() ? fmt::format("GPU {}", index) : "GPU " + address;
}

void read_versions(const nvml::Library& library, Sheet& sheet) {
  std::array<char, 128> buffer{};
  if (library.driver_version != nullptr && library.driver_version(buffer.data(), buffer.size()) == nvml::success)
    sheet.add("", "gpu driver", {buffer.begin(), std::find(buffer.begin(), buffer.end(), '\0')});
  int cuda = 0;
  if (library.cuda_version != nullptr && library.cuda_version(&cuda) == nvml::success)
    sheet.add("", "cuda of driver", fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10));
}

void ask_all(const ReadOptions& options, const nvml::Library& library, Sheet& sheet) {
  const bool all = options.extent == Extent::all;
  if (all) read_versions(library, sheet);
  unsigned count = 0;
  sheet.doing("nvmlDeviceGetCount_v2");
  if (const Return code = library.device_count(&count); code != nvml::success)
    return sheet.unread("", "gpus", fmt::format("nvmlDeviceGetCount_v2: {}", nvml::words_of(code)));
  if (all) sheet.add("", "gpus", fmt::format("{}", count));
  for (unsigned i = 0; i < std::min(count, most_devices); ++i) {
    nvml::Handle handle = nullptr;
    sheet.doing(fmt::format("nvmlDeviceGetHandleByIndex_v2 of GPU {}", i));
    if (const Return code = library.device(i, &handle); code != nvml::success) {
      sheet.unread(fmt::format("GPU {}", i), "gpu uuid", fmt::format("nvmlDeviceGetHandleByIndex_v2: {}", nvml::words_of(code)));
      continue;
    }
    Gpu gpu(library, sheet, handle, subject_of(library, handle, i));
    if (all)
      gpu.read();
    else
      gpu.errors();
  }
}

}  // namespace

std::vector<std::string> granting_variables() { return {variables.begin(), variables.end()}; }

void read_gpus(const ReadOptions& options, Sheet& sheet) {
  if (options.extent == Extent::all) read_granted(options, sheet);
  sheet.doing("the loading of " + options.nvml);
  const nvml::Library library = nvml::load(options.nvml);
  if (!library.fault.empty()) return sheet.unread("", "gpus", library.fault);
  sheet.doing("nvmlInit_v2");
  if (const Return code = library.init(); code != nvml::success)
    return sheet.unread("", "gpus", fmt::format("nvmlInit_v2: {}", nvml::words_of(code)));
  ask_all(options, library, sheet);
  if (library.shutdown != nullptr) library.shutdown();
}

}  // namespace railgauge::topo::preflight
